import assert from "node:assert/strict";
import { test } from "node:test";
import { randomOf } from "../../core/random.ts";
import { assertCheap } from "../../core/test-cost.ts";
import { lastIndexIn, searchIn } from "./search.ts";

test("searches find what the engine finds", () => {
  const random = randomOf(7);
  const text = (length: number) => Array.from({ length }, () => "ab"[Math.floor(random() * 2)]).join("");
  for (let round = 0; round < 40; round++) {
    const whole = text(9_000);
    const at = Math.floor(random() * 8_000), length = 1 + Math.floor(random() * 40);
    const part = random() < 0.7 ? whole.slice(at, at + length) : text(length);
    const search = searchIn(whole, part);
    for (let from = 0, expected = 0; expected >= 0; from = expected + 1) {
      expected = whole.indexOf(part, from);
      assert.equal(search(from), expected);
    }
    assert.equal(lastIndexIn(whole, part, whole.length), whole.lastIndexOf(part));
    assert.equal(lastIndexIn(whole, part, at), whole.lastIndexOf(part, at));
  }
});

test("searches for parts that almost occur everywhere take linear time", () => {
  const text = "a".repeat(1_000_000), half = "a".repeat(50_000);
  // The search of the engine takes about half a minute for this.
  assertCheap("a search", () => assert.equal(searchIn(text, `${half}b${half}`)(0), -1));
  assertCheap("a search from the end", () => assert.equal(lastIndexIn(text, `${half}b${half}`, text.length), -1));
});
