/** Values in messages, as Go's `%v` writes upstream's values. */
import { durationText } from "../../core/scalars/duration.ts";
import { CelError, Duration, ListValue, MapValue, OpaqueValue, OptionalValue, Timestamp, TypeValue, Uint, type Value } from "../values.ts";
import { doubleText } from "./numbers.ts";
import { timestampText } from "./time.ts";
import { typeName } from "./type.ts";
import { spend } from "./work.ts";

/** Returns the text of a value in a message. */
export function messageText(value: Value): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return doubleText(value);
  if (value === null) return "0"; // upstream shows the number of its enumeration
  if (typeof value !== "object") return String(value);
  spend(1);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof ListValue) return listText(value);
  if (value instanceof MapValue) return mapText(value);
  if (value instanceof Duration) return durationText(value.nanoseconds);
  if (value instanceof Timestamp) return goTimeText(value);
  if (value instanceof TypeValue) return typeName(value.type);
  if (value instanceof CelError) return value.message;
  if (value instanceof Uint8Array) return `[${value.join(" ")}]`;
  if (value instanceof OpaqueValue) return value.text;
  if (!(value instanceof OptionalValue)) return value.type;
  return value.value === undefined ? "optional.none()" : `optional(${messageText(value.value)})`;
}

function listText(list: ListValue): string {
  const items: string[] = [];
  for (let index = 0; index < list.size; index++) items.push(messageText(list.at(index)));
  return `[${items.join(", ")}]`;
}

function mapText(map: MapValue): string {
  const entries: string[] = [];
  for (const key of map.keys()) entries.push(`${messageText(key)}: ${messageText(map.find(key)!)}`);
  return `{${entries.join(", ")}}`;
}

/** Returns a text such as `2024-01-02 03:04:05 +0000 UTC`, as Go's `Time.String`. */
function goTimeText(value: Timestamp): string {
  const text = timestampText(value);
  const [date, rest] = text.split("T") as [string, string];
  const zone = rest.endsWith("Z") ? "Z" : rest.slice(-6);
  const offset = zone === "Z" ? "+0000" : zone.replace(":", "");
  return `${date} ${rest.slice(0, rest.length - zone.length)} ${offset} ${zone === "Z" ? "UTC" : offset}`;
}
