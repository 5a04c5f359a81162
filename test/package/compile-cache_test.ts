// The folder of the compile cache of the program `thole`.
import assert from "node:assert/strict";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";

const { compileCacheFolder } = await import(new URL("../../scripts/compile-cache.mjs", import.meta.url).href) as {
  compileCacheFolder(words: readonly string[], main: string): string | undefined;
};

/** Calls `use` with a new folder and the main module in it. */
function inFolder(use: (folder: string, main: string) => void): void {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "thole-compile-cache-"))), main = join(folder, "main.js");
  try {
    writeFileSync(main, "import './chunk-1.js';");
    use(folder, main);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
const program = "/usr/bin/thole";

test("compileCacheFolder() is in the data folder that the flags name, once it exists, and only its owner can enter it", () =>
  inFolder((folder, main) => {
    const data = join(folder, "data");
    const found = (...args: readonly string[]) => compileCacheFolder([program, ...args], main);
    assert.equal(found(`--data-dir=${data}`), undefined, "before the first start");
    assert.deepEqual(readdirSync(folder), ["main.js"]);
    mkdirSync(data, { mode: 0o700 });
    const cache = found(`--data-dir=${data}`);
    assert.ok(cache?.startsWith(join(data, "compile-cache/")), String(cache));
    assert.equal(statSync(join(data, "compile-cache")).mode & 0o777, 0o700);
    assert.equal(found("serve", "--data-dir", data), cache);
    assert.equal(compileCacheFolder(["/x/kube-apiserver", `--data-dir=${data}`], main), cache);
  }));

test("compileCacheFolder() is undefined in memory, for other commands, and where a configuration file may name the folder", () =>
  inFolder((folder, main) => {
    const given = `--data-dir=${folder}`;
    for (
      const args of [["--data-dir=:memory:"], ["check", given], ["--config=a.yaml", given], ["--config", "a.yaml", given], ["--data-dir"]]
    ) {
      assert.equal(compileCacheFolder([program, ...args], main), undefined, args.join(" "));
    }
    for (const words of [["/x/kube-apiserver"], [program, "--compat=kube-apiserver"]]) {
      assert.equal(compileCacheFolder(words, main), undefined, words.join(" "));
    }
    assert.deepEqual(readdirSync(folder), ["main.js"]);
  }));

test("compileCacheFolder() refuses folders that others can write to, and links", () =>
  inFolder((folder, main) => {
    const open = join(folder, "open"), linked = join(folder, "linked"), elsewhere = join(folder, "elsewhere");
    for (const path of [open, linked, elsewhere]) mkdirSync(path, { mode: 0o700 });
    const found = (data: string) => compileCacheFolder([program, `--data-dir=${data}`], main);
    chmodSync(open, 0o770);
    assert.equal(found(open), undefined);
    chmodSync(open, 0o700);
    assert.notEqual(found(open), undefined);
    chmodSync(join(open, "compile-cache"), 0o707);
    assert.equal(found(open), undefined);
    symlinkSync(elsewhere, join(linked, "compile-cache"));
    assert.equal(found(linked), undefined);
  }));

test("compileCacheFolder() refuses a data folder that others can replace, and resolves links to it", () =>
  inFolder((folder, main) => {
    const parent = join(folder, "parent"), data = join(parent, "data"), link = join(folder, "link");
    mkdirSync(data, { recursive: true, mode: 0o700 });
    symlinkSync(data, link);
    const found = (path: string) => compileCacheFolder([program, `--data-dir=${path}`], main);
    for (const [mode, isUsed] of [[0o700, true], [0o755, true], [0o775, false], [0o757, false], [0o1777, true]] as const) {
      chmodSync(parent, mode);
      assert.equal(found(data) !== undefined, isUsed, mode.toString(8));
      assert.equal(found(link), found(data), mode.toString(8));
    }
    if (process.getuid?.() !== 0) return;
    chmodSync(parent, 0o755);
    chownSync(parent, 12345, 12345);
    assert.equal(found(data), undefined, "another user owns the folder above");
  }));

test("compileCacheFolder() removes the caches of other versions of the package", () =>
  inFolder((folder, main) => {
    const found = () => compileCacheFolder([program, `--data-dir=${folder}`], main)!;
    mkdirSync(found());
    writeFileSync(main, "import './chunk-2.js';");
    mkdirSync(found());
    assert.deepEqual(readdirSync(join(folder, "compile-cache")).map((name) => join(folder, "compile-cache", name)), [found()]);
  }));
