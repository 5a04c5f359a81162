/** Attributes of objects whose bytes another thread has encoded, so that the cache need not read large values to learn them. */
import type { Attributes } from "./attributes.ts";

const offered = new WeakMap<Uint8Array, Attributes>();

/** `value` is about to be committed, and is what `storedBytes` makes of a filled object with these attributes. */
export function offerAttributes(value: Uint8Array, attributes: Attributes): void {
  offered.set(value, attributes);
}
/** The attributes offered with these very bytes, once. */
export function takeAttributes(value: Uint8Array): Attributes | undefined {
  const attributes = offered.get(value);
  if (attributes !== undefined) offered.delete(value);
  return attributes;
}
