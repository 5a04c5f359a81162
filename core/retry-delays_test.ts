import assert from "node:assert/strict";
import { test } from "node:test";
import { RetryDelays } from "./retry-delays.ts";

test("RetryDelays.next() doubles the delay of an item from 5 ms to 1000 s, and forget() resets it", () => {
  const delays = new RetryDelays(() => 0, { burst: 1000 });
  const first = Array.from({ length: 20 }, () => delays.next("a"));
  assert.deepEqual(first.slice(0, 4), [5, 10, 20, 40]);
  assert.deepEqual(first.slice(17), [655_360, 1_000_000, 1_000_000]);
  assert.equal(delays.next("b"), 5);
  assert.deepEqual([delays.failures("a"), delays.failures("b"), delays.failures("c")], [20, 1, 0]);
  delays.forget("a");
  assert.equal(delays.next("a"), 5);
});

test("RetryDelays.next() lets a burst of 100 pass at once and 10 per second after it", () => {
  let now = 0;
  const delays = new RetryDelays(() => now);
  const burst = Array.from({ length: 102 }, (_, index) => delays.next(`${index}`));
  assert.deepEqual(burst.slice(98), [5, 5, 100, 200]);
  now = 1_000; // 10 tokens: 2 are reserved
  assert.deepEqual(Array.from({ length: 9 }, (_, index) => delays.next(`later-${index}`)).slice(6), [5, 5, 100]);
  now = 0;
  assert.equal(delays.next("back"), 200, "a clock that is set back adds no tokens");
  now = 1_000_000;
  assert.equal(Array.from({ length: 101 }, (_, index) => delays.next(`full-${index}`)).at(-1), 100, "the bucket holds 100 tokens at most");
});
