/** Time zones of the accessors of timestamps: names of the IANA database, and offsets such as `-08:00`. */
import { goQuote } from "../../core/tree/go-quote.ts";
import { CelError, type Timestamp } from "../values.ts";
import { spend } from "./work.ts";

/** Formats an instant so that the offset of its zone can be read. */
export type ZoneFormat = Intl.DateTimeFormat;

/** Zones that were used, by name. */
const zones = new Map<string, ZoneFormat>();
const zonesMax = 64;
/** Bound of the length of a zone's name. */
const zoneLengthMax = 64;
/** Steps of a lookup of a zone's offset, and of the first lookup of a zone. */
const formatSteps = 80;
const newZoneSteps = 1000;
/** A larger offset leaves the range of dates. */
const offsetMinutesMax = 1_000_000_000;

/** Returns the offset of a zone from UTC at a timestamp, in seconds. */
export function zoneOffset(zone: string, { seconds }: Timestamp): number | CelError {
  spend(zone.length >> 4);
  const colon = zone.indexOf(":");
  if (colon >= 0) return fixedOffset(zone.slice(0, colon), zone.slice(colon + 1));
  if (zone === "" || zone === "UTC" || zone === "Local") return 0;
  spend(formatSteps);
  const format = zones.get(zone) ?? zoneFormat(zone);
  return format instanceof CelError ? format : offsetAt(format, Number(seconds));
}

function fixedOffset(hoursText: string, minutesText: string): number | CelError {
  const hours = integer(hoursText);
  if (hours instanceof CelError) return hours;
  const minutes = integer(minutesText);
  if (minutes instanceof CelError) return minutes;
  const offset = hoursText.startsWith("-") ? hours * 60 - minutes : hours * 60 + minutes;
  return Math.abs(offset) > offsetMinutesMax ? new CelError("timestamp overflow") : offset * 60;
}

/** Parses an integer as Go's `strconv.Atoi`. */
function integer(text: string): number | CelError {
  if (!/^[+-]?[0-9]+$/.test(text)) return new CelError(`strconv.Atoi: parsing ${goQuote(text)}: invalid syntax`);
  const value = Number(text);
  return Math.abs(value) < 2 ** 63 ? value : new CelError(`strconv.Atoi: parsing ${goQuote(text)}: value out of range`);
}

function zoneFormat(zone: string): ZoneFormat | CelError {
  if (zone.startsWith("/") || zone.startsWith("\\") || zone.includes("..")) return new CelError("time: invalid location name");
  const unknown = new CelError(`unknown time zone ${zone}`);
  // Names are case-sensitive upstream: every part begins with a capital. `Z` and offsets without a colon are no names.
  if (zone.length > zoneLengthMax || !/^[A-Z][A-Za-z0-9+_-]+(?:\/[A-Z][A-Za-z0-9+_-]*)*$/.test(zone)) return unknown;
  spend(newZoneSteps);
  try {
    const format = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" });
    if (differsInCase(format.resolvedOptions().timeZone, zone)) return unknown;
    if (zones.size >= zonesMax) zones.clear();
    zones.set(zone, format);
    return format;
  } catch {
    // Intl throws for an unknown name.
    return unknown;
  }
}

function differsInCase(canonical: string, zone: string): boolean {
  return canonical !== zone && canonical.toLowerCase() === zone.toLowerCase();
}

function offsetAt(format: ZoneFormat, seconds: number): number {
  const text = format.formatToParts(seconds * 1000).find(({ type }) => type === "timeZoneName")?.value ?? "";
  const parts = /^GMT([+-])([0-9]+):([0-9]+)(?::([0-9]+))?$/.exec(text);
  if (parts === null) return 0;
  const size = Number(parts[2]) * 3600 + Number(parts[3]) * 60 + Number(parts[4] ?? "0");
  return parts[1] === "-" ? -size : size;
}
