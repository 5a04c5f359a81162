import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldErrorText } from "../field-error.ts";
import { sameAmounts, validateNotNegative, validatePositive } from "./quantity-rules.ts";

test("validateNotNegative() shows a negative quantity as an integer, rounded away from zero", () => {
  const errorsOf = (value: string) => validateNotNegative(value, "a").map(fieldErrorText);
  assert.deepEqual(errorsOf("0"), []);
  assert.deepEqual(errorsOf("1n"), []);
  assert.deepEqual(errorsOf("-5Gi"), ["a: Invalid value: -5368709120: must be a valid resource quantity"]);
  assert.deepEqual(errorsOf("-1m"), ["a: Invalid value: -1: must be a valid resource quantity"]);
  assert.deepEqual(errorsOf("-9007199254740993"), ["a: Invalid value: -9007199254740993: must be a valid resource quantity"]);
});

test("validatePositive() rejects zero and negative quantities and shows them unchanged", () => {
  assert.deepEqual(validatePositive("1n", "a"), []);
  assert.deepEqual(validatePositive("0", "a").map(fieldErrorText), ['a: Invalid value: "0": must be greater than zero']);
});

test("sameAmounts() compares quantities by value, for each key", () => {
  assert.equal(sameAmounts({ a: "1Gi" }, { a: "1073741824" }), true);
  assert.equal(sameAmounts(undefined, {}), true);
  assert.equal(sameAmounts({ a: "1" }, { b: "1" }), false);
  assert.equal(sameAmounts({ a: "1" }, { a: "2" }), false);
  assert.equal(sameAmounts({ constructor: "1" }, { a: "1" }), false);
});
