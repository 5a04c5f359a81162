import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldErrorText } from "../field-error.ts";
import { object } from "../meta/object.ts";
import { boolean, field, int32, list, mapBy, oneOf, record, setOf, string, structsOf } from "../schema.ts";
import { checker, immutable } from "./check.ts";

const struct = structsOf("core/v1");
const Item = struct("Item", {
  name: field(1, string, "", { required: true }),
  port: field(2, int32, ""),
  on: field(3, boolean, "", { required: true }),
});
const Spec = struct("Spec", {
  mode: field(1, oneOf("Persistent", "Ephemeral"), ""),
  policy: field(2, oneOf("B", "A"), "", { required: true }),
  modes: field(3, setOf(oneOf("x", "y")), "", { immutable: true }),
  items: field(4, mapBy(["name", "port"], Item), ""),
  byKey: field(5, record(Item), ""),
  drivers: field(6, list(string), "", { required: true }),
  driver: field(7, string, "", { immutable: true }),
  flag: field(8, boolean, "", { pointer: true, immutable: true }),
  sealed: field(9, Item, "", { pointer: true, immutable: true }),
  nested: field(10, struct("Nested", { class: field(1, string, "", { immutable: true }) }), "", { pointer: true }),
});
const Kind = object("Kind", { spec: field(2, Spec, "") });
const head = { kind: "Kind", apiVersion: "v1", metadata: {} };
const fine = { policy: "A" as const, drivers: ["d"] };
const found = (spec: object) =>
  (checker(Kind) as (value: object, path: string) => readonly never[])({ ...head, spec }, "").map(fieldErrorText);
const changed = (next: object, prior: object) =>
  (immutable(Kind) as (next: object, prior: object, path: string) => readonly never[])(
    { ...head, spec: next },
    { ...head, spec: prior },
    "",
  ).map(fieldErrorText);

test("checker() returns no error for a valid value", () => {
  assert.deepEqual(
    found({ ...fine, mode: "Ephemeral", modes: ["x", "y"], items: [{ name: "a", on: false }, { name: "a", port: 1, on: true }] }),
    [],
  );
});

test("checker() lists the supported values in order", () => {
  assert.deepEqual(found({ ...fine, mode: "Other" }), [
    'spec.mode: Unsupported value: "Other": supported values: "Ephemeral", "Persistent"',
  ]);
  assert.deepEqual(found({ ...fine, mode: "" }), []);
});

test("checker() reports required fields that are absent or empty", () => {
  const missing = ["spec.policy: Required value", "spec.drivers: Required value"];
  assert.deepEqual(found({}), missing);
  assert.deepEqual(found({ policy: "", drivers: [] }), missing);
  assert.deepEqual((checker(Kind) as (value: object, path: string) => readonly never[])(head, "").map(fieldErrorText), missing);
});

test("checker() reports duplicate items together with other errors", () => {
  assert.deepEqual(
    found({
      ...fine,
      modes: ["x", "z", "x"],
      items: [{ name: "", on: true }, { name: "a", port: 1, on: true }, { port: 1, name: "a", on: false }],
    }),
    [
      'spec.modes[1]: Unsupported value: "z": supported values: "x", "y"',
      'spec.modes[2]: Duplicate value: "x"',
      "spec.items[0].name: Required value",
      'spec.items[2]: Duplicate value: {"name":"a","port":1}',
    ],
  );
  assert.deepEqual(found({ ...fine, byKey: { b: { name: "", on: true }, a: { name: "", on: true } } }), [
    "spec.byKey[a].name: Required value",
    "spec.byKey[b].name: Required value",
  ]);
});

test("immutable() reports each changed immutable field", () => {
  assert.deepEqual(changed(fine, fine), []);
  assert.deepEqual(changed({ driver: "b", modes: ["x"], flag: false, sealed: { name: "a" } }, { driver: "a", modes: ["x", "y"] }), [
    'spec.modes: Invalid value: ["x"]: field is immutable',
    'spec.driver: Invalid value: "b": field is immutable',
    "spec.flag: Invalid value: false: field is immutable",
    'spec.sealed: Invalid value: {"name":"a"}: field is immutable',
  ]);
  assert.deepEqual(changed({}, { driver: "a", flag: true, modes: ["x"] }), [
    "spec.modes: Invalid value: null: field is immutable",
    'spec.driver: Invalid value: "": field is immutable',
    "spec.flag: Invalid value: null: field is immutable",
  ]);
});

test("immutable() treats absent and empty as equal, except for pointers", () => {
  assert.deepEqual(changed({ driver: "", modes: [] }, {}), []);
  assert.deepEqual(changed({ flag: false }, {}).length, 1);
});

test("immutable() compares fields of pointers that both objects have", () => {
  assert.deepEqual(changed({ nested: { class: "b" } }, { nested: { class: "a" } }), [
    'spec.nested.class: Invalid value: "b": field is immutable',
  ]);
  assert.deepEqual(changed({ nested: { class: "b" } }, {}), []);
});
