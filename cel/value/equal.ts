/** Equality of values: numbers of all types by value, NaN unequal to all, collections by their elements. */
import {
  CelError,
  Duration,
  ListValue,
  MapValue,
  ObjectValue,
  OpaqueValue,
  OptionalValue,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from "../values.ts";
import { equalJson, JsonList, JsonMap } from "./json.ts";
import { compareNumbers, isNumeric } from "./numbers.ts";
import { typeName } from "./type.ts";
import { spend } from "./work.ts";

/** Whether two values are equal. A `CelError` only for abstract types that cannot be compared. */
export function equal(left: Value, right: Value): boolean | CelError {
  switch (typeof left) {
    case "string":
      if (left.length > 64) spend(left.length >> 6);
      return left === right;
    case "boolean":
      return left === right;
    case "bigint":
    case "number":
      return typeof left === typeof right ? left === right : equalNumbers(left, right);
  }
  if (left === null || right === null) return left === right;
  if (left instanceof ListValue) {
    if (left.equals !== undefined) return left.equals(right);
    return right instanceof ListValue && equalLists(left, right);
  }
  if (left instanceof MapValue) {
    if (left.equals !== undefined) return left.equals(right);
    return right instanceof MapValue && equalMaps(left, right);
  }
  return equalOthers(left, right);
}

function equalNumbers(left: bigint | number | Uint, right: Value): boolean {
  return isNumeric(right) && !Number.isNaN(left) && !Number.isNaN(right) && compareNumbers(left, right) === 0;
}

type Other = Uint8Array | Uint | Timestamp | Duration | ObjectValue | TypeValue | OptionalValue | OpaqueValue | CelError;

function equalOthers(left: Other, right: Value): boolean | CelError {
  if (left instanceof Uint) return equalNumbers(left, right);
  if (left instanceof Uint8Array) return right instanceof Uint8Array && equalBytes(left, right);
  if (left instanceof Timestamp) {
    return right instanceof Timestamp && left.seconds === right.seconds && left.nanos === right.nanos;
  }
  if (left instanceof Duration) return right instanceof Duration && left.nanoseconds === right.nanoseconds;
  if (left instanceof TypeValue) return right instanceof TypeValue && typeName(left.type) === typeName(right.type);
  if (left instanceof OptionalValue) return right instanceof OptionalValue && equalOptionals(left, right);
  if (left instanceof CelError) return left;
  return left.equals(right);
}

function equalBytes(left: Uint8Array, right: Uint8Array): boolean {
  if (left.length !== right.length) return false;
  spend(left.length);
  return left.every((byte, index) => byte === right[index]);
}

function equalOptionals(left: OptionalValue, right: OptionalValue): boolean | CelError {
  if (left.value === undefined || right.value === undefined) return left.value === right.value;
  return equal(left.value, right.value);
}

/** Compares the elements of two lists in their order. */
export function equalLists(left: ListValue, right: ListValue): boolean {
  if (left instanceof JsonList && right instanceof JsonList) return equalJson(left.items, right.items);
  const size = left.size;
  if (size !== right.size) return false;
  for (let index = 0; index < size; index++) {
    spend(1);
    if (equal(left.at(index), right.at(index)) === false) return false;
  }
  return true;
}

function equalMaps(left: MapValue, right: MapValue): boolean {
  if (left instanceof JsonMap && right instanceof JsonMap) return equalJson(left.object, right.object);
  if (left.size !== right.size) return false;
  for (const key of left.keys()) {
    spend(4);
    const value = right.find(key);
    if (value === undefined || equal(left.find(key)!, value) === false) return false;
  }
  return true;
}
