/** Returns the value at a path of member names; undefined if there is none. */
export function valueAt(object: object, names: readonly string[]): unknown {
  let value: unknown = object;
  for (const name of names) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name]; // an own member
  }
  return value;
}
