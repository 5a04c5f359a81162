import assert from "node:assert/strict";
import { test } from "node:test";
import { environment } from "../environment.ts";
import { boolType } from "../types.ts";
import { CelError } from "../values.ts";
import { PolicyCompiler } from "./policy.ts";

const options = { hasParams: false, hasAuthorizer: false, hasPatchTypes: false };
const nothing = { object: null, oldObject: null, request: null, namespaceObject: null };

test("variables are evaluated once, and their cost is part of the first expression that needs them", () => {
  const compiler = new PolicyCompiler(environment(), options);
  compiler.declare("a", "[1, 2, 3].map(x, x * 2)");
  const { program } = compiler.compile("variables.a.size() == 3", [boolType]);
  assert.ok(program !== undefined);
  const activation = compiler.activate(nothing);
  const first = activation.evaluate(program), second = activation.evaluate(program);
  assert.equal(first.value, true);
  assert.ok(first.cost > second.cost);
  assert.equal(activation.evaluate(program, 1).isExhausted, true);
});

test("a variable that does not compile fails where it is used", () => {
  const compiler = new PolicyCompiler(environment(), options);
  assert.match(compiler.declare("a", "nothing").error ?? "", /^compilation failed/);
  const { program } = compiler.compile("variables.a == 1", [boolType]);
  const { value } = compiler.activate(nothing).evaluate(program!);
  assert.ok(value instanceof CelError);
  assert.match(value.message, /^composited variable "a" fails to compile: compilation failed/);
});

test("results have one of the types that are expected", () => {
  const compiler = new PolicyCompiler(environment(), options);
  assert.equal(compiler.compile("1", [boolType]).error, "must evaluate to bool but got int");
});
