/** Traits of objects whose bytes another thread has encoded, so that the cache need not read large values to learn them. */
import type { Traits } from "./attributes.ts";

const offered = new WeakMap<Uint8Array, Traits>();

/** `value` is about to be committed, and is what `storedBytes` makes of a filled object with these traits. */
export function offerTraits(value: Uint8Array, traits: Traits): void {
  offered.set(value, traits);
}
/** The traits offered with these very bytes, once. */
export function takeTraits(value: Uint8Array): Traits | undefined {
  const traits = offered.get(value);
  if (traits !== undefined) offered.delete(value);
  return traits;
}
