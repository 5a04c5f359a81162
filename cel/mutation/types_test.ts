import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../compile.ts";
import { environment, libraries } from "../environment.ts";
import { jsonPatchLibrary } from "../functions/json-patch.ts";
import { CelError, ListValue, type Value } from "../values.ts";
import { constructMutation, JsonPatchValue, mutationTypes, objectJson, PatchObject, typeNameMistakes } from "./types.ts";

const env = environment({
  version: 34,
  libraries: [...libraries, jsonPatchLibrary],
  types: mutationTypes,
  construct: constructMutation,
});

function evaluated(text: string): Value {
  const compiled = compile(text, env);
  assert.equal(compiled.tag, "program", text);
  return compiled.tag === "program" ? compiled.program.evaluate(() => undefined).value : null;
}
/** The JSON of a constructed object, or the error. */
function json(text: string): unknown {
  const value = evaluated(text);
  assert.ok(value instanceof PatchObject, text);
  const made = objectJson(value);
  return made instanceof CelError ? made.message : made;
}

test("Object{} and its parts have any fields", () => {
  assert.deepEqual(json("Object{spec: Object.spec{replicas: 5, l: [1, 2], m: {'a': 1}}}"), {
    spec: { replicas: 5, l: [1, 2], m: { a: 1 } },
  });
  assert.deepEqual(json("Object{?spec: optional.none()}"), {});
  assert.deepEqual(json("Object{d: duration('1s'), t: timestamp(0), n: null, b: b'abc', u: 5u, q: quantity('1'), l: []}"), {
    d: 1_000_000_000,
    t: "1970-01-01T00:00:00Z",
    n: 0,
    b: "YWJj",
    u: 5,
    q: "1",
    l: null,
  });
  assert.deepEqual(json("Object{spec: Object.spec{m: {1: 2}}}"), { spec: {} });
  assert.equal(json("Object{l: [{'a': 1}]}"), "json: unsupported type: map[ref.Val]ref.Val");
  assert.equal(evaluated("Object{a: 1}.a"), 1n);
  assert.equal(evaluated("has(Object{a: 1}.b)"), false);
  assert.equal(evaluated("Object{a: [1]} == Object{a: [1]}"), true);
  assert.equal(evaluated("Object{a: 1} == Object{a: 2}"), false);
});

test("typeNameMistakes() finds objects that are not at the path of their type", () => {
  const mistakes = (text: string) => typeNameMistakes(evaluated(text));
  assert.deepEqual(mistakes("Object{spec: Object.spec{l: [Object.spec.l{a: 1}]}}"), []);
  assert.deepEqual(mistakes("Object{spec: Object.status{}}"), [
    'unexpected type name "Object.status", expected "Object.spec", which matches field name path from root Object type',
  ]);
  assert.equal(mistakes("Object{spec: Object.spec{l: [Object.spec.x{a: Object.a{}}]}}").length, 2);
});

test("JSONPatch{} has texts and a value", () => {
  const list = evaluated("[JSONPatch{op: 'add', path: '/metadata/labels/' + jsonpatch.escapeKey('a/b~c'), value: 'v'}]") as ListValue;
  const patch = list.at(0) as JsonPatchValue;
  assert.deepEqual([patch.op, patch.from, patch.path, patch.value], ["add", "", "/metadata/labels/a~1b~0c", "v"]);
  assert.equal(evaluated("JSONPatch{op: 'a', value: [1]}.value[0]"), 1n);
  assert.equal(evaluated("has(JSONPatch{op: 'add'}.value)"), false);
  assert.equal(evaluated("JSONPatch{op: 'add'} == JSONPatch{op: 'add', value: null}"), false);
  const wrong = evaluated("JSONPatch{op: dyn(5)}");
  assert.equal(wrong instanceof CelError && wrong.message, "unexpected type int64 for JSONPatchType 'op' field");
  const compiled = compile("JSONPatch{op: 5}", env);
  assert.deepEqual(compiled.tag === "issues" && compiled.issues.map(({ message }) => message), [
    "expected type of field 'op' is 'string' but provided type is 'int'",
  ]);
});
