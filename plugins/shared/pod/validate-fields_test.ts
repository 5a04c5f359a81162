import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldErrorText } from "../../../core/field-error.ts";
import { assertCheap } from "../../../core/test-cost.ts";
import { validateFieldRef, volumeFields } from "./validate-fields.ts";

const texts = (fieldPath: string) =>
  validateFieldRef({ apiVersion: "v1", fieldPath }, volumeFields, "ref").map((error) => fieldErrorText(error).replace(fieldPath, "PATH"));

test("validateFieldRef() reads the key of a label or annotation", () => {
  assert.deepEqual(texts("metadata.labels['a/b']"), []);
  assert.deepEqual(texts("metadata.annotations['A']"), []);
  assert.equal(texts("metadata.labels['']").length, 2);
  for (const bare of ["metadata.labels['", "metadata.labels[']", "['a']", "metadata.labels']"]) {
    assert.match(texts(bare).join(), /field label not supported: /, bare);
  }
  assert.match(texts("metadata.name['a']").join(), /field label does not support subscript: /);
  assert.match(texts("metadata.labels['a['b']").join(), /^ref: Invalid value: "a\['b"/);
});

test("validateFieldRef() takes linear time", () => {
  for (const fieldPath of ["['".repeat(1_000_000), `a${"['".repeat(1_000_000)}`, `a${"']".repeat(1_000_000)}x`]) {
    assert.equal(assertCheap("a field path", () => texts(fieldPath)).length, 1);
  }
});
