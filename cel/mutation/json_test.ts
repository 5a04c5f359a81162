import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../compile.ts";
import { environment } from "../environment.ts";
import type { Json } from "../../core/schema.ts";
import { valueOfJson } from "../value/json.ts";
import { dynType } from "../types.ts";
import { CelError, type Value } from "../values.ts";
import { configurationJson, ForeignValue, mutationLengthMax, patchValueJson, TooLarge } from "./json.ts";
import { constructMutation, mutationTypes, PatchObject } from "./types.ts";

const env = environment({
  version: 34,
  variables: [{ name: "object", type: dynType }],
  types: mutationTypes,
  construct: constructMutation,
});

function evaluated(text: string, object: Json = null): Value {
  const compiled = compile(text, env);
  assert.equal(compiled.tag, "program", text);
  return compiled.tag === "program" ? compiled.program.evaluate(() => valueOfJson(object)).value : null;
}
function configuration(text: string, object?: Json): unknown {
  const value = evaluated(text, object);
  assert.ok(value instanceof PatchObject, text);
  return shown(configurationJson(value));
}
function shown(json: unknown): unknown {
  if (json instanceof CelError) return json.message;
  return json instanceof ForeignValue ? [json.path, json.syntax, json.text, json.type] : json;
}

test("a configuration has the JSON of its fields; values of the request are shared", () => {
  const object = { spec: { list: [{ a: [1, null] }], map: { b: { c: 1.5 } } } };
  const made = configuration(
    "Object{a: 1, b: 'x', c: [dyn(1), dyn(2.5), dyn(true)], d: {'e': Object.d{f: 1}}, g: object.spec, h: []}",
    object,
  ) as {
    g: unknown;
  };
  assert.deepEqual(made, { a: 1, b: "x", c: [1, 2.5, true], d: { e: { f: 1 } }, g: object.spec, h: [] });
  assert.equal(made.g, object.spec);
  assert.deepEqual(configuration("Object{a: optional.of('x'), b: string}"), { a: "x", b: "string" });
});

test("values that upstream cannot use in a configuration are found with their place", () => {
  assert.deepEqual(configuration("Object{metadata: Object.metadata{finalizers: [['a']]}}"), [
    ["metadata", "finalizers", 0],
    '[]ref.Val{"a"}',
    '["a"]',
    "[]ref.Val",
  ]);
  assert.deepEqual(configuration("Object{data: {'a': {'b': 1}}}"), [
    ["data", "a"],
    'map[ref.Val]ref.Val{"b":1}',
    'map["b":1]',
    "map[ref.Val]ref.Val",
  ]);
  assert.deepEqual(configuration("Object{data: null}"), [["data"], "0", "NULL_VALUE", "structpb.NullValue"]);
  assert.deepEqual(configuration("Object{a: quantity('5Gi')}"), [["a"], '"5Gi"', "5Gi", "resource.Quantity"]);
  assert.deepEqual(configuration("Object{a: 7u}"), [["a"], "0x7", "7", "uint64"]);
  assert.deepEqual(configuration("Object{a: b'abc'}"), [["a"], "[]uint8{0x61, 0x62, 0x63}", "[97 98 99]", "[]uint8"]);
  assert.deepEqual(configuration("Object{a: timestamp('2020-01-01T00:00:00Z')}"), [
    ["a"],
    "2020-01-01T00:00:00Z",
    "2020-01-01 00:00:00 +0000 UTC",
    "time.Time",
  ]);
  assert.equal(configuration("Object{data: {1: 'x'}}"), "unsupported type conversion from 'int' to string");
});

test("the value of an operation has the JSON of any value", () => {
  const json = (text: string, object?: Json) => shown(patchValueJson(evaluated(text, object)));
  assert.deepEqual(json("[dyn({'a': [dyn(1), dyn(null), dyn({'b': b'abc'})]}), dyn(Object.x{y: [1]}), dyn(duration('1s'))]"), [
    { a: [1, null, { b: "YWJj" }] },
    { y: [1] },
    "1s",
  ]);
  assert.deepEqual(json("object", { a: { b: [] } }), { a: { b: [] } });
  assert.equal(json("optional.of('x')"), "x");
  assert.match(String(json("1.0 / 0.0")), /number_value: invalid \+Inf value$/);
  assert.equal(json("JSONPatch{op: 'add'}"), "cannot convert to native type: *structpb.Value");
  assert.equal(json("string"), "type conversion not supported for 'type'");
  assert.deepEqual(json("[Object{a: null}]"), [[0, "a"], "0", "NULL_VALUE", "structpb.NullValue"]);
  assert.deepEqual(json("Object{a: b'abc', b: 7u}"), { a: "YWJj", b: 7 });
});

test("much JSON is not made, even of values that are shared", () => {
  const long = "x".repeat(mutationLengthMax / 4);
  assert.ok(patchValueJson(evaluated("[object.a, object.a, object.a]", { a: [long] })) instanceof Array);
  assert.ok(patchValueJson(evaluated("[object.a, object.a, object.a, object.a]", { a: [long] })) instanceof TooLarge);
  assert.ok(patchValueJson(evaluated("[object.a, object.a, object.a, object.a]", { a: long })) instanceof TooLarge);
  const made = evaluated("Object{a: object.a, b: object.a, c: object.a, d: object.a}", { a: { a: long } });
  assert.ok(made instanceof PatchObject && configurationJson(made) instanceof TooLarge);
});
