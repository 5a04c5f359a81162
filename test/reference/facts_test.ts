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

test("published() and inVersion2() change schemas, not fields that are called like their members", () => {
  const schema = {
    properties: { default: { type: "boolean", default: false, "x-known-values": ["x"] }, oneOf: { oneOf: [{ type: "number" }] } },
    type: "object",
  };
  assert.deepEqual(inVersion2(published(schema)), {
    properties: { default: { type: "boolean" }, oneOf: { type: "string" } },
    type: "object",
  });
});

test("servedSchemas() finds references where each version has them, and refuses neighbours in version 3", () => {
  const held = (schema: object, version: "v2" | "v3") => servedSchemas({ A: { ...schema } }, version)["A"];
  assert.deepEqual(held({ description: "d", default: {}, allOf: [{ $ref: "#/components/schemas/B" }] }, "v3"), { default: {}, $ref: "B" });
  assert.deepEqual(held({ description: "d", $ref: "#/definitions/B" }, "v2"), { $ref: "B" });
  assert.throws(() => held({ default: {}, $ref: "#/components/schemas/B" }, "v3"), /neighbours/);
});

test("comparable() leaves out the order of required fields of types that were derived from Go, and no other's", () => {
  assert.deepEqual(comparable({ required: ["b", "a"] }, true), { required: ["a", "b"] });
  assert.deepEqual(comparable({ required: ["b", "a"] }, false), { required: ["b", "a"] });
});
