import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldErrorText, invalid, required } from "../field-error.ts";
import { field, int32, lazy, list, mapBy, record, string, struct, type StructNode, type Typed } from "../schema.ts";
import { declaredChecks } from "./declared.ts";
import { fieldChecks } from "./field-checks.ts";

/** Strings must not be "bad", and what must be set must not be zero. */
const checks = fieldChecks(({ mustBeSet, doc }) =>
  mustBeSet
    ? { missing: (path) => [required(path, "")], present: (value, path) => value === "bad" ? [invalid(path, value, "is bad")] : [] }
    : doc === "Checked."
    ? { present: (value, path) => [invalid(path, value, "is present")] }
    : undefined
);
const Part: Typed<any, StructNode> = struct("Part", {
  name: field(1, string, "Name.", { required: true, mustBeSet: true }),
  number: field(2, int32, "Checked."),
  parts: field(3, mapBy(["name"], lazy((): Typed<any> => Part)), "Parts."),
  all: field(4, list(lazy((): Typed<any> => Part)), "Parts without keys."),
  byName: field(5, record(lazy((): Typed<any> => Part)), "Parts by name."),
  inner: field(6, lazy((): Typed<any> => struct("Inner", { at: field(1, string, "At.", { mustBeSet: true }) })), "Inner.", {
    pointer: true,
  }),
});
const errors = (next: unknown, prior?: unknown, of = checks) => of(Part)!(next, prior).map(fieldErrorText);

test("fieldChecks() finds missing and present values in structs, lists, maps and recursive structs", () => {
  assert.deepEqual(errors({ name: "a" }), []);
  assert.deepEqual(errors({ name: "bad" }), ['name: Invalid value: "bad": is bad']);
  assert.deepEqual(errors({ parts: [{ name: "" }], all: [{ name: "bad" }], byName: { x: {} }, inner: {} }), [
    "name: Required value",
    "parts[0].name: Required value",
    'all[0].name: Invalid value: "bad": is bad',
    "byName[x].name: Required value",
    "inner.at: Required value",
  ]);
  assert.deepEqual(errors({ name: "a", number: 0 }), [], "a zero without presence is absent");
  assert.deepEqual(errors({ name: "a", number: 1 }), ["number: Invalid value: 1: is present"]);
});

test("fieldChecks() checks no value again that an update leaves as it is; only items with keys are the same before and after", () => {
  const stored = { parts: [{ name: "bad" }], all: [{ name: "bad" }], byName: { x: { name: "bad" } } };
  assert.deepEqual(errors(stored, stored), []);
  const next = {
    parts: [{ name: "new" }, { name: "bad" }],
    all: [{ name: "new" }, { name: "bad" }],
    byName: { x: { name: "bad" }, y: {} },
  };
  assert.deepEqual(errors(next, stored), ['all[1].name: Invalid value: "bad": is bad', "byName[y].name: Required value"]);
  assert.deepEqual(errors({ parts: [{ name: "bad", number: 2 }] }, stored), ["parts[0].number: Invalid value: 2: is present"]);
});

test("declaredChecks() requires what must be set, and is undefined for a schema without such a field", () => {
  assert.deepEqual(errors({ number: 1 }, undefined, declaredChecks), ["name: Required value"]);
  assert.equal(declaredChecks(struct("None", { a: field(1, string, "A.") })), undefined);
  const Loop: Typed<any, StructNode> = struct("Loop", { loops: field(1, list(lazy((): Typed<any> => Loop)), "Loops.") });
  assert.equal(declaredChecks(Loop), undefined);
});
