/** The last step of every decoder: makes the canonical object of a struct from the values of its keys. */
import type { Member } from "./members.ts";
import { isZero, zeroOf } from "./zero.ts";

/** Marks a value as explicitly absent. It replaces an earlier value of the same key. */
export const absent: unique symbol = Symbol("absent");

/**
 * Makes a function that makes an object from values in the order of `members`; a key without a value has undefined. It omits keys as
 * `omitempty` does, and adds the zero values of keys that are always written.
 */
export function assembler(members: readonly Member[]): (values: readonly unknown[]) => Record<string, unknown> {
  const plan = members.map(({ key, node, pointer, always, keepsEmpty }) => ({
    key,
    pointer,
    always,
    node,
    // Decoders return the shared zero value for null, and a new object for `{}`.
    leavesOut: always || pointer ? undefined : keepsEmpty ? (value: unknown) => value === zeroOf(node) : isZero(node),
  }));
  return (values) => {
    const object: Record<string, unknown> = {};
    for (let i = 0; i < plan.length; i++) {
      const { key, pointer, always, node, leavesOut } = plan[i]!;
      const value = values[i];
      if (value === undefined || value === absent) {
        if (always) object[key] = pointer ? null : zeroOf(node);
      } else if (leavesOut === undefined || !leavesOut(value)) object[key] = value;
    }
    return object;
  };
}
