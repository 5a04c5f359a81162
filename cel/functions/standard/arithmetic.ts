/** `+ - * / %` and unary minus. Integers that leave their range are errors. */
import { operators } from "../../ast.ts";
import type { FunctionDeclaration } from "../../declarations.ts";
import { bytesType, doubleType, durationType, intType, stringType, timestampType, uintType } from "../../types.ts";
import { concatenate } from "../../value/collections.ts";
import { intMax, intMin, uintMax } from "../../value/numbers.ts";
import { durationOfSum, timestampDifference, timestampPlus } from "../../value/time.ts";
import { spend } from "../../value/work.ts";
import { CelError, Duration, ListValue, Timestamp, Uint, type Value } from "../../values.ts";
import { standardCost } from "./costs.ts";
import { noOverload, notSupported } from "./errors.ts";
import { listOfA, overload } from "./overload.ts";

const intOverflow = new CelError("integer overflow");
const uintOverflow = new CelError("unsigned integer overflow");
const divisionByZero = new CelError("division by zero");
const modulusByZero = new CelError("modulus by zero");

function int(value: bigint): Value {
  return value > intMax || value < intMin ? intOverflow : value;
}
function uint(value: bigint): Value {
  return value > uintMax || value < 0n ? uintOverflow : new Uint(value);
}

/** Computes `left + right`. */
export function add(left: Value, right: Value): Value {
  switch (typeof left) {
    case "bigint":
      return typeof right === "bigint" ? int(left + right) : noOverload;
    case "string":
      return typeof right === "string" ? joinTexts(left, right) : noOverload;
    case "number":
      return typeof right === "number" ? left + right : noOverload;
  }
  if (left instanceof ListValue) {
    if (!(right instanceof ListValue)) return noOverload;
    return left.plus === undefined ? concatenate(left, right) : left.plus(right);
  }
  if (left instanceof Uint) return right instanceof Uint ? uint(left.value + right.value) : noOverload;
  if (left instanceof Duration) return addToDuration(left, right);
  if (left instanceof Timestamp) return right instanceof Duration ? timestampPlus(left, right.nanoseconds) : noOverload;
  if (left instanceof Uint8Array) return right instanceof Uint8Array ? joinBytes(left, right) : noOverload;
  return notSupported(operators.add, left);
}

/** The characters are charged as work, because a call whose types are not known before costs one unit only. */
function joinTexts(left: string, right: string): string {
  spend((left.length + right.length) >> 2);
  return left + right;
}

function addToDuration(left: Duration, right: Value): Value {
  if (right instanceof Duration) return durationOfSum(left.nanoseconds + right.nanoseconds);
  return right instanceof Timestamp ? timestampPlus(right, left.nanoseconds) : noOverload;
}

function joinBytes(left: Uint8Array, right: Uint8Array): Uint8Array {
  spend(left.length + right.length);
  const bytes = new Uint8Array(left.length + right.length);
  bytes.set(left);
  bytes.set(right, left.length);
  return bytes;
}

/** Computes `left - right`. */
export function subtract(left: Value, right: Value): Value {
  if (typeof left === "bigint") return typeof right === "bigint" ? int(left - right) : noOverload;
  if (typeof left === "number") return typeof right === "number" ? left - right : noOverload;
  if (left instanceof Uint) return right instanceof Uint ? uint(left.value - right.value) : noOverload;
  if (left instanceof Duration) {
    return right instanceof Duration ? durationOfSum(left.nanoseconds - right.nanoseconds) : noOverload;
  }
  if (!(left instanceof Timestamp)) return notSupported(operators.subtract, left);
  if (right instanceof Timestamp) return timestampDifference(left, right);
  if (!(right instanceof Duration)) return noOverload;
  // Upstream adds the negated duration, which overflows for the smallest one.
  return right.nanoseconds === intMin ? intOverflow : timestampPlus(left, -right.nanoseconds);
}

/** Computes `left * right`. */
export function multiply(left: Value, right: Value): Value {
  if (typeof left === "bigint") return typeof right === "bigint" ? int(left * right) : noOverload;
  if (typeof left === "number") return typeof right === "number" ? left * right : noOverload;
  if (left instanceof Uint) return right instanceof Uint ? uint(left.value * right.value) : noOverload;
  return notSupported(operators.multiply, left);
}

/** Computes `left / right`. Quotients of integers are truncated. */
export function divide(left: Value, right: Value): Value {
  if (typeof left === "bigint") {
    if (typeof right !== "bigint") return noOverload;
    return right === 0n ? divisionByZero : int(left / right);
  }
  if (typeof left === "number") return typeof right === "number" ? left / right : noOverload;
  if (!(left instanceof Uint)) return notSupported(operators.divide, left);
  if (!(right instanceof Uint)) return noOverload;
  return right.value === 0n ? divisionByZero : new Uint(left.value / right.value);
}

/** Computes `left % right`. */
export function modulo(left: Value, right: Value): Value {
  if (typeof left === "bigint") {
    if (typeof right !== "bigint") return noOverload;
    if (right === 0n) return modulusByZero;
    return left === intMin && right === -1n ? intOverflow : left % right;
  }
  if (!(left instanceof Uint)) return notSupported(operators.modulo, left);
  if (!(right instanceof Uint)) return noOverload;
  return right.value === 0n ? modulusByZero : new Uint(left.value % right.value);
}

/** Computes `-value`. */
export function negate(value: Value): Value {
  if (typeof value === "bigint") return int(-value);
  if (typeof value === "number") return -value;
  if (value instanceof Duration) return durationOfSum(-value.nanoseconds);
  return typeof value === "boolean" ? noOverload : notSupported(operators.negate, value);
}

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
    call: add,
    cost: standardCost,
  },
  {
    name: operators.divide,
    overloads: [
      overload("divide_double", doubles, doubleType),
      overload("divide_int64", ints, intType),
      overload("divide_uint64", uints, uintType),
    ],
    call: divide,
  },
  {
    name: operators.modulo,
    overloads: [overload("modulo_int64", ints, intType), overload("modulo_uint64", uints, uintType)],
    call: modulo,
  },
  {
    name: operators.multiply,
    overloads: [
      overload("multiply_double", doubles, doubleType),
      overload("multiply_int64", ints, intType),
      overload("multiply_uint64", uints, uintType),
    ],
    call: multiply,
  },
  {
    name: operators.negate,
    overloads: [overload("negate_double", [doubleType], doubleType), overload("negate_int64", [intType], intType)],
    call: negate,
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
    call: subtract,
  },
];
