import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldErrorText } from "../field-error.ts";
import type { StructuralSchema } from "../structural-schema.ts";
import { validateValue } from "./validate.ts";

const errors = (value: number | bigint, schema: StructuralSchema) => validateValue(value, schema, { path: "x" }).map(fieldErrorText);
const outOfRange = (wanted: string) => `<nil>: Invalid value: "": Checked value must be of type ${wanted} in x`;

test("a number fits a float if it rounds to one", () => {
  const float = { type: "number", format: "float" };
  for (const fits of [3.4028235e38, 3.4028234663852886e38, -3.4028235e38, 1e-300]) assert.deepEqual(errors(fits, float), []);
  for (const huge of [3.4028236e38, -1e39]) assert.deepEqual(errors(huge, float), [outOfRange("number with format float")]);
});

test("a double beyond 2^53 is no integer, one within a relative error of 1e-9 has only a wrong value", () => {
  const integer = { type: "integer" };
  const wrongType = 'x: Invalid value: "number": x in body must be of type integer: "number"';
  assert.deepEqual(errors(1e100, integer), [wrongType, outOfRange("integer (default format)")]);
  assert.deepEqual(errors(2.5, integer), [wrongType, outOfRange("integer (default format)")]);
  assert.deepEqual(errors(3.0000000001, integer), [outOfRange("integer (default format)")]);
  assert.deepEqual(errors(2n ** 63n - 1n, integer), []);
});

test("a double is a multiple within a relative error of 1e-9", () => {
  const multiple = { type: "number", multipleOf: 0.1 };
  assert.deepEqual(errors(0.3, multiple), []);
  assert.deepEqual(errors(0.35, multiple), ["x: Invalid value: 0.35: x in body should be a multiple of 0.1"]);
  assert.deepEqual(errors(8.9999999999, { type: "number", multipleOf: 3 }), []);
});

test("numbers in errors are as Go shows them, and a bound beyond an int64 is the smallest one for an integer", () => {
  assert.deepEqual(errors(1e-7, { type: "number", minimum: 1 }), [
    "x: Invalid value: 1e-07: x in body should be greater than or equal to 1",
  ]);
  assert.deepEqual(errors(3, { type: "number", maximum: 1e21 }), [
    "x: Invalid value: 3: x in body should be less than or equal to -9223372036854775808",
  ]);
  assert.deepEqual(errors(3, { type: "number", multipleOf: 0.5 }), [
    "x: Invalid value: 0: factor MultipleOf declared for x must be positive: 0",
  ]);
});

test("a keyword that is not of the type is compared as a double", () => {
  const factor = '<nil>: Invalid value: "": MultipleOf value must be of type integer (default format) in x';
  assert.deepEqual(errors(7, { type: "integer", multipleOf: 0.1 }), [factor]);
  assert.deepEqual(errors(7, { type: "integer", multipleOf: 1.5 }), [factor, "x: Invalid value: 7: x in body should be a multiple of 1.5"]);
  assert.deepEqual(
    errors(1.5e10, { type: "number", maximum: 1e10 }).at(-1),
    "x: Invalid value: 15000000000: x in body should be less than or equal to 10000000000",
  );
  assert.deepEqual(errors(1e21, { type: "number", maximum: 1e10 }), [
    "x: Invalid value: 1e+21: x in body should be less than or equal to 1e+10",
  ]);
});
