/** `< <= > >=`. Numbers of different types are compared by value. */
import { operators } from "../../ast.ts";
import type { FunctionDeclaration, Overload } from "../../declarations.ts";
import { boolType, bytesType, doubleType, durationType, intType, stringType, timestampType, type Type, uintType } from "../../types.ts";
import { overload } from "./overload.ts";

/** Ends of overload ids with their operands, in upstream's order. */
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

function comparison(name: string, prefix: string): FunctionDeclaration {
  const overloads = operands.map(([end, left, right]): Overload => overload(`${prefix}_${end}`, [left, right], boolType));
  return { name, overloads };
}

export const order: readonly FunctionDeclaration[] = [
  comparison(operators.less, "less"),
  comparison(operators.lessEquals, "less_equals"),
  comparison(operators.greater, "greater"),
  comparison(operators.greaterEquals, "greater_equals"),
];
