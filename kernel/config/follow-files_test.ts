import assert from "node:assert/strict";
import { rename, writeFile } from "node:fs/promises";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { followFiles } from "./follow-files.ts";
import { jsonLog } from "../observe/log.ts";
import { manualClock } from "../store/testing/clock.ts";

/** A file whose text counts while it is a number, and the time of whoever follows it. */
async function following(
  use: (room: {
    readonly file: string;
    /** Lets so many looks pass. */
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
    if (Number.isNaN(next)) throw new Error("that is no number");
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
  }], { log: jsonLog((line) => logged.push(line), () => 0), clock, signal: ending.signal });
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

test("followFiles() takes over what changes, also when another file takes its name, and tells of it once", () =>
  following(async ({ file, looks, inForce, logged }) => {
    await looks(3);
    assert.deepEqual(logged, [], "nothing is logged for a number that is in force already");
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

test("followFiles() keeps what is in force at a mistake, tells of it once, and of its end", () =>
  following(async ({ file, looks, inForce, logged }) => {
    await writeFile(file, "many");
    await looks(150);
    assert.equal(inForce(), 1);
    assert.equal(logged.length, 1, "not with every look");
    assert.match(logged[0]!, /"error".*"cannot renew the number: what was in force stays in force".*"that is no number"/);
    await writeFile(file, "1");
    await looks(3);
    assert.match(logged[1]!, /"info".*can be read again, and is what it was/);
    assert.equal(logged.length, 2);
  }));

test("followFiles() reads anew every minute although nothing seems to have changed, and at once when it is logged to", () =>
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
