/** Order of values: -1, 0 or 1. */
import { CelError, Duration, Timestamp, type Value } from "../values.ts";
import { compareNumbers, isNumeric } from "./numbers.ts";
import { spend } from "./work.ts";

const noOverload = new CelError("no such overload");
const unordered = new CelError("NaN values cannot be ordered");

/** Compares values of types that have an order. A `CelError` if the types differ or a number is NaN. */
export function compare(left: Value, right: Value): number | CelError {
  if (isNumeric(left)) {
    if (Number.isNaN(left)) return unordered;
    if (!isNumeric(right)) return noOverload;
    return Number.isNaN(right) ? unordered : compareNumbers(left, right);
  }
  if (typeof left === "string") return typeof right === "string" ? compareStrings(left, right) : noOverload;
  if (typeof left === "boolean") return typeof right === "boolean" ? Number(left) - Number(right) : noOverload;
  if (left instanceof Timestamp) return right instanceof Timestamp ? compareTimestamps(left, right) : noOverload;
  if (left instanceof Duration) {
    return right instanceof Duration ? compareNumbers(left.nanoseconds, right.nanoseconds) : noOverload;
  }
  if (left instanceof Uint8Array) return right instanceof Uint8Array ? compareBytes(left, right) : noOverload;
  return noOverload;
}

/** Whether a type has an order. */
export function isOrdered(value: Value): boolean {
  return typeof value === "string" || typeof value === "boolean" || isNumeric(value) || value instanceof Timestamp ||
    value instanceof Duration || value instanceof Uint8Array;
}

function compareTimestamps(left: Timestamp, right: Timestamp): number {
  return compareNumbers(left.seconds, right.seconds) || Math.sign(left.nanos - right.nanos);
}

function compareBytes(left: Uint8Array, right: Uint8Array): number {
  const size = Math.min(left.length, right.length);
  spend(size);
  for (let index = 0; index < size; index++) {
    const difference = left[index]! - right[index]!;
    if (difference !== 0) return Math.sign(difference);
  }
  return Math.sign(left.length - right.length);
}

/** Longer strings are compared in parts of this length, which takes a fraction of the time. */
const partLength = 512;

/** Compares strings by code points, which is the order of their bytes in UTF-8. */
export function compareStrings(left: string, right: string): number {
  if (left === right) return 0;
  const size = Math.min(left.length, right.length);
  let index = 0;
  while (size - index > partLength && left.slice(index, index + partLength) === right.slice(index, index + partLength)) {
    spend(partLength >> 6);
    index += partLength;
  }
  while (index < size && left.charCodeAt(index) === right.charCodeAt(index)) index++;
  if (index === size) return Math.sign(left.length - right.length);
  return rank(left.charCodeAt(index)) < rank(right.charCodeAt(index)) ? -1 : 1;
}

/** Returns a number for a UTF-16 unit, in the order of code points: surrogates come last. */
function rank(unit: number): number {
  return unit >= 0xe000 ? unit - 0x800 : unit >= 0xd800 ? unit + 0x2000 : unit;
}
