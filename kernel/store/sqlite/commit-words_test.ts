import assert from "node:assert/strict";
import { test } from "node:test";
import { readCalls, readRun, writeCalls, writeRun } from "./commit-words.ts";
import type { Call, Run } from "./calls.ts";

const place = (bytesMax: number) => {
  const memory = new ArrayBuffer(bytesMax);
  return { words: new Float64Array(memory), bytes: new Uint8Array(memory) };
};
const commit = (key: string, expect: number | "absent", value: Uint8Array | undefined, expires?: number): Call => ({
  op: "commit",
  change: { key, expect, value },
  expires,
});
const calls = [
  commit("/a/é\u{1F600}", "absent", Uint8Array.of(1, 2, 3), 1_700_000_000_000),
  commit("/b", 2 ** 53 - 1, new Uint8Array(0)),
  commit("/c", 1, undefined),
  commit("/d", 4, Uint8Array.of(4)),
];

test("readCalls() returns the commits that writeCalls() wrote, in copied bytes", () => {
  const lane = place(1024);
  assert.equal(writeCalls(calls, lane), true);
  const read = readCalls(lane);
  lane.bytes.fill(0xff);
  assert.deepEqual(read, calls);
});

test("readRun() returns the result that writeRun() wrote: writes, lost races, with and without previous values", () => {
  const run: Run = {
    outcomes: [
      { answer: { done: true, revision: 9, previous: undefined } },
      { answer: { done: true, revision: 10, previous: { value: new Uint8Array(0), revision: 2 } } },
      { answer: { done: false, current: { key: "/c", value: Uint8Array.of(5, 6), revision: 7 } } },
      { answer: { done: false, current: undefined } },
    ],
    revision: 2 ** 53 - 1,
    compacted: 0,
    expiresAt: 0,
    unswept: true,
    full: true,
  };
  const lane = place(1024);
  for (const each of [run, { ...run, expiresAt: undefined, unswept: false, full: false }]) {
    assert.equal(writeRun(each, lane), true);
    const read = readRun(calls, lane);
    lane.bytes.fill(0xff);
    assert.deepEqual(read, each);
  }
});

test("writeCalls() accepts calls that just fit, and rejects a byte more and other calls than commits", () => {
  const fits = (6 + 1) * 8; // six words, then a value of eight bytes
  assert.equal(writeCalls([commit("", 1, new Uint8Array(8))], place(fits)), true);
  assert.equal(writeCalls([commit("", 1, new Uint8Array(9))], place(fits)), false);
  assert.equal(writeCalls([commit("k", 1, new Uint8Array(8))], place(fits)), false);
  assert.equal(writeCalls([commit("", 1, undefined), commit("", 1, undefined)], place(fits)), false);
  assert.equal(writeCalls([...calls, { op: "get", key: "/a" }], place(1024)), false);
});

test("writeRun() accepts a result that just fits, and rejects a byte more", () => {
  const fits = (6 + 3 + 1) * 8; // nine words, then a value of eight bytes
  const run = (bytes: number): Run => ({
    outcomes: [{ answer: { done: true, revision: 2, previous: { value: new Uint8Array(bytes), revision: 1 } } }],
    revision: 2,
    compacted: 0,
    expiresAt: undefined,
    unswept: false,
    full: false,
  });
  assert.equal(writeRun(run(8), place(fits)), true);
  assert.equal(writeRun(run(9), place(fits)), false);
  assert.equal(writeRun({ ...run(0), outcomes: [...run(0).outcomes, ...run(0).outcomes] }, place(fits)), false);
});
