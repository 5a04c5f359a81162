import assert from "node:assert/strict";
import { test } from "node:test";
import { amountOf, canonicalQuantity, compareQuantities, integerOf, parseQuantity, quantityText, roundUp } from "./quantity.ts";
import { Unreadable } from "./unreadable.ts";

test("canonicalQuantity() writes no digits after the point and the largest suffix that stays exact", () => {
  for (
    const [text, canonical] of [
      ["1024Mi", "1Gi"],
      ["1048576Ki", "1Gi"],
      ["1.5Gi", "1536Mi"],
      ["0.5Gi", "512Mi"],
      ["1000Ki", "1000Ki"],
      ["0.5Ki", "512"],
      ["1000m", "1"],
      ["0.5", "500m"],
      ["+.5", "500m"],
      ["1.0001", "1000100u"],
      ["100u", "100u"],
      ["1000000n", "1m"],
      ["0.3n", "1n"],
      ["-0.3n", "-1n"],
      ["123456789012", "123456789012"],
      ["2000", "2k"],
      ["1E", "1E"],
      ["12e6", "12e6"],
      ["1E3", "1E3"],
      ["100e-1", "10"],
      [" 0 ", "0"],
      ["0Gi", "0"],
      ["00.00", "0"],
      ["-1Gi", "-1Gi"],
      ["9223372036854775808", "9223372036854775808"],
      ["9Ei", "9223372036854775807"],
      ["-9Ei", "-9223372036854775807"],
    ] as const
  ) assert.equal(canonicalQuantity(text), canonical, text);
});

test("canonicalQuantity() leaves canonical text as it is", () => {
  for (const text of ["1n", "1u", "1m", "1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Ei", "1e21", "1023", "1025Ki"]) {
    assert.equal(canonicalQuantity(text), text);
  }
});

test("parseQuantity() tells a wrong form from a wrong suffix", () => {
  const form = new Unreadable("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  for (const text of ["", "1GB", "1 Gi", "true", "1.1.1", "much", '{"a":1}']) assert.deepEqual(parseQuantity(text), form, text);
  const suffix = new Unreadable("unable to parse quantity's suffix");
  for (const text of ["1ki", "1e", "1ee3", "1mm", "1e99999999999999999999"]) assert.deepEqual(parseQuantity(text), suffix, text);
});

test("quantities of any exponent cost no time and no memory", () => {
  assert.equal(canonicalQuantity("1e1000000000"), "10e999999999");
  assert.equal(canonicalQuantity("1e-1000000000"), "1e-9");
  assert.ok(compareQuantities("1e2000000000", "9Ei") > 0);
  assert.equal(integerOf(amountOf("1e2000000000")), undefined);
});

test("compareQuantities() compares amounts, not texts", () => {
  assert.equal(compareQuantities("1Gi", "1073741824"), 0);
  assert.ok(compareQuantities("1Gi", "1G") > 0);
  assert.ok(compareQuantities("-1", "1m") < 0);
  assert.ok(compareQuantities("-2", "-1") < 0);
  assert.equal(compareQuantities("0", "0"), 0);
  assert.ok(compareQuantities("999m", "1") < 0);
});

test("roundUp() rounds away from zero to the step", () => {
  const text = (source: string, step: number) => quantityText(roundUp(amountOf(source), step));
  assert.equal(text("1000100u", -3), "1001m");
  assert.equal(text("100u", -3), "1m");
  assert.equal(text("-100u", -3), "-1m");
  assert.equal(text("1500m", 0), "2");
  assert.equal(text("2", 0), "2");
});

test("integerOf() gives whole numbers only", () => {
  assert.equal(integerOf(amountOf("1Ki")), 1024n);
  assert.equal(integerOf(amountOf("-2k")), -2000n);
  assert.equal(integerOf(amountOf("500m")), undefined);
});
