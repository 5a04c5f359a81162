/** Timestamps and durations: text, range, sums and time zones. */
import { parseDuration } from "../../core/scalars/duration.ts";
import { momentText, parseMoment } from "../../core/scalars/time.ts";
import { Unreadable } from "../../core/scalars/unreadable.ts";
import { CelError, Duration, Timestamp } from "../values.ts";
import { isInt } from "./numbers.ts";
import { spend } from "./work.ts";

/** Seconds of 0001-01-01T00:00:00Z and of 9999-12-31T23:59:59Z. */
const secondsMin = -62135596800n;
const secondsMax = 253402300799n;
const second = 1_000_000_000n;

/** Only a time with many digits of its fraction is longer. */
const shortTime = 64;
const longTime = /^[-0-9T:]{18,19}[.,][0-9]+(?:Z|[+-][0-9:]{5})$/;

export const timestampOverflow = new CelError("timestamp overflow");
export const durationOverflow = new CelError("integer overflow");

export function isTimestampRange(seconds: bigint): boolean {
  return seconds >= secondsMin && seconds <= secondsMax;
}

/** Parses RFC 3339. Undefined for invalid text. */
export function timestampOf(text: string): Timestamp | CelError | undefined {
  spend(text.length);
  if (text.length > shortTime && !longTime.test(text)) return undefined;
  const moment = parseMoment(text);
  if (moment instanceof Unreadable) return moment.error.endsWith(": year out of range") ? timestampOverflow : undefined;
  const seconds = BigInt(moment.seconds);
  return isTimestampRange(seconds) ? new Timestamp(seconds, moment.nanos, moment.offset) : timestampOverflow;
}

/** Returns RFC 3339 in the offset of the timestamp, without trailing zeros of the fraction. */
export function timestampText({ seconds, nanos, offset }: Timestamp): string {
  return momentText({ seconds: Number(seconds), nanos, offset });
}

/** Parses a Go duration. Undefined for invalid text. */
export function durationOf(text: string): Duration | undefined {
  // Each part of a duration, such as `1s`, takes longer than its characters.
  spend(text.length * 4);
  const nanoseconds = parseDuration(text);
  return typeof nanoseconds === "bigint" ? new Duration(nanoseconds) : undefined;
}

/** Returns a duration of a sum or difference of nanoseconds. */
export function durationOfSum(nanoseconds: bigint): Duration | CelError {
  return isInt(nanoseconds) ? new Duration(nanoseconds) : durationOverflow;
}

/** Returns the seconds of a duration as a double, as Go's `Duration.Seconds`. */
export function durationSeconds({ nanoseconds }: Duration): number {
  return Number(nanoseconds / second) + Number(nanoseconds % second) / 1e9;
}

export function timestampPlus({ seconds, nanos, offset }: Timestamp, nanoseconds: bigint): Timestamp | CelError {
  let sum = BigInt(nanos) + nanoseconds % second;
  let whole = seconds + nanoseconds / second;
  if (sum < 0n) {
    sum += second;
    whole--;
  } else if (sum >= second) {
    sum -= second;
    whole++;
  }
  return isTimestampRange(whole) ? new Timestamp(whole, Number(sum), offset) : timestampOverflow;
}

export function timestampDifference(left: Timestamp, right: Timestamp): Duration | CelError {
  const whole = (left.seconds - right.seconds) * second;
  return isInt(whole) ? durationOfSum(whole + BigInt(left.nanos - right.nanos)) : durationOverflow;
}
