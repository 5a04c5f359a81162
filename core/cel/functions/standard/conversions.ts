/** Conversions between types, `type` and `dyn`. */
import type { FunctionDeclaration } from "../../declarations.ts";
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  stringType,
  timestampType,
  typeOf,
  uintType,
} from "../../types.ts";
import { overload, parameterA } from "./overload.ts";

export const conversions: readonly FunctionDeclaration[] = [
  { name: "type", overloads: [overload("type", [parameterA], typeOf(parameterA))] },
  {
    name: "bool",
    overloads: [overload("bool_to_bool", [boolType], boolType), overload("string_to_bool", [stringType], boolType)],
  },
  {
    name: "bytes",
    overloads: [overload("bytes_to_bytes", [bytesType], bytesType), overload("string_to_bytes", [stringType], bytesType)],
  },
  {
    name: "double",
    overloads: [
      overload("double_to_double", [doubleType], doubleType),
      overload("int64_to_double", [intType], doubleType),
      overload("string_to_double", [stringType], doubleType),
      overload("uint64_to_double", [uintType], doubleType),
    ],
  },
  {
    name: "duration",
    overloads: [
      overload("duration_to_duration", [durationType], durationType),
      overload("int64_to_duration", [intType], durationType),
      overload("string_to_duration", [stringType], durationType),
    ],
  },
  { name: "dyn", overloads: [overload("to_dyn", [parameterA], dynType)] },
  {
    name: "int",
    overloads: [
      overload("int64_to_int64", [intType], intType),
      overload("double_to_int64", [doubleType], intType),
      overload("duration_to_int64", [durationType], intType),
      overload("string_to_int64", [stringType], intType),
      overload("timestamp_to_int64", [timestampType], intType),
      overload("uint64_to_int64", [uintType], intType),
    ],
  },
  {
    name: "string",
    overloads: [
      overload("string_to_string", [stringType], stringType),
      overload("bool_to_string", [boolType], stringType),
      overload("bytes_to_string", [bytesType], stringType),
      overload("double_to_string", [doubleType], stringType),
      overload("duration_to_string", [durationType], stringType),
      overload("int64_to_string", [intType], stringType),
      overload("timestamp_to_string", [timestampType], stringType),
      overload("uint64_to_string", [uintType], stringType),
    ],
  },
  {
    name: "timestamp",
    overloads: [
      overload("timestamp_to_timestamp", [timestampType], timestampType),
      overload("int64_to_timestamp", [intType], timestampType),
      overload("string_to_timestamp", [stringType], timestampType),
    ],
  },
  {
    name: "uint",
    overloads: [
      overload("uint64_to_uint64", [uintType], uintType),
      overload("double_to_uint64", [doubleType], uintType),
      overload("int64_to_uint64", [intType], uintType),
      overload("string_to_uint64", [stringType], uintType),
    ],
  },
];
