import assert from "node:assert/strict";
import { test } from "node:test";
import { sameValue } from "./same-value.ts";

test("sameValue() ignores the order of keys, and compares lists in order", () => {
  assert.equal(sameValue({ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 }), true);
  assert.equal(sameValue({ a: 1 }, { a: 1, b: undefined }), false);
  assert.equal(sameValue({ a: undefined }, { b: undefined }), false);
  assert.equal(sameValue([1, 2], [2, 1]), false);
  assert.equal(sameValue([], {}), false);
  assert.equal(sameValue(null, {}), false);
  assert.equal(sameValue(NaN, NaN), true);
});

test("sameValue() compares ten thousand levels", () => {
  const nested = (leaf: unknown, wrap: (inner: unknown) => unknown) => {
    let value = leaf;
    for (let level = 0; level < 10_000; level++) value = wrap(value);
    return value;
  };
  for (const wrap of [(inner: unknown) => [inner], (inner: unknown) => ({ a: inner })]) {
    assert.equal(sameValue(nested(1, wrap), nested(1, wrap)), true);
    assert.equal(sameValue(nested(1, wrap), nested(2, wrap)), false);
  }
  assert.equal(sameValue(nested(1, (inner) => [inner]), nested(1, (inner) => ({ 0: inner }))), false);
});
