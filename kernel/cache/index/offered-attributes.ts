/** Attributes of objects that another thread has encoded, so that the cache need not decode large values. */
import type { Attributes } from "./attributes.ts";

const offered = new WeakMap<Uint8Array, Attributes>();

/**
 * Remembers the attributes of `value` until the cache takes them. `storedBytes` has made `value` of an object with defaults, and it is not
 * committed yet.
 */
export function offerAttributes(value: Uint8Array, attributes: Attributes): void {
  offered.set(value, attributes);
}
/** Returns the attributes of these very bytes, and drops them. */
export function takeAttributes(value: Uint8Array): Attributes | undefined {
  const attributes = offered.get(value);
  if (attributes !== undefined) offered.delete(value);
  return attributes;
}
