import assert from "node:assert/strict";
import { test } from "node:test";
import { required } from "./field-error.ts";
import { limits } from "./limits.ts";
import { invalidError } from "./status-error.ts";

test("invalidError() tells as many errors as fit, at least one, and how many there are more", () => {
  const told = (...details: readonly number[]) => {
    const errors = details.map((length) => required("spec", "x".repeat(length)));
    const { message, details: { causes = [] } = {} } = invalidError({ group: "", name: "Thing" }, "a", errors);
    return { count: causes.length, more: /and \d+ more/.exec(message)?.[0] };
  };
  const own = "spec: Required value: ".length, half = limits.fieldErrorsLengthMax / 2 - own;
  assert.deepEqual(told(half, half), { count: 2, more: undefined });
  assert.deepEqual(told(half, half + 1, 1), { count: 1, more: "and 2 more" });
  assert.deepEqual(told(3 * half), { count: 1, more: undefined });
});
