/** `&&`, `||`, `!`, the conditional, and equality. The evaluator has its own forms of all but `!`. */
import { operators } from "../../ast.ts";
import type { FunctionDeclaration } from "../../declarations.ts";
import { boolType } from "../../types.ts";
import { overload, parameterA } from "./overload.ts";

const two = [boolType, boolType];

export const logic: readonly FunctionDeclaration[] = [
  {
    name: operators.conditional,
    overloads: [{ ...overload("conditional", [boolType, parameterA, parameterA], parameterA), nonStrict: true }],
  },
  { name: operators.and, overloads: [{ ...overload("logical_and", two, boolType), nonStrict: true }] },
  { name: operators.or, overloads: [{ ...overload("logical_or", two, boolType), nonStrict: true }] },
  { name: operators.not, overloads: [overload("logical_not", [boolType], boolType)] },
  {
    name: operators.notStrictlyFalse,
    overloads: [{ ...overload("not_strictly_false", [boolType], boolType), nonStrict: true }],
  },
  { name: operators.equals, overloads: [overload("equals", [parameterA, parameterA], boolType)] },
  { name: operators.notEquals, overloads: [overload("not_equals", [parameterA, parameterA], boolType)] },
];
