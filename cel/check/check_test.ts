import assert from "node:assert/strict";
import { test } from "node:test";
import { type Expr, operators } from "../ast.ts";
import { environment } from "../environment.ts";
import { boolType, dynType, intType, listType, mapType, parameterType, stringType, type Type } from "../types.ts";
import { check } from "./check.ts";
import { Substitutions } from "./substitutions.ts";
import { typeText } from "./type-text.ts";

let id = 0;
const constant = (value: string | bigint | boolean | null): Expr => ({ tag: "constant", id: ++id, value });
const name = (text: string): Expr => ({ tag: "identifier", id: ++id, name: text });
const call = (name: string, ...args: Expr[]): Expr => ({ tag: "call", id: ++id, target: undefined, function: name, args });
const list = (...elements: Expr[]): Expr => ({ tag: "list", id: ++id, elements, optional: [] });
const select = (operand: Expr, field: string): Expr => ({ tag: "select", id: ++id, operand, field, testOnly: false });

function checked(expr: Expr, variables: Readonly<Record<string, Type>> = {}): string {
  const env = environment({ variables: Object.entries(variables).map(([name, type]) => ({ name, type })) });
  const result = check({ expr, source: "", positions: new Map(), macroCalls: new Map() }, env);
  return result.ok ? typeText(result.checked.outputType) : result.issues.map(({ message }) => message).join("; ");
}

test("check() resolves overloads and their result types", () => {
  assert.equal(checked(call(operators.add, constant(1n), constant(2n))), "int");
  assert.equal(checked(call(operators.equals, constant(1n), constant(2n))), "bool");
  assert.equal(checked(list(constant("a"))), "list(string)");
  assert.equal(checked(list()), "list(dyn)");
  assert.equal(checked(call(operators.add, name("x"), constant(1n)), { x: dynType }), "int");
});

test("check() reports what does not fit, in upstream's words", () => {
  assert.equal(
    checked(call(operators.add, constant(1n), constant("a"))),
    "found no matching overload for '_+_' applied to '(int, string)'",
  );
  assert.equal(checked(name("y")), "undeclared reference to 'y' (in container '')");
  assert.equal(checked(select(name("x"), "f"), { x: intType }), "type 'int' does not support field selection");
  // Literals of mixed types are rejected after the check, because arguments of `format` may have them.
  assert.equal(checked(list(constant(1n), constant("a"))), "list(dyn)");
  assert.equal(checked(call(operators.and, constant(true), constant(1n))), "expected type 'bool' but found 'int'");
});

test("check() takes the name of a qualified variable before a selection", () => {
  assert.equal(checked(select(name("a"), "b"), { a: mapType(stringType, intType), "a.b": boolType }), "bool");
  assert.equal(checked(select(name("a"), "c"), { a: mapType(stringType, intType), "a.b": boolType }), "int");
});

test("Substitutions.isAssignable() takes back what a failed comparison has added", () => {
  const known = new Substitutions(), t = parameterType("T");
  assert.equal(known.areAssignable([intType, stringType], [t, t]), false);
  assert.equal(known.resolve(t, false), t);
  assert.equal(known.isAssignable(listType(intType), listType(t)), true);
  assert.equal(typeText(known.resolve(t, false)), "int");
});
