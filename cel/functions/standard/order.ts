/** Implements `< <= > >=`. Numbers of different types are compared by value. */
import { operators } from "../../ast.ts";
import type { FunctionDeclaration, Overload } from "../../declarations.ts";
import { boolType, bytesType, doubleType, durationType, intType, stringType, timestampType, type Type, uintType } from "../../types.ts";
import { CelError, type Value } from "../../values.ts";
import { compare, isOrdered } from "../../value/order.ts";
import { standardCost } from "./costs.ts";
import { notSupported } from "./errors.ts";
import { overload } from "./overload.ts";

/** The ends of overload ids with the types of the operands, in upstream's order. */
const operands: readonly (readonly [string, Type, Type])[] = [
  ["bool", boolType, boolType],
  ["int64", intType, intType],
  ["int64_double", intType, doubleType],
  ["int64_uint64", intType, uintType],
  ["uint64", uintType, uintType],
  ["uint64_double", uintType, doubleType],
  ["uint64_int64", uintType, intType],
  ["double", doubleType, doubleType],
  ["double_int64", doubleType, intType],
  ["double_uint64", doubleType, uintType],
  ["string", stringType, stringType],
  ["bytes", bytesType, bytesType],
  ["timestamp", timestampType, timestampType],
  ["duration", durationType, durationType],
];

/** Whether the result of a comparison, -1, 0 or 1, makes the operator true. */
type Holds = (order: number) => boolean;

function comparison(name: string, prefix: string, holds: Holds): FunctionDeclaration {
  const overloads = operands.map(([end, left, right]): Overload => overload(`${prefix}_${end}`, [left, right], boolType));
  const call = (left: Value, right: Value): Value => {
    if (!isOrdered(left)) return notSupported(name, left);
    const order = compare(left, right);
    return order instanceof CelError ? order : holds(order);
  };
  return { name, overloads, call, cost: standardCost };
}

export const order: readonly FunctionDeclaration[] = [
  comparison(operators.less, "less", (order) => order < 0),
  comparison(operators.lessEquals, "less_equals", (order) => order <= 0),
  comparison(operators.greater, "greater", (order) => order > 0),
  comparison(operators.greaterEquals, "greater_equals", (order) => order >= 0),
];
