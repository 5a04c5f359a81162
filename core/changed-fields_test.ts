import assert from "node:assert/strict";
import { test } from "node:test";
import { changedFields } from "./changed-fields.ts";

test("changedFields() names each field that differs, with both values", () => {
  const before = { a: 1, b: { c: "x", same: [1] }, gone: { d: null }, list: ["a", "b"], empty: {} };
  const after = { a: 2, b: { c: "x", same: [1], "k8s.io/e": true }, list: ["a"], new: { f: [1] }, empty: { g: 1 } };
  assert.deepEqual(changedFields(before, after), [
    "a: 1 -> 2",
    'b["k8s.io/e"]: (none) -> true',
    "empty.g: (none) -> 1",
    "gone.d: null -> (none)",
    'list: ["a","b"] -> ["a"]',
    "new.f: (none) -> [1]",
  ]);
  assert.deepEqual(changedFields(before, structuredClone(before)), []);
  assert.deepEqual(changedFields(undefined, { a: {} }), ["a: (none) -> {}"]);
});

test("changedFields() compares items by what they are known by, else by their position", () => {
  const before = { containers: [{ name: "a", image: "1" }, { name: "b", image: "1" }], rules: [{ verbs: ["get"] }, { verbs: ["list"] }] };
  const after = { containers: [{ name: "b", image: "2" }, { name: "c" }], rules: [{ verbs: ["get"] }, { verbs: ["watch"] }] };
  assert.deepEqual(changedFields(before, after), [
    'containers[a].image: "1" -> (none)',
    'containers[a].name: "a" -> (none)',
    'containers[b].image: "1" -> "2"',
    'containers[c].name: (none) -> "c"',
    'rules[1].verbs: ["list"] -> ["watch"]',
  ]);
});

test("changedFields() bounds its lines and the shown values", () => {
  const many = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`k${at}`, at]));
  const lines = changedFields({}, many);
  assert.deepEqual([lines.length, lines.at(-1)], [201, "and 100 more"]);
  assert.equal(changedFields("", "x".repeat(1_000))[0]?.length, 'value: "" -> '.length + 160 + "... (1002 characters)".length);
});
