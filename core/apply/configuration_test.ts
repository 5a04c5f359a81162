import assert from "node:assert/strict";
import { test } from "node:test";
import { anyJson, boolean, field, int32, list, mapBy, record, setOf, string, struct, time } from "../schema.ts";
import { atomOf } from "./atom.ts";
import { atomicPaths, foreignProblem } from "./configuration.ts";

const Item = struct("Item", { name: field(1, string, "Key.", { required: true }), args: field(2, list(string), "Atomic.") });
const Whole = struct("Whole", { a: field(1, string, "A.") }, { atomic: true });
const Thing = struct("Thing", {
  n: field(1, int32, "Number."),
  on: field(2, boolean, "Flag."),
  at: field(3, time, "Time."),
  texts: field(4, setOf(string), "Set."),
  items: field(5, mapBy(["name"], Item), "By name."),
  plain: field(6, list(Item), "Atomic."),
  whole: field(7, Whole, "Atomic struct."),
  labels: field(8, record(string), "Map."),
  any: field(9, anyJson, "Any."),
});
const atom = atomOf(Thing);

test("atomicPaths() finds lists, maps and structs that are replaced as a whole", () => {
  assert.deepEqual(atomicPaths(atom, { n: 1, texts: ["a"], items: [{ name: "b" }], labels: { a: "b" } }), []);
  const items = [{ name: "a" }, { name: "b", args: ["c"] }];
  assert.deepEqual(atomicPaths(atom, { items, plain: [{ name: "a", args: [] }], whole: { a: "b" } }), [
    ".items[1].args",
    ".plain",
    ".plain[0].args",
    ".whole",
  ]);
  // As upstream, members of untyped maps are not looked into.
  assert.deepEqual(atomicPaths(atom, { any: { a: [1] } }), []);
});

test("foreignProblem() has the words of typed values", () => {
  const at = (...path: (string | number)[]) => foreignProblem(atom, { path, syntax: "0", text: "NULL_VALUE", type: "structpb.NullValue" });
  assert.equal(at("n"), ".n: expected numeric (int or float), got structpb.NullValue");
  assert.equal(at("on"), ".on: expected boolean, got &{NULL_VALUE}");
  assert.equal(at("at"), ".at: expected any scalar, got &{NULL_VALUE}");
  assert.equal(at("labels"), ".labels: expected map, got &{NULL_VALUE}");
  assert.equal(at("labels", "a"), ".labels.a: expected string, got &value.valueUnstructured{Value:0}");
  assert.equal(at("texts"), ".texts: expected list, got &{NULL_VALUE}");
  assert.equal(at("texts", 0), ".texts[={{undefined}}]: expected string, got &value.valueUnstructured{Value:0}");
  assert.equal(at("items", 1), ".items: element 1: associative list with keys may not have non-map elements");
  assert.equal(at("plain", 1), ".plain[1]: expected map, got &{NULL_VALUE}");
  assert.equal(at("nope", "b"), ".nope: field not declared in schema");
});
