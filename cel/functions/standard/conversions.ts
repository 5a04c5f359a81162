/** Implements conversions between types, `type` and `dyn`. */
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
  type Type,
  typeOf,
  uintType,
} from "../../types.ts";
import { decodeUtf8, doubleOf, encodeUtf8, intOfText, uintOfText } from "../../value/parse.ts";
import { doubleText, intMax, isIntRange, isUintRange } from "../../value/numbers.ts";
import { durationJson } from "../../value/json.ts";
import { durationOf, isTimestampRange, timestampOf, timestampOverflow, timestampText } from "../../value/time.ts";
import { typeName, typeNameOf, typeOfValue } from "../../value/type.ts";
import { CelError, Duration, Timestamp, TypeValue, Uint, type Value } from "../../values.ts";
import { standardCost } from "./costs.ts";
import { overload, parameterA } from "./overload.ts";

// The casts below are safe, because calls have arguments of the types of their signatures.

const intOverflow = new CelError("integer overflow");
const uintOverflow = new CelError("unsigned integer overflow");

function identity(value: Value): Value {
  return value;
}
function conversionError(value: Value, to: Type): CelError {
  return new CelError(`type conversion error from '${typeNameOf(value)}' to '${typeName(to)}'`);
}

const trueTexts: readonly Value[] = ["1", "t", "T", "true", "TRUE", "True"];
const falseTexts: readonly Value[] = ["0", "f", "F", "false", "FALSE", "False"];
function boolOfText(text: Value): Value {
  return trueTexts.includes(text) || (falseTexts.includes(text) ? false : conversionError(text, boolType));
}

function intOfDouble(value: Value): Value {
  const double = value as number;
  return isIntRange(double) ? BigInt(Math.trunc(double)) : intOverflow;
}
function uintOfDouble(value: Value): Value {
  const double = value as number;
  return isUintRange(double) ? new Uint(BigInt(Math.trunc(double))) : uintOverflow;
}
function uintOfInt(value: Value): Value {
  const int = value as bigint;
  return int < 0n ? uintOverflow : new Uint(int);
}
function intOfUint(uint: Value): Value {
  const { value } = uint as Uint;
  return value > intMax ? intOverflow : value;
}
function uintOfString(text: Value): Value {
  const value = uintOfText(text as string);
  return value === undefined ? conversionError(text, uintType) : new Uint(value);
}
function timestampOfInt(value: Value): Value {
  const seconds = value as bigint;
  return isTimestampRange(seconds) ? new Timestamp(seconds, 0) : timestampOverflow;
}
function typeOfAny(value: Value): Value {
  return new TypeValue(typeOfValue(value));
}

export const conversions: readonly FunctionDeclaration[] = [
  { name: "type", overloads: [overload("type", [parameterA], typeOf(parameterA))], call: typeOfAny },
  {
    name: "bool",
    overloads: [overload("bool_to_bool", [boolType], boolType, identity), overload("string_to_bool", [stringType], boolType, boolOfText)],
  },
  {
    name: "bytes",
    overloads: [
      overload("bytes_to_bytes", [bytesType], bytesType, identity),
      overload("string_to_bytes", [stringType], bytesType, (text) => encodeUtf8(text as string)),
    ],
    cost: standardCost,
  },
  {
    name: "double",
    overloads: [
      overload("double_to_double", [doubleType], doubleType, identity),
      overload("int64_to_double", [intType], doubleType, (int) => Number(int as bigint)),
      overload("string_to_double", [stringType], doubleType, (text) => doubleOf(text as string) ?? conversionError(text, doubleType)),
      overload("uint64_to_double", [uintType], doubleType, (uint) => Number((uint as Uint).value)),
    ],
  },
  {
    name: "duration",
    overloads: [
      overload("duration_to_duration", [durationType], durationType, identity),
      overload("int64_to_duration", [intType], durationType, (int) => conversionError(int, durationType)),
      overload(
        "string_to_duration",
        [stringType],
        durationType,
        (text) => durationOf(text as string) ?? conversionError(text, durationType),
      ),
    ],
  },
  { name: "dyn", overloads: [overload("to_dyn", [parameterA], dynType)], call: identity },
  {
    name: "int",
    overloads: [
      overload("int64_to_int64", [intType], intType, identity),
      overload("double_to_int64", [doubleType], intType, intOfDouble),
      overload("duration_to_int64", [durationType], intType, (duration) => (duration as Duration).nanoseconds),
      overload("string_to_int64", [stringType], intType, (text) => intOfText(text as string) ?? conversionError(text, intType)),
      overload("timestamp_to_int64", [timestampType], intType, (timestamp) => (timestamp as Timestamp).seconds),
      overload("uint64_to_int64", [uintType], intType, intOfUint),
    ],
  },
  {
    name: "string",
    overloads: [
      overload("string_to_string", [stringType], stringType, identity),
      overload("bool_to_string", [boolType], stringType, (bool) => String(bool as boolean)),
      overload("bytes_to_string", [bytesType], stringType, (bytes) => decodeUtf8(bytes as Uint8Array)),
      overload("double_to_string", [doubleType], stringType, (double) => doubleText(double as number)),
      overload("duration_to_string", [durationType], stringType, (duration) => durationJson(duration as Duration)),
      overload("int64_to_string", [intType], stringType, (int) => String(int as bigint)),
      overload("timestamp_to_string", [timestampType], stringType, (timestamp) => timestampText(timestamp as Timestamp)),
      overload("uint64_to_string", [uintType], stringType, (uint) => String((uint as Uint).value)),
    ],
    cost: standardCost,
  },
  {
    name: "timestamp",
    overloads: [
      overload("timestamp_to_timestamp", [timestampType], timestampType, identity),
      overload("int64_to_timestamp", [intType], timestampType, timestampOfInt),
      overload(
        "string_to_timestamp",
        [stringType],
        timestampType,
        (text) => timestampOf(text as string) ?? conversionError(text, timestampType),
      ),
    ],
  },
  {
    name: "uint",
    overloads: [
      overload("uint64_to_uint64", [uintType], uintType, identity),
      overload("double_to_uint64", [doubleType], uintType, uintOfDouble),
      overload("int64_to_uint64", [intType], uintType, uintOfInt),
      overload("string_to_uint64", [stringType], uintType, uintOfString),
    ],
  },
];
