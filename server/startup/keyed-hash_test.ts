import assert from "node:assert/strict";
import { test } from "node:test";
import { errorLog } from "./error-log.ts";
import { keyedHash } from "./keyed-hash.ts";

test("keyedHash() separates texts, depends on a random key and reveals no text", () => {
  const hash = keyedHash();
  assert.equal(hash(["token", "a"]), hash(["token", "a"]));
  for (const other of [["tokena"], ["token", "b"], ["toke", "na"], ["token", "a", ""]]) assert.notEqual(hash(["token", "a"]), hash(other));
  assert.notEqual(hash(["token"]), keyedHash()(["token"]));
  assert.ok(!hash(["token"]).includes("token"));
});

test("errorLog() logs each sentence once per interval and counts suppressed ones", () => {
  const lines: unknown[] = [];
  let ms = 0;
  const failed = errorLog({ error: (...line) => lines.push(line) }, () => ms);
  for (let i = 0; i < 5; i++) failed("it failed", new Error(`${i}`));
  failed("another failed", new Error("x"));
  ms = 10_000;
  failed("it failed", new Error("5"));
  assert.deepEqual(lines, [
    ["it failed", { error: "0" }],
    ["another failed", { error: "x" }],
    ["it failed", { error: "5", suppressed: 4 }],
  ]);
});
