// The folder of the compile cache of the program `thole`.
import assert from "node:assert/strict";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { programs } from "../programs.ts";

const { compileCacheFolder } = await import(new URL("../../scripts/compile-cache.mjs", import.meta.url).href) as {
  compileCacheFolder(words: readonly string[], main: string, env: Readonly<Record<string, string>>): string | undefined;
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
    const found = (...args: readonly string[]) => compileCacheFolder([program, ...args], main, {});
    assert.equal(found(`--data-dir=${data}`), undefined, "before the first start");
    assert.deepEqual(readdirSync(folder), ["main.js"]);
    mkdirSync(data, { mode: 0o700 });
    const cache = found(`--data-dir=${data}`);
    assert.ok(cache?.startsWith(join(data, "compile-cache/")), String(cache));
    assert.equal(statSync(join(data, "compile-cache")).mode & 0o777, 0o700);
    assert.equal(found("serve", "--data-dir", data), cache);
    assert.equal(compileCacheFolder(["/x/kube-apiserver", `--data-dir=${data}`], main, {}), cache);
  }));

test("compileCacheFolder() is undefined in memory, for other commands, and where a configuration file may name the folder", () =>
  inFolder((folder, main) => {
    const given = `--data-dir=${folder}`;
    for (
      const args of [["--data-dir=:memory:"], ["check", given], ["--config=a.yaml", given], ["--config", "a.yaml", given], ["--data-dir"]]
    ) {
      assert.equal(compileCacheFolder([program, ...args], main, {}), undefined, args.join(" "));
    }
    for (const words of [["/x/kube-apiserver"], [program, "--compat=kube-apiserver"]]) {
      assert.equal(compileCacheFolder(words, main, {}), undefined, words.join(" "));
    }
    assert.deepEqual(readdirSync(folder), ["main.js"]);
  }));

test("compileCacheFolder() refuses folders that others can write to, and links", () =>
  inFolder((folder, main) => {
    const open = join(folder, "open"), linked = join(folder, "linked"), elsewhere = join(folder, "elsewhere");
    for (const path of [open, linked, elsewhere]) mkdirSync(path, { mode: 0o700 });
    const found = (data: string) => compileCacheFolder([program, `--data-dir=${data}`], main, {});
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
    const found = (path: string) => compileCacheFolder([program, `--data-dir=${path}`], main, {});
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
    const found = () => compileCacheFolder([program, `--data-dir=${folder}`], main, {})!;
    mkdirSync(found(), { recursive: true });
    writeFileSync(main, "import './chunk-2.js';");
    mkdirSync(found(), { recursive: true });
    assert.deepEqual(readdirSync(join(folder, "compile-cache")).map((name) => join(folder, "compile-cache", name)), [found()]);
  }));

const inMemory = [program, "--data-dir=:memory:"];

test("compileCacheFolder() is in the cache folder of the user, also in memory, with a configuration file and before the data folder exists", () =>
  inFolder((folder, main) => {
    const data = join(folder, "data"), env = { HOME: folder };
    const cache = compileCacheFolder(inMemory, main, env);
    assert.ok(cache?.startsWith(join(folder, ".cache/thole/")), String(cache));
    for (const path of [".cache", ".cache/thole"]) assert.equal(statSync(join(folder, path)).mode & 0o777, 0o700, path);
    mkdirSync(data, { mode: 0o700 });
    for (const args of [[`--data-dir=${data}`], ["serve", "--config=a.yaml"], []]) {
      assert.equal(compileCacheFolder([program, ...args], main, env), cache, args.join(" "));
    }
    assert.deepEqual(readdirSync(data), []);
    assert.ok(compileCacheFolder(inMemory, main, { ...env, XDG_CACHE_HOME: data })?.startsWith(join(data, "thole/")));
  }));

test("compileCacheFolder() uses no folder of the user for what is no start, and if the environment names or disables Node's cache", () =>
  inFolder((folder, main) => {
    for (const args of [["check"], ["--help"], ["serve", "-h"], ["--version"]]) {
      assert.equal(compileCacheFolder([program, ...args], main, { HOME: folder }), undefined, args.join(" "));
    }
    for (const name of ["NODE_COMPILE_CACHE", "NODE_DISABLE_COMPILE_CACHE"]) {
      assert.equal(compileCacheFolder([program, `--data-dir=${folder}`], main, { HOME: folder, [name]: "1" }), undefined, name);
    }
    assert.deepEqual(readdirSync(folder), ["main.js"]);
  }));

test("compileCacheFolder() uses the data folder if there is no home, or others can write to it, to the cache folder or to its place", () =>
  inFolder((folder, main) => {
    const home = join(folder, "home"), cache = join(home, ".cache"), data = join(folder, "data");
    mkdirSync(data, { mode: 0o700 });
    const found = (env: Readonly<Record<string, string>>) => compileCacheFolder([program, `--data-dir=${data}`], main, env);
    const inData = found({});
    assert.ok(inData?.startsWith(join(data, "compile-cache/")), String(inData));
    assert.equal(found({ HOME: home }), inData, "no home");
    assert.equal(existsSync(home), false);
    assert.equal(found({ HOME: "home" }), inData, "a relative home");
    assert.equal(found({ HOME: folder, XDG_CACHE_HOME: "cache" }), inData, "a relative cache folder");
    mkdirSync(cache, { recursive: true, mode: 0o700 });
    for (const path of [home, cache]) {
      for (const mode of [0o770, 0o707, 0o1777]) {
        chmodSync(path, mode);
        assert.equal(found({ HOME: home }), inData, `${path} ${mode.toString(8)}`);
      }
      chmodSync(path, 0o700);
    }
    assert.notEqual(found({ HOME: home }), inData);
    chmodSync(join(cache, "thole"), 0o720);
    assert.equal(found({ HOME: home }), inData, "the folder itself");
    rmSync(join(cache, "thole"), { recursive: true });
    symlinkSync(data, join(cache, "thole"));
    assert.equal(found({ HOME: home }), inData, "a link");
    if (process.getuid?.() !== 0) return;
    unlinkSync(join(cache, "thole"));
    chownSync(home, 12345, 12345);
    assert.equal(found({ HOME: home }), inData, "the home of another user");
    assert.deepEqual(readdirSync(cache), []);
  }));

test("compileCacheFolder() keeps the four versions that were used last in the folder of the user", () =>
  inFolder((folder, main) => {
    const found = (version: number) => {
      writeFileSync(main, `import './chunk-${version}.js';`);
      return compileCacheFolder(inMemory, main, { HOME: folder })!;
    };
    const old = [1, 2, 3, 4].map(found);
    for (const [at, path] of old.entries()) utimesSync(path, 1e9 + at, 1e9 + at);
    assert.equal(found(1), old[0]);
    const newest = found(5), left = readdirSync(join(folder, ".cache/thole")).map((name) => join(folder, ".cache/thole", name));
    assert.deepEqual(new Set(left), new Set([old[0], old[2], old[3], newest]));
  }));

/** A Node on PATH without what the program needs. */
const old = programs("node").map((path) => ({ path, version: spawnSync(path, ["--version"], { encoding: "utf8" }).stdout.trim() }))
  .find(({ version }) => /^v(1\d|20|21)\./.test(version));

test("the program names the version that it needs on an older Node", { skip: old === undefined && "no Node before 22 is on PATH" }, () => {
  const script = fileURLToPath(new URL("../../scripts/thole.mjs", import.meta.url));
  const { status, stderr } = spawnSync(old!.path, [script, "--version"], { encoding: "utf8" });
  assert.equal(stderr, `thole: needs Node 22.13 or newer; this is Node ${old!.version.slice(1)}\n`);
  assert.equal(status, 1);
});
