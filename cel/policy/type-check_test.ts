import assert from "node:assert/strict";
import { test } from "node:test";
import type { StructuralSchema } from "../../core/structural-schema.ts";
import { environment } from "../environment.ts";
import { PolicyTypeChecker } from "./type-check.ts";

const schema: StructuralSchema = {
  type: "object",
  properties: { spec: { type: "object", properties: { count: { type: "integer" }, name: { type: "string" } } } },
};
const parameters: StructuralSchema = { type: "object", properties: { max: { type: "integer" } } };
const checkerOf = (object: StructuralSchema | undefined = schema, params?: StructuralSchema) =>
  new PolicyTypeChecker(environment(), { kind: "Thing", schema: object }, params && { kind: "Limit", schema: params });

test("expressions are checked against the types of the object, with the place of each mistake", () => {
  const checker = checkerOf();
  assert.equal(checker.check("object.spec.count > 1 && oldObject.metadata.name == ''"), undefined);
  assert.equal(
    checker.check("object.spec.size > 1"),
    "ERROR: <input>:1:12: undefined field 'size'\n | object.spec.size > 1\n | ...........^",
  );
  assert.match(checker.check("object.spec.count == 'x'") ?? "", /applied to '\(int, string\)'/);
  // Any type of result is allowed.
  assert.equal(checker.check("object.spec.name"), undefined);
});

test("variables have the types of their expressions; objects and mistakes are dynamic", () => {
  const checker = checkerOf();
  checker.declare("count", "object.spec.count");
  checker.declare("spec", "object.spec");
  checker.declare("bad", "object.nothing");
  assert.match(checker.check("variables.count == 'x'") ?? "", /applied to '\(int, string\)'/);
  assert.equal(checker.check("variables.spec.anything && variables.bad == 1"), undefined);
  assert.match(checker.check("variables.other") ?? "", /undefined field 'other'/);
});

test("parameters have the types of their kind; without a kind there are none", () => {
  const checker = checkerOf(schema, parameters);
  assert.equal(checker.check("object.spec.count < params.max"), undefined);
  assert.match(checker.check("params.min == 1") ?? "", /undefined field 'min'/);
  assert.match(checkerOf().check("params.max == 1") ?? "", /undeclared reference to 'params'/);
});

test("without a type the object is dynamic", () => {
  assert.equal(checkerOf({}).check("object.a.b.c == 1"), undefined);
});

test("request, namespaceObject and authorizer have types", () => {
  const checker = checkerOf();
  assert.match(checker.check("request.nothing == 1") ?? "", /undefined field 'nothing'/);
  assert.match(checker.check("namespaceObject.data == 1") ?? "", /undefined field 'data'/);
  assert.equal(checker.check("authorizer.group('').resource('pods').check('get').allowed()"), undefined);
});
