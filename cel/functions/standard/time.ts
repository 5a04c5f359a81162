/** Implements functions that return parts of timestamps and durations. The time zone is UTC unless one is given. */
import type { FunctionDeclaration, Overload } from "../../declarations.ts";
import { durationType, intType, stringType, timestampType } from "../../types.ts";
import { timestampOverflow } from "../../value/time.ts";
import { zoneOffset } from "../../value/zone.ts";
import { CelError, type Duration, Timestamp, type Value } from "../../values.ts";
import { member } from "./overload.ts";

/** Returns a part of the date and time in a zone. `local` is a date whose UTC fields are those of the zone. */
type Part = (local: Date) => number;

const dayMs = 86_400_000;
const nanosPerSecond = 1_000_000_000n;

function dateInZone(timestamp: Timestamp, zone: string): Date | CelError {
  const offset = zoneOffset(zone, timestamp);
  return offset instanceof CelError ? offset : new Date((Number(timestamp.seconds) + offset) * 1000);
}

function partOf(timestamp: Timestamp, zone: string, part: Part): Value {
  const date = dateInZone(timestamp, zone);
  if (date instanceof CelError) return date;
  return Number.isNaN(date.getTime()) ? timestampOverflow : BigInt(part(date));
}

function dayOfYear(date: Date): number {
  const start = new Date(date);
  start.setUTCMonth(0, 1);
  return Math.round((date.getTime() - start.getTime()) / dayMs);
}

function overloadsOfTimestamp(id: string, zonedId: string, part: Part): readonly Overload[] {
  // The casts are safe, because the evaluator calls these functions only with the types of the signature.
  return [
    member(id, [timestampType], intType, (timestamp) => partOf(timestamp as Timestamp, "UTC", part)),
    member(
      zonedId,
      [timestampType, stringType],
      intType,
      (timestamp, zone) => partOf(timestamp as Timestamp, zone as string, part),
    ),
  ];
}

/** Milliseconds are not read from a date, because timestamps have nanoseconds. */
function milliseconds(id: string, zonedId: string): readonly Overload[] {
  const call = (timestamp: Value, zone: Value = "UTC"): Value => {
    const { seconds, nanos, offset } = timestamp as Timestamp; // the signature demands this type
    const known = zoneOffset(zone as string, new Timestamp(seconds, nanos, offset)); // the signature demands this type
    return known instanceof CelError ? known : BigInt(Math.floor(nanos / 1_000_000));
  };
  return [member(id, [timestampType], intType, call), member(zonedId, [timestampType, stringType], intType, call)];
}

/** Returns whole units of a duration. As in upstream, they are computed as doubles. */
function overloadOfDuration(id: string, seconds: bigint): Overload {
  const unit = seconds * nanosPerSecond;
  const call = (duration: Value): Value => {
    const { nanoseconds } = duration as Duration; // the signature demands this type
    return BigInt(Math.trunc(Number(nanoseconds / unit) + Number(nanoseconds % unit) / Number(unit)));
  };
  return member(id, [durationType], intType, call);
}

function accessor(name: string, ...overloads: readonly Overload[]): FunctionDeclaration {
  return { name, overloads };
}

const year: Part = (date) => date.getUTCFullYear();
const month: Part = (date) => date.getUTCMonth();
const day: Part = (date) => date.getUTCDate();
const dayFromZero: Part = (date) => date.getUTCDate() - 1;
const weekday: Part = (date) => date.getUTCDay();
const hour: Part = (date) => date.getUTCHours();
const minute: Part = (date) => date.getUTCMinutes();
const secondPart: Part = (date) => date.getUTCSeconds();

export const time: readonly FunctionDeclaration[] = [
  accessor("getFullYear", ...overloadsOfTimestamp("timestamp_to_year", "timestamp_to_year_with_tz", year)),
  accessor("getMonth", ...overloadsOfTimestamp("timestamp_to_month", "timestamp_to_month_with_tz", month)),
  accessor("getDayOfYear", ...overloadsOfTimestamp("timestamp_to_day_of_year", "timestamp_to_day_of_year_with_tz", dayOfYear)),
  accessor("getDayOfMonth", ...overloadsOfTimestamp("timestamp_to_day_of_month", "timestamp_to_day_of_month_with_tz", dayFromZero)),
  accessor("getDate", ...overloadsOfTimestamp("timestamp_to_day_of_month_1_based", "timestamp_to_day_of_month_1_based_with_tz", day)),
  accessor("getDayOfWeek", ...overloadsOfTimestamp("timestamp_to_day_of_week", "timestamp_to_day_of_week_with_tz", weekday)),
  accessor(
    "getHours",
    ...overloadsOfTimestamp("timestamp_to_hours", "timestamp_to_hours_with_tz", hour),
    overloadOfDuration("duration_to_hours", 3600n),
  ),
  accessor(
    "getMinutes",
    ...overloadsOfTimestamp("timestamp_to_minutes", "timestamp_to_minutes_with_tz", minute),
    overloadOfDuration("duration_to_minutes", 60n),
  ),
  accessor(
    "getSeconds",
    ...overloadsOfTimestamp("timestamp_to_seconds", "timestamp_to_seconds_tz", secondPart),
    overloadOfDuration("duration_to_seconds", 1n),
  ),
  accessor(
    "getMilliseconds",
    ...milliseconds("timestamp_to_milliseconds", "timestamp_to_milliseconds_with_tz"),
    member("duration_to_milliseconds", [durationType], intType, (duration) => (duration as Duration).nanoseconds / 1_000_000n),
  ),
];
