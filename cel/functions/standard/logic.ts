/** Implements `&&`, `||`, `!`, the conditional, and equality. The evaluator has its own forms of all but `!`. */
import { operators } from "../../ast.ts";
import type { FunctionDeclaration } from "../../declarations.ts";
import { boolType } from "../../types.ts";
import { equal } from "../../value/equal.ts";
import { comparisonCost } from "../../value/size.ts";
import { OpaqueValue, type Value } from "../../values.ts";
import { noOverload } from "./errors.ts";
import { overload, parameterA } from "./overload.ts";

const two = [boolType, boolType];

/** Computes `!value`. */
export function not(value: Value): Value {
  return typeof value === "boolean" ? !value : noOverload;
}

/** Computes `left != right`. */
export function notEqual(left: Value, right: Value): Value {
  return equal(left, right) !== true;
}

/** Returns the cost of `==`. An abstract value costs one unit; for `!=` it costs its size. */
export function equalsCost(left: Value, right: Value): number {
  return left instanceof OpaqueValue ? 1 : comparisonCost(left, right);
}

export const logic: readonly FunctionDeclaration[] = [
  {
    name: operators.conditional,
    overloads: [{ ...overload("conditional", [boolType, parameterA, parameterA], parameterA), nonStrict: true }],
  },
  { name: operators.and, overloads: [{ ...overload("logical_and", two, boolType), nonStrict: true }] },
  { name: operators.or, overloads: [{ ...overload("logical_or", two, boolType), nonStrict: true }] },
  { name: operators.not, overloads: [overload("logical_not", [boolType], boolType)], call: not },
  {
    name: operators.notStrictlyFalse,
    overloads: [{ ...overload("not_strictly_false", [boolType], boolType), nonStrict: true }],
    call: (value) => value !== false,
  },
  {
    name: operators.equals,
    overloads: [overload("equals", [parameterA, parameterA], boolType)],
    call: equal,
    cost: (_, args) => equalsCost(args[0]!, args[1]!),
  },
  {
    name: operators.notEquals,
    overloads: [overload("not_equals", [parameterA, parameterA], boolType)],
    call: notEqual,
    cost: (_, args) => comparisonCost(args[0]!, args[1]!),
  },
];
