/** Zero values, which `optional.ofNonZeroValue` takes as absent. */
import { Duration, ListValue, MapValue, Timestamp, Uint, type Value } from "../values.ts";

/** Go's zero time, 0001-01-01T00:00:00Z. */
const zeroSeconds = -62135596800n;

export function isZero(value: Value): boolean {
  if (value === null || value === false || value === 0n || value === 0 || value === "") return true;
  if (value instanceof ListValue || value instanceof MapValue) return value.size === 0;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof Duration) return value.nanoseconds === 0n;
  return value instanceof Timestamp && value.seconds === zeroSeconds && value.nanos === 0;
}
