import assert from "node:assert/strict";
import { test } from "node:test";
import type { Expr } from "../ast.ts";
import { environment } from "../environment.ts";
import { ArrayList } from "../value/collections.ts";
import { jsonOfValue, valueOfJson } from "../value/json.ts";
import { CelError, OptionalValue, type Value } from "../values.ts";
import { programOf } from "./program.ts";
import { all, call, checked, constant, evaluated, list, mapping, name, select } from "./test-expr.ts";

const object = valueOfJson({ a: { b: [10, 20] }, s: "text", n: null, t: true });
const variables: Record<string, Value> = { object, x: 3n };
const self = () => name("object");
const failing = () => call("_/_", "divide_int64", constant(1n), constant(0n));

function outcome(expr: Expr): readonly [unknown, number] {
  const { value, cost } = evaluated(expr, variables);
  if (value instanceof CelError) return [value.message, cost];
  return [value instanceof OptionalValue ? { optional: value.value } : jsonOfValue(value), cost];
}

test("evaluate() charges a variable, each selector, and an index that fails", () => {
  assert.deepEqual(outcome(self()), [{ a: { b: [10, 20] }, s: "text", n: null, t: true }, 1]);
  assert.deepEqual(outcome(select(select(self(), "a"), "b")), [[10, 20], 3]);
  assert.deepEqual(outcome(call("_[_]", "", select(select(self(), "a"), "b"), constant(1n))), [20, 4]);
  assert.deepEqual(outcome(call("_[_]", "", select(select(self(), "a"), "b"), constant(2n))), ["index out of bounds: 2", 4]);
  assert.deepEqual(outcome(select(select(self(), "z"), "b")), ["no such key: z", 2]);
  assert.deepEqual(outcome(select(self(), "n")), [null, 2]);
  assert.deepEqual(outcome(name("absent")), ["no such attribute(s): absent", 1]);
});

test("evaluate() does not charge the start of a chain that is a key or a branch", () => {
  assert.deepEqual(outcome(call("_[_]", "", select(select(self(), "a"), "b"), select(valueOf({ i: 1 }), "i"))), [20, 5]);
  assert.deepEqual(outcome(call("_?_:_", "conditional", select(self(), "t"), select(self(), "s"), name("x"))), ["text", 3]);
});
/** A map literal that is not constant. */
function valueOf(entries: Record<string, number>): Expr {
  return {
    tag: "map",
    id: 100_000,
    entries: Object.entries(entries).map(([key, value], index) => ({
      id: 100_001 + index,
      key: constant(key),
      value: constant(BigInt(value)),
      optional: false,
    })),
  };
}

test("evaluate() charges a presence test its selectors but no start", () => {
  assert.deepEqual(outcome(select(select(self(), "a"), "b", true)), [true, 2]);
  assert.deepEqual(outcome(select(self(), "z", true)), [false, 1]);
  assert.deepEqual(outcome(select(select(self(), "z"), "b", true)), ["no such key: z", 1]);
});

test("evaluate() charges optional selectors only where there is a value", () => {
  const optional = (operand: Expr, field: string) => call("_?._", "select_optional_field", operand, constant(field));
  assert.deepEqual(outcome(optional(self(), "s")), [{ optional: "text" }, 2]);
  assert.deepEqual(outcome(select(optional(self(), "z"), "y")), [{ optional: undefined }, 1]);
  assert.deepEqual(outcome(call("or", "optional_or_optional", optional(self(), "z"), optional(self(), "t"))), [
    "no such overload: or(optional_type, optional_type)",
    4,
  ]);
});

test("evaluate() absorbs errors of && and || where the other operand decides", () => {
  const and = (left: Expr, right: Expr) => call("_&&_", "logical_and", left, right);
  const or = (left: Expr, right: Expr) => call("_||_", "logical_or", left, right);
  assert.deepEqual(outcome(and(failing(), constant(false))), [false, 1]);
  assert.deepEqual(outcome(or(failing(), constant(true))), [true, 1]);
  assert.deepEqual(outcome(and(failing(), constant(true))), ["division by zero", 1]);
  assert.deepEqual(outcome(and(constant(false), failing())), [false, 0]);
  assert.deepEqual(outcome(or(name("x"), constant(false))), ["no such overload", 1]);
});

test("evaluate() computes constant literals, conversions and memberships before", () => {
  assert.deepEqual(outcome(list(constant(1n), list(constant(2n)))), [[1, [2]], 0]);
  assert.deepEqual(outcome(list(name("x"))), [[3], 11]);
  assert.deepEqual(outcome(call("@in", "in_list", name("x"), list(constant(3n), constant(4.0)))), [true, 1]);
  assert.deepEqual(outcome(call("@in", "in_list", name("x"), list())), [false, 0]);
  assert.deepEqual(outcome(call("int", "string_to_int64", constant("12"))), [12, 0]);
  assert.equal(
    programOf(checked(call("int", "string_to_int64", constant("x"))), environment()),
    "type conversion error from 'string' to 'int'",
  );
  assert.equal(
    programOf(checked(call("matches", "matches", constant("x"), constant("["))), environment()),
    "error parsing regexp: missing closing ]: `[`",
  );
});

test("evaluate() folds lists in linear work, and values of variables in order", () => {
  const range = valueOfJson(Array.from({ length: 5000 }, (_, index) => index));
  const doubled = mapping(name("range"), "x", call("_+_", "add_int64", name("x"), name("x")));
  const { value, cost } = evaluated(doubled, { range }, Infinity);
  const numbers = jsonOfValue(value);
  assert.ok(Array.isArray(numbers));
  assert.deepEqual([numbers.length, numbers[4999]], [5000, 9998]);
  // Per element: accumulator 1, two variables 2, sum 1, list 10, concatenation 1; the range and the result 1 each.
  assert.equal(cost, 5000 * 15 + 2);
});

test("evaluate() stops one unit past the limit of its cost", () => {
  const expr = call("_+_", "add_int64", name("x"), name("x"));
  assert.deepEqual(evaluated(expr, variables, 3), { value: 6n, cost: 3 });
  const stopped = evaluated(expr, variables, 2);
  assert.ok(stopped.value instanceof CelError);
  assert.deepEqual([stopped.value.message, stopped.cost, stopped.stopped], [
    "operation cancelled: actual cost limit exceeded",
    3,
    "cost",
  ]);
});

test("evaluate() stops cheap work that does not end", () => {
  const big = valueOfJson(Array.from({ length: 200_000 }, (_, index) => index));
  const same = valueOfJson(Array.from({ length: 200_000 }, (_, index) => index));
  const nested = valueOfJson({ l: [[]] });
  const pair = list(list(name("big")), list(name("same")));
  const equal = call("_==_", "equals", call("_[_]", "", pair, constant(0n)), call("_[_]", "", pair, constant(1n)));
  const { value, stopped, cost } = evaluated(all(name("big"), "x", equal), { big, same, nested });
  assert.ok(value instanceof CelError);
  assert.deepEqual([value.message, stopped], ["operation interrupted", "work"]);
  assert.ok(cost < 1_000_000);
});

test("evaluate() compares values of any depth", () => {
  const deep = (levels: number): Value => {
    let json: readonly unknown[] = [];
    for (let level = 0; level < levels; level++) json = [json];
    return valueOfJson(json as never); // lists of lists are JSON
  };
  const isEqual = (a: Value, b: Value) => evaluated(call("_==_", "equals", name("a"), name("b")), { a, b }).value;
  assert.equal(isEqual(deep(200_000), deep(200_000)), true);
  assert.equal(isEqual(deep(200_000), deep(200_001)), false);
});

test("evaluate() stops a comparison that is too deep for the stack", () => {
  const deep = (): Value => {
    let list: Value = new ArrayList([]);
    for (let level = 0; level < 200_000; level++) list = new ArrayList([list]);
    return list;
  };
  const { value, stopped } = evaluated(call("_==_", "equals", name("a"), name("b")), { a: deep(), b: deep() });
  assert.ok(value instanceof CelError);
  assert.equal(stopped, "work");
});

test("a program has no state: it can be evaluated within its own evaluation", () => {
  const program = programOf(checked(mapping(name("range"), "x", name("y"))), environment());
  assert.ok(typeof program !== "string");
  const range = valueOfJson([1, 2]);
  const inner = () => program.evaluate((name) => name === "range" ? range : 7n).value;
  const { value } = program.evaluate((name) => name === "range" ? range : inner());
  assert.deepEqual(jsonOfValue(value), [[7, 7], [7, 7]]);
});
