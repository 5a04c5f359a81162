import { parseDuration } from "../core/scalars/duration.ts";
import { Unreadable } from "../core/scalars/unreadable.ts";

/** Returns the milliseconds of a duration: a number of them, or a text of Go such as `1h30m`. Throws for what is neither. */
export function millisecondsOf(duration: number | string): number {
  const nanos = typeof duration === "number" ? duration * 1e6 : parseDuration(duration);
  if (nanos instanceof Unreadable) throw new Error(`"${duration}" is no duration: ${nanos.error}`);
  const ms = Number(nanos) / 1e6;
  if (!(ms >= 0)) throw new RangeError(`${duration} is no duration that can pass`);
  return ms;
}
