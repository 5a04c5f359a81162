import assert from "node:assert/strict";
import { test } from "node:test";
import { impersonatedMs, impersonationsMax, successes } from "./successes.ts";

test("successes() keeps a value for a time, and a bounded number of them", () => {
  let now = 0;
  const kept = successes<number>(() => now);
  for (let number = 0; number <= impersonationsMax; number++) kept.set(`${number}`, number);
  assert.deepEqual([kept.get("0"), kept.get("1"), kept.get(`${impersonationsMax}`)], [undefined, 1, impersonationsMax]);
  now = impersonatedMs;
  assert.equal(kept.get("1"), undefined);
});
