import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldManagerBytesMax, validateManagedFields } from "./field-manager.ts";

const entry = { manager: "m", operation: "Update", apiVersion: "v1", fieldsType: "FieldsV1" };
const paths = (...changes: readonly object[]) =>
  validateManagedFields(changes.map((change) => ({ ...entry, ...change })), "metadata.managedFields").map(({ path }) => path);

test("validateManagedFields() accepts valid entries, also without a type", () => {
  assert.deepEqual(validateManagedFields(undefined, "p"), []);
  assert.deepEqual(paths({}, { operation: "Apply", subresource: "status" }, { fieldsType: "" }, { manager: "é" }), []);
  assert.deepEqual(paths({ manager: "m".repeat(fieldManagerBytesMax), subresource: "s".repeat(256) }), []);
});

test("validateManagedFields() reports each invalid member with its place, after valid entries too", () => {
  const long = "m".repeat(fieldManagerBytesMax + 1);
  assert.deepEqual(
    paths({}, { operation: "Patch" }, { fieldsType: "FieldsV2" }, { manager: long }, { manager: "\n" }, { subresource: "s".repeat(257) }),
    ["operation", "fieldsType", "manager", "manager", "subresource"].map((name, at) => `metadata.managedFields[${at + 1}].${name}`),
  );
});
