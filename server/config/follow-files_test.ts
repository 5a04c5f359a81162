import assert from "node:assert/strict";
import { rename, writeFile } from "node:fs/promises";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { followFiles } from "./follow-files.ts";
import { jsonLog } from "../../kernel/observe/log.ts";
import { manualClock } from "../../test/store/clock.ts";

/** At once, so that a test waits for turns only. */
function stateOf(path: string): string {
  const { ino, size, mtimeMs } = statSync(path);
  return [ino, size, mtimeMs].join(" ");
}

/** A file with a number as its valid content, and the clock of its follower. */
async function following(
  use: (room: {
    readonly file: string;
    /** Waits for `count` checks. */
    looks(count: number): Promise<void>;
    readonly inForce: () => number;
    readonly reads: () => number;
    readonly logged: readonly string[];
    again(): Promise<void>;
  }) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "thole-follow-"));
  const file = join(folder, "number");
  writeFileSync(file, "1");
  const clock = manualClock(0), ending = new AbortController(), logged: string[] = [];
  let inForce = 1, reads = 0, reading = Promise.resolve();
  async function renew() {
    reads++;
    const { readFileSync } = await import("node:fs");
    const next = Number(readFileSync(file, "utf8"));
    if (Number.isNaN(next)) throw new Error("that is not a number");
    if (next === inForce) return undefined;
    inForce = next;
    return { number: next };
  }
  const files = followFiles([{
    what: "number",
    paths: [file],
    renew: () => {
      const renewing = renew();
      reading = renewing.then(() => {}, () => {});
      return renewing;
    },
  }], { log: jsonLog((line) => logged.push(line), () => 0), clock, signal: ending.signal, stateOf });
  try {
    await use({
      file,
      logged,
      inForce: () => inForce,
      reads: () => reads,
      again: files.again,
      async looks(count) {
        for (let look = 0; look < count; look++) {
          clock.advance(1_000);
          await new Promise((resolve) => setImmediate(resolve));
          await reading;
          await new Promise((resolve) => setImmediate(resolve));
        }
      },
    });
  } finally {
    ending.abort();
    await files.ended;
    rmSync(folder, { recursive: true });
  }
}

test("followFiles() activates a change, also of a file that replaces the other by rename, and logs it once", () =>
  following(async ({ file, looks, inForce, logged }) => {
    await looks(3);
    assert.deepEqual(logged, [], "nothing is logged for a number that is already active");
    await writeFile(file, "22");
    await looks(3);
    assert.equal(inForce(), 22);
    await writeFile(`${file}.new`, "33");
    await rename(`${file}.new`, file);
    await looks(3);
    assert.equal(inForce(), 33);
    assert.deepEqual(logged.map((line) => JSON.parse(line).message), ["the number was renewed", "the number was renewed"]);
    assert.deepEqual(logged.map((line) => JSON.parse(line).files), [[file], [file]]);
  }));

test("followFiles() keeps the active data after a mistake, logs it once, and logs its end", () =>
  following(async ({ file, looks, inForce, logged }) => {
    await writeFile(file, "many");
    await looks(150);
    assert.equal(inForce(), 1);
    assert.equal(logged.length, 1, "not at every check");
    assert.match(logged[0]!, /"error".*"cannot renew the number: the previous one stays active".*"that is not a number"/);
    await writeFile(file, "1");
    await looks(3);
    assert.match(logged[1]!, /"info".*can be read again and has not changed/);
    assert.equal(logged.length, 2);
  }));

test("followFiles() reads again every minute without a change, and at once on request", () =>
  following(async ({ file, looks, reads, again, inForce }) => {
    await looks(3);
    const before = reads();
    await looks(57);
    assert.equal(reads(), before);
    await looks(3);
    assert.equal(reads(), before + 1);
    await writeFile(file, "7");
    await again();
    assert.equal(inForce(), 7);
  }));
