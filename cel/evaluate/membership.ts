/** Compiles `x in [constants]` to a lookup in a set, which costs nothing. */
import { isIntRange, isUintRange } from "../value/numbers.ts";
import { CelError, ListValue, Uint, type Value } from "../values.ts";
import { requireKey, type Run } from "./frame.ts";
import { constant, type Step } from "./step.ts";

/** Returns undefined if the list has elements that are no bool, number or string. */
export function membership(element: Run, list: Value): Step | undefined {
  if (!(list instanceof ListValue)) return undefined;
  if (list.size === 0) return constant(false);
  const values = new Set<Value>();
  const uints = new Set<bigint>();
  for (let index = 0; index < list.size; index++) {
    const value = list.at(index);
    if (value === null || typeof value === "object" && !(value instanceof Uint)) return undefined;
    addNumbers(value, values, uints);
  }
  return {
    run: (frame) => {
      const value = element(frame);
      if (value instanceof CelError) return value;
      requireKey(value);
      return value instanceof Uint ? uints.has(value.value) : values.has(value) && !Number.isNaN(value);
    },
  };
}

/** Adds a value, in each numeric type that can hold it. */
function addNumbers(value: Value, values: Set<Value>, uints: Set<bigint>): void {
  if (!(value instanceof Uint)) values.add(value);
  if (typeof value === "bigint") {
    values.add(Number(value));
    if (value >= 0n) uints.add(value);
  } else if (typeof value === "number" && Number.isInteger(value)) {
    if (isIntRange(value)) values.add(BigInt(value));
    if (isUintRange(value)) uints.add(BigInt(value));
  } else if (value instanceof Uint) {
    uints.add(value.value);
    values.add(Number(value.value));
    if (value.value < 1n << 63n) values.add(value.value);
  }
}
