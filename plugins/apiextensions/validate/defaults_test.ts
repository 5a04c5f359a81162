import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldErrorText, type Json } from "../../../toolbox.ts";
import type { SchemaProps } from "../schema-props.ts";
import { hasUnprunedDefaults } from "./default-values.ts";
import { validateDefaults } from "./defaults.ts";

function errors(root: SchemaProps, requirePruned = true): readonly string[] {
  return validateDefaults(root, "root", { requirePruned, validateRules: () => [] }).map(fieldErrorText);
}
const inside = (schema: SchemaProps): SchemaProps => ({ type: "object", properties: { a: schema } });
const at = "root.properties[a].default";

test("a default is valid and has no unknown members", () => {
  assert.deepEqual(errors(inside({ type: "integer", default: 1 })), []);
  assert.deepEqual(errors(inside({ type: "integer", default: "x" })), [
    `${at}: Invalid value: "string":  in body must be of type integer: "string"`,
  ]);
  assert.deepEqual(errors(inside({ type: "array", items: { type: "integer" }, default: ["x"] })), [
    `${at}.[0]: Invalid value: "string": [0] in body must be of type integer: "string"`,
  ]);
  const object: SchemaProps = { type: "object", properties: { b: { type: "string" } } };
  assert.deepEqual(errors(inside({ ...object, default: { b: "x", c: 1 } })), [
    `${at}: Invalid value: {"b":"x","c":1}: must not have unknown fields`,
  ]);
  assert.deepEqual(errors(inside({ ...object, default: { c: 1 } }), false), []);
  assert.equal(hasUnprunedDefaults(inside({ ...object, default: { c: 1 } })), true);
  assert.equal(hasUnprunedDefaults(inside({ ...object, default: { b: null } })), false);
});

test("defaults of embedded resources have kind, version and readable metadata", () => {
  const embedded: SchemaProps = { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true };
  const of = (value: Json) => errors(inside({ ...embedded, default: value }));
  assert.deepEqual(of({ apiVersion: "v1", kind: "A", metadata: { name: "a" } }), []);
  assert.deepEqual(of({}), [`${at}.apiVersion: Required value`, `${at}.kind: Required value`]);
  assert.deepEqual(of({ apiVersion: 1, kind: "A" }), [`${at}.apiVersion: Invalid value: 1: must be a string`]);
  assert.deepEqual(of({ apiVersion: "v1", kind: "A", metadata: { labels: 1 } }), [
    `${at}.metadata: Invalid value: {"labels":1}: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type map[string]string`,
  ]);
});

test("a default in metadata is checked within its resource", () => {
  const name = (value: Json): SchemaProps =>
    inside({
      type: "object",
      "x-kubernetes-embedded-resource": true,
      properties: { metadata: { type: "object", properties: { name: { type: "string", default: value } } } },
    });
  assert.deepEqual(errors(name("a")), []);
  assert.deepEqual(errors(name("a/b")), [
    'root.properties[a].properties[metadata].properties[name].default: Invalid value: "a/b": must result in valid metadata: ' +
    "metadata.name: Invalid value: \"a/b\": may not contain '/'",
  ]);
});
