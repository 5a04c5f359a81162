import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApiObject, JsonObject } from "../../../plugin.ts";
import type { AdmissionForm } from "../../../toolbox.ts";
import { field, int32, list, mapBy, object, StatusError, string, struct } from "../../../plugin.ts";
import type { StructNode, Typed } from "../../../toolbox.ts";
import { decoder } from "../../../core/derive/decode.ts";
import { encoder } from "../../../core/derive/encode.ts";
import { PolicyCompiler } from "../../../cel/policy/policy.ts";
import { ListValue, type Value } from "../../../cel/values.ts";
import { mutationLengthMax } from "../../../cel/mutation/json.ts";
import { JsonPatchValue } from "../../../cel/mutation/types.ts";
import { Budget } from "../../../core/budget.ts";
import { jsonPatchOperationsMax } from "../../../core/patch/json-patch.ts";
import { tooLargeError } from "../../../core/status-error.ts";
import { readJson } from "../../../core/tree/json.ts";
import { plainJson } from "../../../core/tree/plain-json.ts";
import { results } from "../validate/expressions.ts";
import { storedExpressions } from "../../../cel/schema/environments.ts";
import { MutationError, withConfiguration, withJsonPatch } from "./mutations.ts";

const Port = struct("Port", { name: field(1, string, "Name.", { required: true }), port: field(2, int32, "Number.") });
const Widget = object("Widget", {
  spec: field(
    2,
    struct("WidgetSpec", {
      size: field(1, int32, "Size."),
      ports: field(2, mapBy(["name"], Port), "Ports."),
      words: field(3, list(string), "Words."),
    }),
    "Specification.",
  ),
}, { package: "example/v1", doc: "A widget." });
const schema = Widget as Typed<ApiObject, StructNode>;

const text = encoder(schema);
const form: AdmissionForm = {
  group: "example.com",
  version: "v1",
  resource: "widgets",
  kind: { group: "example.com", version: "v1", kind: "Widget" },
  schema,
  text,
  json: (stored) => plainJson(text(stored)) as JsonObject,
  parse(source, _stored, findings = []) {
    const read = readJson(source);
    assert.ok(read.ok);
    return { ...decoder(schema)(read.tree, { reader: "json", findings }), kind: "Widget", apiVersion: "example.com/v1" };
  },
};
const widget = {
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { name: "w" },
  spec: { size: 1, ports: [{ name: "a", port: 1 }] },
};
const stored = form.parse(JSON.stringify(widget), widget);

const compiler = new PolicyCompiler(storedExpressions(), { hasParams: false, hasAuthorizer: false, hasPatchTypes: true });
function made(expression: string): Value {
  const types = expression.startsWith("[") ? results.jsonPatch : results.applyConfiguration;
  const { program, error } = compiler.compile(expression, types);
  assert.equal(error, undefined);
  const activation = compiler.activate({ object: form.json(stored), oldObject: null, request: null, namespaceObject: null });
  return activation.evaluate(program!).value;
}
const configured = (expression: string) => form.json(withConfiguration({ form, stored, json: form.json(stored) }, made(expression)));
const patched = (expression: string) => form.json(withJsonPatch({ form, stored }, made(expression)));

/** The error of a mutation, as the failure policy or the client sees it. */
function failure(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof MutationError) return error.message;
    if (error instanceof StatusError) return `${error.code} ${error.message}`;
    throw error;
  }
  return assert.fail("it was applied");
}

test("a configuration is merged by the keys of lists", () => {
  assert.deepEqual(
    configured("Object{spec: Object.spec{ports: [Object.spec.ports{name: 'b'}, Object.spec.ports{name: 'a', port: 2}]}}")["spec"],
    {
      size: 1,
      ports: [{ name: "b" }, { name: "a", port: 2 }],
    },
  );
  const same = withConfiguration({ form, stored, json: form.json(stored) }, made("Object{spec: Object.spec{size: object.spec.size}}"));
  assert.equal(same, stored);
});

test("a configuration that cannot be merged fails with upstream's words", () => {
  const untyped = "error applying patch: failed to convert patch object to typed object: ";
  const cases = {
    "Object{spec: Object.spec{nope: 1}}": `${untyped}.spec.nope: field not declared in schema`,
    "Object{spec: Object.spec{size: 'x'}}": `${untyped}.spec.size: expected numeric (int or float), got string`,
    "Object{spec: Object.spec{size: null}}": `${untyped}.spec.size: expected numeric (int or float), got structpb.NullValue`,
    "Object{spec: Object.spec{words: ['a']}}":
      "error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.words",
    "Object{spec: Object.metadata{size: 1}}":
      'type mismatch: unexpected type name "Object.metadata", expected "Object.spec", which matches field name path from root Object type',
    "Object{spec: Object.spec{size: 1.5}}":
      "unable to convert unstructured object to example.com/v1, Kind=Widget: cannot convert float64 to int32",
    "Object{metadata: Object.metadata{labels: {1: 'a'}}}": "invalid return type: *dynamic.ObjectVal",
  };
  for (const [expression, message] of Object.entries(cases)) assert.equal(failure(() => configured(expression)), message, expression);
});

class Patch extends ListValue {
  readonly size: number;
  readonly #operation: Value;
  /** The same operation again and again. */
  constructor(size: number, op: string, from: string, path: string, value?: Value) {
    super();
    this.size = size;
    this.#operation = new JsonPatchValue({ op, from, path }, value);
  }
  at(): Value {
    return this.#operation;
  }
}

test("what exceeds a bound is no failure of the policy: it rejects the request with 413", () => {
  const patched = (patch: Value) => failure(() => withJsonPatch({ form, stored }, patch));
  const budget = new Budget(100, () => tooLargeError("steps"));
  assert.equal(budget.run(() => patched(new Patch(2, "copy", "/spec", "/spec/x"))), "413 Request entity too large: steps");
  const doubling = new Patch(30, "copy", "/spec/ports", "/spec/ports/-"),
    tests = new Patch(jsonPatchOperationsMax + 1, "test", "", "/kind", "Widget");
  assert.match(patched(doubling), /^413 Request entity too large: JSON Patch: .*number of values of copies exceeds the limit/);
  assert.match(patched(tests), /^413 Request entity too large: JSON Patch: the allowed maximum operations in a JSON patch is/);
  const long = new Patch(4, "add", "", "/spec/x", "x".repeat(mutationLengthMax / 4));
  assert.match(patched(long), /^413 Request entity too large: the mutation or its result is larger than/);
});

test("a JSON patch is decoded strictly, and its kind stays", () => {
  const patch = (op: string, path: string, value = "1") => `[JSONPatch{op: '${op}', path: '${path}', value: ${value}}]`;
  assert.deepEqual(patched(patch("add", "/spec/words", "['a']"))["spec"], { size: 1, ports: [{ name: "a", port: 1 }], words: ["a"] });
  assert.deepEqual(patched(patch("remove", "/kind"))["kind"], "Widget");
  assert.equal(withJsonPatch({ form, stored }, made(patch("test", "/spec/size", "2"))), stored);
  const cases = {
    [patch("add", "/spec/\\u0001")]: "JSON Patch: add operation failed to decode path: missing value",
    [patch("add", "/spec/\u00e9")]: '500 Internal error occurred: strict decoding error: unknown field "spec.\u00e9"',
    [patch("dance", "/spec")]: "JSON Patch: Unexpected kind: dance",
    [patch("remove", "/spec/words")]:
      "JSON Patch: error in remove for path: '/spec/words': Unable to remove nonexistent key: words: missing value",
    [patch("add", "/nope")]: '500 Internal error occurred: strict decoding error: unknown field "nope"',
    [patch("add", "/spec/size", "'x'")]:
      "500 Internal error occurred: json: cannot unmarshal string into Go struct field WidgetSpec.spec.size of type int32",
    [patch("replace", "/kind", "'Other'")]:
      '500 Internal error occurred: no kind "Other" is registered for version "example.com/v1" in scheme "pkg/api/legacyscheme/scheme.go:30"',
    [patch("add", "/spec", "Object.spec{ports: [null]}")]:
      "JSONPath valueExpression evaluated to a type that could not marshal to JSON: proto: invalid type: structpb.NullValue",
    [patch("add", "/spec", "Object.spec{ports: Object.nope{a: 1}}")]:
      'type mismatch: unexpected type name "Object.nope", expected "Object.spec.ports", which matches field name path from root Object type',
  };
  for (const [expression, message] of Object.entries(cases)) assert.equal(failure(() => patched(expression)), message, expression);
});
