/** The last step of every decoder: from the values of a struct's keys to its canonical object. */
import type { Member } from "./members.ts";
import { isZero, zeroOf } from "./zero.ts";

/** In place of a value: absent on purpose, whatever was there before. */
export const absent: unique symbol = Symbol("absent");

/**
 * Makes objects of values that stand in the order of `members`; undefined where nothing was given. What `omitempty` leaves
 * out is left out, and what is always written is there.
 */
export function assembler(members: readonly Member[]): (values: readonly unknown[]) => Record<string, unknown> {
  const plan = members.map(({ key, node, pointer, always, keepsEmpty }) => ({
    key,
    pointer,
    always,
    node,
    // Of null a decoder makes the shared zero value, of `{}` one of its own.
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
