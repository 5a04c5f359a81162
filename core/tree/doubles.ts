/**
 * Doubles that are integral, such as `3.0` in a JSON body without a schema. Rules in CEL distinguish them from integers, and a number of
 * JavaScript cannot. So the object or list that contains them has the set of their keys, as a member with a symbol: loops over keys, JSON and
 * comparisons do not see it. Stored JSON has no such numbers, because Go and this server write them without a fraction.
 */
const doubles: unique symbol = Symbol("integral doubles");

interface Marked {
  [doubles]?: Set<string | number>;
}

/** Whether JSON has the value as a double, by its text: `3.0` and `3e0`, not `3`. */
export function isIntegralDouble(text: string, value: unknown): boolean {
  return Number.isSafeInteger(value) && !/^-?[0-9]+$/.test(text);
}

/** Marks a member of an object or list that is being made. */
export function markDouble(container: object, key: string | number): void {
  ((container as Marked)[doubles] ??= new Set()).add(key);
}

/** Whether a member is an integral double. */
export function isMarkedDouble(container: object, key: string | number): boolean {
  return (container as Marked)[doubles]?.has(key) === true;
}

/** Gives a copy of an object or list the marks of the original. */
export function copyDoubles<T extends object>(from: object, to: T): T {
  const marks = (from as Marked)[doubles];
  if (marks !== undefined) (to as Marked)[doubles] = marks;
  return to;
}
