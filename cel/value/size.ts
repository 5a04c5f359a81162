/** Sizes of values for `size` and for costs. */
import { CelError, ListValue, MapValue, ObjectValue, OpaqueValue, OptionalValue, type Value } from "../values.ts";
import { measureOnce, spend } from "./work.ts";

/** Strings from this length on are measured once in an evaluation. */
const memorableLength = 1024;

/** Returns the number of code points of a string. */
export function characters(text: string): number {
  return text.length < memorableLength ? countCharacters(text) : measureOnce(text, () => countCharacters(text));
}

function countCharacters(text: string): number {
  const length = text.length;
  if (length > 64) spend(length >> 4);
  let count = length;
  for (let index = 0; index < length; index++) {
    const unit = text.charCodeAt(index);
    if (unit >= 0xd800 && unit < 0xdc00) {
      count--;
      index++;
    }
  }
  return count;
}

/** Returns the size for costs: characters, bytes, elements or entries; 1 for values without a size. */
export function costSize(value: Value): number {
  if (typeof value === "string") return characters(value);
  if (typeof value !== "object" || value === null) return 1;
  if (value instanceof ListValue || value instanceof MapValue) return value.size;
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof OptionalValue) return value.value === undefined ? 1 : costSize(value.value);
  return value instanceof OpaqueValue || value instanceof ObjectValue ? value.size : 1;
}

/** Whether a value has a size that `size` returns. */
export function sizeOf(value: Value): number | undefined {
  if (typeof value === "string") return characters(value);
  if (value instanceof ListValue || value instanceof MapValue) return value.size;
  return value instanceof Uint8Array ? value.length : undefined;
}

/** Returns the cost of reading so many characters, elements or bytes once. */
export function traversal(size: number): number {
  return Math.ceil(size * 0.1);
}

/** Returns the cost of comparing two values. */
export function comparisonCost(left: Value, right: Value): number {
  if (typeof left === "string" && typeof right === "string") {
    const shortest = left.length < right.length ? left.length : right.length;
    // Up to ten characters cost the same, so they need not be counted.
    if (shortest <= 10) return shortest === 0 ? 0 : 1;
  }
  // A scalar has the size 1, so the other value need not be measured unless it is empty.
  if (isScalar(left)) return isScalar(right) || !isEmpty(right) ? 1 : 0;
  if (isScalar(right)) return isEmpty(left) ? 0 : 1;
  return traversal(Math.min(costSize(left), costSize(right)));
}

function isEmpty(value: Value): boolean {
  return typeof value === "string" ? value === "" : costSize(value) === 0;
}

function isScalar(value: Value): boolean {
  return value === null || value instanceof CelError || typeof value !== "object" && typeof value !== "string";
}
