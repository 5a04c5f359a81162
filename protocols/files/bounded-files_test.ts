import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { manualClock } from "../../core/test-clock.ts";
import { boundedFiles, fileReadMs, fingerprint, readWhole, readWholeSync, readWholeText, readWholeTextSync } from "./bounded-files.ts";

async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "thole-files-"));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test("readWhole() reads a plain file up to its bound, and no pipe, folder or device", () =>
  inFolder(async (folder) => {
    const file = join(folder, "file"), pipe = join(folder, "pipe");
    await writeFile(file, "\ufeffabc");
    assert.equal(await readWholeText(file), "\ufeffabc");
    assert.equal(readWholeTextSync(file), "\ufeffabc");
    assert.equal((await readWhole(file, 6)).length, 6);
    execFileSync("mkfifo", [pipe]);
    const refused: readonly (readonly [path: string, error: string])[] = [
      [file, `"${file}" has 6 bytes, more than 5`],
      [pipe, `"${pipe}" is a pipe: give a plain file`],
      [folder, `"${folder}" is a folder`],
      ["/dev/null", '"/dev/null" is no plain file'],
    ];
    for (const [path, message] of refused) {
      await assert.rejects(readWhole(path, 5), { message });
      assert.throws(() => readWholeSync(path, 5), { message });
    }
    await assert.rejects(readWhole(join(folder, "none")), /ENOENT/);
    assert.throws(() => readWholeSync(join(folder, "none")), /ENOENT/);
  }));

test("fingerprint() changes when a file is written or replaced", () =>
  inFolder(async (folder) => {
    const file = join(folder, "file");
    assert.equal(await fingerprint(file), "missing");
    await writeFile(file, "a");
    const first = await fingerprint(file);
    assert.equal(await fingerprint(file), first);
    await writeFile(file, "ab");
    assert.notEqual(await fingerprint(file), first);
  }));

test("a file system that does not answer is asked once, and every read of it ends in time", async () => {
  const clock = manualClock(), answer = Promise.withResolvers<Uint8Array>();
  let reads = 0;
  const files = boundedFiles({
    clock,
    // A file that is gone: the error of the read counts.
    stat: (path) => path === "silent" ? new Promise(() => {}) : Promise.reject(new Error("no such file")),
    readFile: () => (reads++, answer.promise),
  });
  const message = `"x" does not answer within ${fileReadMs / 1000} s`;
  for (let round = 0; round < 3; round++) {
    const reading = assert.rejects(files.readWhole("x"), { message });
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(fileReadMs);
    await reading;
  }
  assert.equal(reads, 1);
  answer.resolve(Uint8Array.of(1));
  assert.deepEqual(await files.readWhole("x"), Uint8Array.of(1));

  const looking = files.fingerprint("silent");
  clock.advance(fileReadMs);
  assert.equal(await looking, "silent");
});
