import assert from "node:assert/strict";
import { test } from "node:test";
import { decoder } from "../derive/decode.ts";
import { encoder } from "../derive/encode.ts";
import type { Json } from "../json.ts";
import { object } from "../meta/object.ts";
import { field, type StructNode, structural, type Typed } from "../schema.ts";
import type { StructuralSchema } from "../structural-schema.ts";
import { readJson } from "../tree/json.ts";
import { hasDefaults, withDefaults } from "./defaults.ts";
import { publish } from "./openapi.ts";
import { pruneValue } from "./prune.ts";

const plain = { metadata: (metadata: Json) => metadata };

test("prune() drops members without a schema, and keeps those of free-form objects", () => {
  const schema: StructuralSchema = {
    type: "object",
    properties: {
      a: { type: "string" },
      free: { type: "object", "x-kubernetes-preserve-unknown-fields": true, properties: { known: { type: "object", properties: {} } } },
      map: { type: "object", additionalProperties: { type: "object", properties: { b: { type: "integer" } } } },
      any: { type: "object", additionalProperties: true },
      list: { type: "array", items: { type: "object", properties: { c: { type: "string" } } } },
    },
  };
  const unknown: string[] = [];
  const value = {
    z: 1,
    map: { x: { b: 1, d: 2 } },
    list: [{ c: "c", e: 1 }, 3],
    free: { z: { y: 1 }, known: { x: 1 } },
    any: { o: { p: 1 }, q: 2 },
    a: "a",
  };
  const result = pruneValue(value, schema, { ...plain, unknown: (path) => unknown.push(path.join("/")) });
  assert.equal(
    JSON.stringify(result),
    '{"a":"a","any":{"o":{},"q":2},"free":{"known":{},"z":{"y":1}},"list":[{"c":"c"},3],"map":{"x":{"b":1}}}',
  );
  assert.deepEqual(unknown, ["any/o/p", "free/known/x", "list/0/e", "map/x/d", "z"]);
});

test("prune() keeps the unknown members of the items of a list that keeps them, and not those of their members", () => {
  const inner: StructuralSchema = { type: "object", properties: { k: { type: "string" } } };
  const list = (items: StructuralSchema): StructuralSchema => ({ type: "array", items, "x-kubernetes-preserve-unknown-fields": true });
  const items: StructuralSchema = { type: "object", properties: { k: { type: "string" }, inner } };
  const schema: StructuralSchema = { type: "object", properties: { flat: list(items), nested: list({ type: "array", items }) } };
  const item = { inner: { k: "1", u: 2 }, k: "1", n: { x: [{ y: 1 }] }, u: 2 };
  const kept = { inner: { k: "1" }, k: "1", n: { x: [{ y: 1 }] }, u: 2 };
  assert.deepEqual(pruneValue({ flat: [item], nested: [[item], []] }, schema, plain), { flat: [kept], nested: [[kept], []] });
});

test("prune() removes nulls of members that may not be null and have no default", () => {
  const schema: StructuralSchema = {
    type: "object",
    properties: {
      gone: { type: "string" },
      kept: { type: "string", nullable: true },
      later: { type: "string", default: "d" },
      list: { type: "array", items: { type: "string" } },
    },
  };
  const result = pruneValue({ gone: null, kept: null, later: null, list: [null] }, schema, plain);
  assert.deepEqual(result, { kept: null, later: null, list: [null] });
  assert.deepEqual(withDefaults(result, schema), { kept: null, later: "d", list: [null] });
});

test("withDefaults() fills objects that are there, also those of defaults, and never makes a parent", () => {
  const inner: StructuralSchema = { type: "object", properties: { size: { type: "integer", default: 3 }, name: { type: "string" } } };
  const schema: StructuralSchema = {
    type: "object",
    properties: {
      made: { ...inner, default: { name: "n" } },
      parent: inner,
      map: { type: "object", additionalProperties: inner },
      list: { type: "array", items: inner },
    },
  };
  assert.deepEqual(withDefaults({}, schema), { made: { name: "n", size: 3 } });
  assert.deepEqual(withDefaults({ list: [{}, { size: 1 }], made: {}, map: { a: {} } }, schema), {
    list: [{ size: 3 }, { size: 1 }],
    made: { size: 3 },
    map: { a: { size: 3 } },
  });
  const whole = { made: { size: 1 } };
  assert.equal(withDefaults(whole, schema), whole, "the same value if nothing changes");
  assert.equal(hasDefaults({ type: "object", properties: { a: { type: "string" } } }), false);
});

/** The schema of a kind whose members are structural, as custom resources have it. */
function kind(properties: Record<string, StructuralSchema>, rest?: StructuralSchema): Typed<any, StructNode> {
  const fields = Object.fromEntries(
    Object.entries(properties).map(([key, schema]) => [key, field(0, structural(schema), "", { pointer: true })]),
  );
  const node = object("Thing", fields);
  return rest === undefined ? node : { ...node, rest: structural(rest) };
}
function readThing(node: Typed<any, StructNode>, text: string): { readonly value: any; readonly findings: readonly string[] } {
  const read = readJson(new TextEncoder().encode(text));
  assert(read.ok);
  const findings: string[] = [];
  return { value: decoder(node)(read.tree, { reader: "json", findings }), findings };
}

test("structural members are decoded, reported and encoded with sorted names", () => {
  const node = kind({ spec: { type: "object", properties: { b: { type: "string" }, a: { type: "string", nullable: true } } } });
  const { value, findings } = readThing(
    node,
    '{"kind":"Thing","apiVersion":"x/v1","metadata":{"name":"n","odd":1},"spec":{"z":1,"b":"1","b":"2","a":null},"other":1}',
  );
  assert.deepEqual(findings, [
    'unknown field "metadata.odd"',
    'duplicate field "spec.b"',
    'unknown field "spec.z"',
    'unknown field "other"',
  ]);
  assert.equal(
    encoder(node)(value),
    '{"kind":"Thing","apiVersion":"x/v1","metadata":{"name":"n"},"spec":{"a":null,"b":"2"}}',
  );
});

test("a kind with other members keeps them, and an embedded resource has the members of ObjectMeta", () => {
  const node = kind({}, { "x-kubernetes-preserve-unknown-fields": true });
  const text = '{"kind":"Thing","apiVersion":"x/v1","metadata":{"name":"n"},"10":1,"2":{"b":1,"a":{}},"z":[]}';
  assert.equal(encoder(node)(readThing(node, text).value), text.replace('{"b":1,"a":{}}', '{"a":{},"b":1}'));
  const template = kind({ template: { type: "object", "x-kubernetes-embedded-resource": true, properties: {} } });
  const { value, findings } = readThing(
    template,
    '{"metadata":{},"template":{"kind":"K","apiVersion":"v1","metadata":{"name":"a","odd":1,"labels":{}},"more":1}}',
  );
  assert.deepEqual(value.template, { apiVersion: "v1", kind: "K", metadata: { name: "a" } });
  assert.deepEqual(findings, ['unknown field "template.metadata.odd"', 'unknown field "template.more"']);
});

test("publish() leaves out of version 2 what kubectl cannot read", () => {
  const schema: StructuralSchema = {
    type: "object",
    required: ["a", "b"],
    properties: {
      a: { type: "string", nullable: true },
      b: { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] },
      c: { type: "object", "x-kubernetes-preserve-unknown-fields": true, properties: { d: { type: "string" } } },
    },
  };
  assert.deepEqual(publish(schema, { version: "v2", embedded: {} }), {
    properties: { a: {}, b: { "x-kubernetes-int-or-string": true }, c: { "x-kubernetes-preserve-unknown-fields": true } },
    required: ["b"],
    type: "object",
  });
  assert.deepEqual(publish(schema, { version: "v3", embedded: {} })["required"], ["a", "b"]);
});

test("publish() names the types of an integer or a string in version 3 unless the schema does", () => {
  const pair = [{ type: "integer" }, { type: "string" }], intOrString = { "x-kubernetes-int-or-string": true } as const;
  const made = (schema: StructuralSchema) => publish(schema, { version: "v3", embedded: {} });
  assert.deepEqual(made(intOrString), { ...intOrString, anyOf: pair });
  assert.deepEqual(made({ ...intOrString, anyOf: pair }), { ...intOrString, anyOf: pair });
  assert.deepEqual(made({ ...intOrString, allOf: [{ anyOf: pair }] }), { ...intOrString, allOf: [{ anyOf: pair }] });
  assert.deepEqual(made({ ...intOrString, anyOf: [{ maximum: 1 }] }), {
    ...intOrString,
    anyOf: [{ maximum: 1 }],
    allOf: [{ anyOf: pair }],
  });
});

test("publish() requires kind and apiVersion of embedded resources, where they are properties", () => {
  const schema: StructuralSchema = { type: "object", "x-kubernetes-embedded-resource": true, required: ["kind", "spec"] };
  const required = (version: "v2" | "v3", kept: StructuralSchema = {}) =>
    publish({ ...schema, ...kept }, { version, embedded: { kind: { type: "string" } } })["required"];
  assert.deepEqual(required("v2"), ["kind", "spec", "apiVersion"]);
  assert.deepEqual(required("v3"), ["kind", "spec", "apiVersion"]);
  assert.deepEqual(required("v2", { "x-kubernetes-preserve-unknown-fields": true }), ["kind", "spec"]);
});
