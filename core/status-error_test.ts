import assert from "node:assert/strict";
import { test } from "node:test";
import { required } from "./field-error.ts";
import { invalidError } from "./status-error.ts";
import { fieldErrorsLengthMax } from "./bounds.ts";

test("invalidError() contains errors up to the bound, at least one, and counts the rest", () => {
  const shown = (...details: readonly number[]) => {
    const errors = details.map((length) => required("spec", "x".repeat(length)));
    const { message, details: { causes = [] } = {} } = invalidError({ group: "", name: "Thing" }, "a", errors);
    return { count: causes.length, more: /and \d+ more/.exec(message)?.[0] };
  };
  const own = "spec: Required value: ".length, half = fieldErrorsLengthMax / 2 - own;
  assert.deepEqual(shown(half, half), { count: 2, more: undefined });
  assert.deepEqual(shown(half, half + 1, 1), { count: 1, more: "and 2 more" });
  assert.deepEqual(shown(3 * half), { count: 1, more: undefined });
});

test("invalidError() is bounded for any number of errors", () => {
  const { message, code, details: { causes = [] } = {} } = invalidError(
    { group: "", name: "Thing" },
    "a",
    Array.from({ length: 180_000 }, (_, i) => required(`spec.items[${i}].name`, "a name is required for every item of this list")),
  );
  assert.equal(code, 422);
  assert.ok(message.length < fieldErrorsLengthMax * 1.1);
  const causesLength = causes.reduce(
    (sum, { field = "", message = "", reason = "" }) => sum + field.length + message.length + reason.length,
    0,
  );
  assert.ok(causesLength < 2 * fieldErrorsLengthMax);
  assert.match(message, /, and \d+ more\]$/);
});
