/** Selects members of values: fields, keys and indices. */
import { intOf } from "../value/numbers.ts";
import { messageText } from "../value/text.ts";
import { typeNameOf } from "../value/type.ts";
import { CelError, ListValue, MapValue, ObjectValue, type Value } from "../values.ts";

/** Returns `value[key]` or `value.key`; a `CelError` if there is no such member. */
export function select(value: Value, key: Value): Value {
  if (value instanceof MapValue) {
    const member = value.find(key);
    return member === undefined ? noSuchKey(key) : member;
  }
  if (value instanceof ListValue) {
    const index = indexOf(value, key);
    if (index instanceof CelError) return index;
    return index === undefined ? new CelError(`index out of bounds: ${messageText(key)}`) : value.at(index);
  }
  if (value instanceof ObjectValue && typeof key === "string") return value.get(key);
  return value instanceof CelError ? value : noSuchKey(key);
}

/** Does the same for optional selectors: undefined if there is no such member, even for values that have no members at all. */
export function selectIfPresent(value: Value, key: Value): Value | undefined {
  if (value instanceof MapValue) return value.find(key);
  if (value instanceof ListValue) {
    const index = indexOf(value, key);
    if (index instanceof CelError) return index;
    return index === undefined ? undefined : value.at(index);
  }
  if (!(value instanceof ObjectValue) || typeof key !== "string") return value instanceof CelError ? value : undefined;
  const has = value.has(key);
  return has === true ? value.get(key) : has === false ? undefined : has;
}

/** Evaluates `has(value.field)`. */
export function hasMember(value: Value, field: string): boolean | CelError {
  if (value instanceof MapValue) {
    const member = value.find(field);
    return member instanceof CelError ? member : member !== undefined;
  }
  if (value instanceof ObjectValue) return value.has(field);
  if (value instanceof ListValue) {
    const index = indexOf(value, field);
    return index instanceof CelError ? index : index !== undefined;
  }
  return value instanceof CelError ? value : false;
}

/** Whether a value can be a key in brackets. */
export function isKey(value: Value): boolean {
  return value !== null && typeof value !== "object";
}

function noSuchKey(key: Value): CelError {
  return new CelError(`no such key: ${messageText(key)}`);
}

/** Returns the index of an element; undefined if it is out of bounds. */
function indexOf(list: ListValue, key: Value): number | CelError | undefined {
  const index = intOf(key);
  if (index !== undefined) return index >= 0n && index < BigInt(list.size) ? Number(index) : undefined;
  const isNumber = typeof key === "number" || typeof key === "object" && typeNameOf(key) === "uint";
  if (isNumber) return new CelError(`unsupported index value ${messageText(key)} in list`);
  return new CelError(`unsupported index type '${typeNameOf(key)}' in list`);
}
