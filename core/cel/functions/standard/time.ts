/** Parts of timestamps and durations. The time zone is UTC unless it is given. */
import type { FunctionDeclaration, Overload } from "../../declarations.ts";
import { durationType, intType, stringType, timestampType } from "../../types.ts";
import { member } from "./overload.ts";

function ofTimestamp(id: string, zonedId: string): readonly Overload[] {
  return [member(id, [timestampType], intType), member(zonedId, [timestampType, stringType], intType)];
}
function ofDuration(id: string): Overload {
  return member(id, [durationType], intType);
}

export const time: readonly FunctionDeclaration[] = [
  { name: "getFullYear", overloads: ofTimestamp("timestamp_to_year", "timestamp_to_year_with_tz") },
  { name: "getMonth", overloads: ofTimestamp("timestamp_to_month", "timestamp_to_month_with_tz") },
  { name: "getDayOfYear", overloads: ofTimestamp("timestamp_to_day_of_year", "timestamp_to_day_of_year_with_tz") },
  { name: "getDayOfMonth", overloads: ofTimestamp("timestamp_to_day_of_month", "timestamp_to_day_of_month_with_tz") },
  {
    name: "getDate",
    overloads: ofTimestamp("timestamp_to_day_of_month_1_based", "timestamp_to_day_of_month_1_based_with_tz"),
  },
  { name: "getDayOfWeek", overloads: ofTimestamp("timestamp_to_day_of_week", "timestamp_to_day_of_week_with_tz") },
  {
    name: "getHours",
    overloads: [...ofTimestamp("timestamp_to_hours", "timestamp_to_hours_with_tz"), ofDuration("duration_to_hours")],
  },
  {
    name: "getMinutes",
    overloads: [
      ...ofTimestamp("timestamp_to_minutes", "timestamp_to_minutes_with_tz"),
      ofDuration("duration_to_minutes"),
    ],
  },
  {
    name: "getSeconds",
    overloads: [...ofTimestamp("timestamp_to_seconds", "timestamp_to_seconds_tz"), ofDuration("duration_to_seconds")],
  },
  {
    name: "getMilliseconds",
    overloads: [
      ...ofTimestamp("timestamp_to_milliseconds", "timestamp_to_milliseconds_with_tz"),
      ofDuration("duration_to_milliseconds"),
    ],
  },
];
