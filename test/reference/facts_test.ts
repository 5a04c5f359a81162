// In Deno's suite only: it compares data of the sources with recorded facts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { differences, unexplained } from "./facts.ts";
import { comparable, inVersion2, published, servedSchemas } from "./schemas.ts";

test("unexplained() reports missing, extra and different entries, and unused exceptions", () => {
  const found = differences("", { a: { b: 1, c: [1, 2] }, only: true }, { a: { b: 2, c: [2, 1] }, extra: { d: 1 } });
  assert.deepEqual(unexplained(found, { "a.b": "meant", "a.x": "not met" }), [
    "a.c: the reference has [1,2], we have [2,1]",
    "only: the reference has true, we have nothing",
    'extra: the reference has nothing, we have {"d":1}',
    "a.x: is an exception and no difference",
  ]);
  assert.deepEqual(differences("", { a: 1, b: { c: [null] } }, { b: { c: [null] }, a: 1 }), []);
});

test("published() and inVersion2() change schemas, and not fields with the names of keywords", () => {
  const schema = {
    properties: { default: { type: "boolean", default: false, "x-known-values": ["x"] }, oneOf: { oneOf: [{ type: "number" }] } },
    type: "object",
  };
  assert.deepEqual(inVersion2(published(schema)), {
    properties: { default: { type: "boolean" }, oneOf: { type: "string" } },
    type: "object",
  });
});

test("servedSchemas() finds references in each version's form, and rejects siblings of references in version 3", () => {
  const held = (schema: object, version: "v2" | "v3") => servedSchemas({ A: { ...schema } }, version)["A"];
  assert.deepEqual(held({ description: "d", default: {}, allOf: [{ $ref: "#/components/schemas/B" }] }, "v3"), { default: {}, $ref: "B" });
  assert.deepEqual(held({ description: "d", $ref: "#/definitions/B" }, "v2"), { $ref: "B" });
  assert.throws(() => held({ default: {}, $ref: "#/components/schemas/B" }, "v3"), /neighbours/);
});

test("comparable() ignores the order of required fields only for types derived from Go", () => {
  assert.deepEqual(comparable({ required: ["b", "a"] }, true), { required: ["a", "b"] });
  assert.deepEqual(comparable({ required: ["b", "a"] }, false), { required: ["b", "a"] });
});
