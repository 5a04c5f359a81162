/** `+ - * / %` and unary minus. */
import { operators } from "../../ast.ts";
import type { FunctionDeclaration } from "../../declarations.ts";
import { bytesType, doubleType, durationType, intType, stringType, timestampType, uintType } from "../../types.ts";
import { listOfA, overload } from "./overload.ts";

const bytes = [bytesType, bytesType];
const doubles = [doubleType, doubleType];
const durations = [durationType, durationType];
const ints = [intType, intType];
const strings = [stringType, stringType];
const uints = [uintType, uintType];

export const arithmetic: readonly FunctionDeclaration[] = [
  {
    name: operators.add,
    overloads: [
      overload("add_bytes", bytes, bytesType),
      overload("add_double", doubles, doubleType),
      overload("add_duration_duration", durations, durationType),
      overload("add_duration_timestamp", [durationType, timestampType], timestampType),
      overload("add_timestamp_duration", [timestampType, durationType], timestampType),
      overload("add_int64", ints, intType),
      overload("add_list", [listOfA, listOfA], listOfA),
      overload("add_string", strings, stringType),
      overload("add_uint64", uints, uintType),
    ],
  },
  {
    name: operators.divide,
    overloads: [
      overload("divide_double", doubles, doubleType),
      overload("divide_int64", ints, intType),
      overload("divide_uint64", uints, uintType),
    ],
  },
  {
    name: operators.modulo,
    overloads: [overload("modulo_int64", ints, intType), overload("modulo_uint64", uints, uintType)],
  },
  {
    name: operators.multiply,
    overloads: [
      overload("multiply_double", doubles, doubleType),
      overload("multiply_int64", ints, intType),
      overload("multiply_uint64", uints, uintType),
    ],
  },
  {
    name: operators.negate,
    overloads: [overload("negate_double", [doubleType], doubleType), overload("negate_int64", [intType], intType)],
  },
  {
    name: operators.subtract,
    overloads: [
      overload("subtract_double", doubles, doubleType),
      overload("subtract_duration_duration", durations, durationType),
      overload("subtract_int64", ints, intType),
      overload("subtract_timestamp_duration", [timestampType, durationType], timestampType),
      overload("subtract_timestamp_timestamp", [timestampType, timestampType], durationType),
      overload("subtract_uint64", uints, uintType),
    ],
  },
];
