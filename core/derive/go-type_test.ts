import assert from "node:assert/strict";
import { test } from "node:test";
import { int64, list, named, quantity, record, string, struct } from "../schema.ts";
import { goType } from "./go-type.ts";

test("goType() returns the upstream name of a string or record type, also as the element of a list", () => {
  const Access = named("v1.PersistentVolumeAccessMode", string);
  assert.equal(goType(Access), "v1.PersistentVolumeAccessMode");
  assert.equal(goType(list(Access)), "[]v1.PersistentVolumeAccessMode");
  assert.equal(goType(named("v1.ResourceList", record(quantity))), "v1.ResourceList");
});

test("goType() writes types without a name in full", () => {
  assert.equal(goType(list(string)), "[]string");
  assert.equal(goType(record(quantity)), "map[string]resource.Quantity");
  assert.equal(goType(record(list(int64))), "map[string][]int64");
  assert.equal(goType(struct("Container", {}, { package: "core/v1" })), "v1.Container");
});
