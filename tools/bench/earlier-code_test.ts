// The code of an earlier start, kept by a server that is only its files here.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openEarlierCode } from "./earlier-code.ts";

const of = { folder: "/package/", main: "bin/thole.js" };

async function inFolder(run: (cache: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "thole-earlier-code-"));
  try {
    await run(join(folder, "cache"));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Writes the code of a version. */
async function keepCode(cache: string): Promise<string> {
  const version = join(cache, "thole", "version"), file = join(version, "server-1.cjs.code");
  await mkdir(version, { recursive: true });
  await writeFile(file, "code");
  return file;
}

test("openEarlierCode() waits for the code of one server, and verify() rejects if the code was written again", () =>
  inFolder(async (cache) => {
    let stopped = false, file = "";
    const earlier = await openEarlierCode(cache, of, async (program) => {
      assert.deepEqual(program, { ...of, cache });
      assert.equal((await stat(cache)).mode & 0o777, 0o700);
      setTimeout(async () => file = await keepCode(cache));
      return { stop: async () => void (stopped = true) };
    });
    assert.deepEqual(earlier.program, { ...of, cache });
    assert.ok(stopped && file !== "");
    await earlier.verify();
    await utimes(file, 1, 1);
    await assert.rejects(earlier.verify(), /has not used the code/);
  }));
