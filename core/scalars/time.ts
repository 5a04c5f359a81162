/**
 * Times of the API: RFC 3339 in UTC with second (Time) or microsecond (MicroTime) precision. Accepted formats and errors are those of Go's
 * `time.Parse`, which also accepts one-digit hours and fractions that are not in the layout.
 */
import { trimEndOf } from "../trim-end.ts";
import type { MicroTime, Time } from "../schema.ts";
import { Unreadable } from "./unreadable.ts";

const timeLayout = "2006-01-02T15:04:05Z07:00";
const microTimeLayout = "2006-01-02T15:04:05.000000Z07:00";
/** Year 1, Go's zero time, which is written as null. */
const zeroSeconds = -62135596800;
/** The first second of the year 0. */
const firstSeconds = -62167219200;

/** Parses a Time. Returns its canonical text, null for the zero time, or Go's error. Drops fractions of a second. */
export function parseTime(text: string): Time | null | Unreadable {
  if (isCanonicalTime(text)) return text.startsWith("0001-01-01T00:00:00") ? null : text;
  const moment = parse(text, timeLayout);
  if (moment instanceof Unreadable) return moment;
  return moment.seconds === zeroSeconds ? null : writeTime(moment.seconds);
}

/** Parses a MicroTime. Returns its canonical text, null for the zero time, or Go's error. */
export function parseMicroTime(text: string): MicroTime | null | Unreadable {
  const moment = parse(text, microTimeLayout);
  if (moment instanceof Unreadable) return moment;
  return writeMicroTime(moment.seconds, moment.nanos);
}

/** Seconds since 1970 of a canonical Time or MicroTime, without its fraction. */
export function secondsOf(canonical: Time | MicroTime): number {
  return epochSeconds(+canonical.slice(0, 4), +canonical.slice(5, 7), +canonical.slice(8, 10)) +
    +canonical.slice(11, 13) * 3600 + +canonical.slice(14, 16) * 60 + +canonical.slice(17, 19);
}
/** Nanoseconds below the second of a canonical MicroTime. */
export function fractionNanos(canonical: MicroTime): number {
  return +canonical.slice(20, 26) * 1000;
}

/** Returns the Time of seconds since 1970; null for the zero time. */
export function timeOfSeconds(seconds: number): Time | null {
  return seconds === zeroSeconds ? null : writeTime(seconds);
}
/** Returns the MicroTime of seconds and nanoseconds; null for the zero time. */
export function microTimeOf(seconds: number, nanos: number): MicroTime | null {
  return writeMicroTime(seconds, nanos);
}

/** Normalises an RFC 3339 time in its zone, without trailing zeros of its fraction (Go's RFC3339Nano). */
export function rfc3339Text(text: string): string | Unreadable {
  const moment = parse(text, timeLayout);
  return moment instanceof Unreadable ? moment : writeNanoTime(moment);
}
/** Parses an RFC 3339 time in the years 0 to 9999, as Go's `time.Parse`. */
export function parseMoment(text: string): Moment | Unreadable {
  return parse(text, timeLayout);
}
/** Returns the text of a moment in its zone, without trailing zeros of its fraction (Go's RFC3339Nano). */
export function momentText(moment: Moment): string {
  return writeNanoTime(moment);
}
/** Seconds since 1970, with a fraction, in Go's RFC3339Nano format, in UTC. */
export function epochText(seconds: number): string | Unreadable {
  const whole = Math.trunc(seconds);
  const nanos = Math.trunc((seconds - whole) * 1e9);
  const moment = { seconds: nanos < 0 ? whole - 1 : whole, nanos: nanos < 0 ? nanos + 1e9 : nanos, offset: 0 };
  if (moment.seconds >= -62167219200 && moment.seconds < 253402300800) return writeNanoTime(moment);
  return new Unreadable("Time.MarshalText: year outside of range [0,9999]");
}

/** Whether seconds since 1970 are in the years 0 to 9999, the range of the text format. */
export function isWritable(seconds: number): boolean {
  return Number.isSafeInteger(seconds) && seconds >= firstSeconds && seconds < 253402300800;
}

/** Returns milliseconds since 1970 as conditions have them: RFC 3339 in UTC with whole seconds. */
export function timestampOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

function writeTime(seconds: number): string {
  return timestampOf(seconds * 1000);
}
function writeMicroTime(seconds: number, nanos: number): string | null {
  const micros = Math.floor(nanos / 1000);
  if (seconds === zeroSeconds && nanos === 0) return null;
  return `${writeTime(seconds).slice(0, 19)}.${String(micros).padStart(6, "0")}Z`;
}

function writeNanoTime({ seconds, nanos, offset }: Moment): string {
  const fraction = nanos === 0 ? "" : `.${trimEndOf(String(nanos).padStart(9, "0"), "0")}`;
  const minutes = Math.abs(offset) / 60;
  const two = (value: number) => String(Math.floor(value)).padStart(2, "0");
  const zone = offset === 0 ? "Z" : `${offset < 0 ? "-" : "+"}${two(minutes / 60)}:${two(minutes % 60)}`;
  return writeTime(seconds + offset).slice(0, 19) + fraction + zone;
}

/** Whether the text is a valid `YYYY-MM-DDTHH:MM:SSZ`. A fast path for the most frequent format. */
function isCanonicalTime(text: string): boolean {
  if (text.length !== 20) return false;
  for (let i = 0; i < 20; i++) {
    const code = text.charCodeAt(i);
    const wanted = mask.charCodeAt(i);
    if (wanted === 0x30 ? code < 0x30 || code > 0x39 : code !== wanted) return false;
  }
  const month = two(text, 5);
  return month >= 1 && month <= 12 && two(text, 8) >= 1 && two(text, 8) <= daysIn(month, +text.slice(0, 4)) &&
    two(text, 11) < 24 && two(text, 14) < 60 && two(text, 17) < 60 && !text.startsWith("0000");
}
const mask = "0000-00-00T00:00:00Z";
function two(text: string, at: number): number {
  return (text.charCodeAt(at) - 0x30) * 10 + text.charCodeAt(at + 1) - 0x30;
}

/** Days of a month (1 to 12). */
export function daysIn(month: number, year: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}
function epochSeconds(year: number, month: number, day: number): number {
  // Date.UTC maps years below 100 to the twentieth century. 400 years are a whole number of weeks and leap days.
  return Date.UTC(year + 400, month - 1, day) / 1000 - 146097 * 86400;
}

/** `offset`: offset of the time zone from UTC, in seconds. */
export type Moment = { readonly seconds: number; readonly nanos: number; readonly offset: number };

/** One element of a layout: its text, and a function that parses it at the start of the value. */
type Element = { readonly text: string; readonly take: (value: string, to: Parts) => Taken };
type Taken = { readonly rest: string; readonly outOfRange?: string } | undefined;
type Parts = { year: number; month: number; day: number; hour: number; minute: number; second: number; nanos: number; offset: number };

function parse(text: string, layout: string): Moment | Unreadable {
  const parts: Parts = { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0, nanos: 0, offset: 0 };
  const cannot = (value: string, element: string) =>
    new Unreadable(`parsing time ${quote(text)} as ${quote(layout)}: cannot parse ${quote(value)} as ${quote(element)}`);
  let rest = text;
  for (const element of layout === timeLayout ? timeElements : microTimeElements) {
    const taken = element.take(rest, parts);
    if (taken === undefined) return cannot(rest, element.text);
    if (taken.outOfRange !== undefined) return new Unreadable(`parsing time ${quote(text)}: ${taken.outOfRange} out of range`);
    rest = taken.rest;
  }
  if (rest !== "") return new Unreadable(`parsing time ${quote(text)}: extra text: ${quote(rest)}`);
  if (parts.day < 1 || parts.day > daysIn(parts.month, parts.year)) return new Unreadable(`parsing time ${quote(text)}: day out of range`);
  const seconds = epochSeconds(parts.year, parts.month, parts.day) + parts.hour * 3600 + parts.minute * 60 + parts.second - parts.offset;
  // Upstream accepts a year here that it cannot read back; reject it.
  if (!isWritable(seconds)) return new Unreadable(`parsing time ${quote(text)}: year out of range`);
  return { seconds, nanos: parts.nanos, offset: parts.offset };
}

function literal(text: string): Element {
  return { text, take: (value) => value.startsWith(text) ? { rest: value.slice(text.length) } : undefined };
}
function number(text: string, oneDigit: boolean, low: number, high: number, key: "month" | "day" | "hour" | "minute" | "second"): Element {
  return {
    text,
    take(value, to) {
      const digits = isDigit(value, 0) ? isDigit(value, 1) ? 2 : oneDigit ? 1 : 0 : 0;
      if (digits === 0) return undefined;
      to[key] = +value.slice(0, digits);
      return to[key] < low || to[key] > high ? { rest: "", outOfRange: key } : { rest: value.slice(digits) };
    },
  };
}
const year: Element = {
  text: "2006",
  take(value, to) {
    if (!/^[0-9]{4}/.test(value)) return undefined;
    to.year = +value.slice(0, 4);
    return { rest: value.slice(4) };
  },
};
/** Seconds may have a fraction that is not in the layout. */
const secondWithFraction: Element = {
  text: "05",
  take(value, to) {
    const taken = second.take(value, to);
    const fraction = taken === undefined ? null : /^[.,]([0-9]+)/.exec(taken.rest);
    if (taken === undefined || fraction === null) return taken;
    to.nanos = +fraction[1]!.slice(0, 9).padEnd(9, "0");
    return { rest: taken.rest.slice(fraction[0].length) };
  },
};
const second = number("05", false, 0, 59, "second");
const microseconds: Element = {
  text: ".000000",
  take(value, to) {
    if (!/^[.,][0-9]{6}/.test(value)) return undefined;
    to.nanos = +value.slice(1, 7) * 1000;
    return { rest: value.slice(7) };
  },
};
const zone: Element = {
  text: "Z07:00",
  take(value, to) {
    if (value.startsWith("Z")) return { rest: value.slice(1) };
    const offset = /^([+-])([0-9]{2}):([0-9]{2})/.exec(value);
    if (offset === null) return undefined;
    const hours = +offset[2]!, minutes = +offset[3]!;
    if (minutes > 60) return { rest: "", outOfRange: "time zone offset minute" };
    if (hours > 24) return { rest: "", outOfRange: "time zone offset hour" };
    to.offset = (offset[1] === "-" ? -1 : 1) * (hours * 60 + minutes) * 60;
    return { rest: value.slice(6) };
  },
};
const beforeSeconds: readonly Element[] = [
  year,
  literal("-"),
  number("01", false, 1, 12, "month"),
  literal("-"),
  // The day is compared with its month at the end; any two digits are accepted here.
  number("02", false, 0, 99, "day"),
  literal("T"),
  number("15", true, 0, 23, "hour"),
  literal(":"),
  number("04", false, 0, 59, "minute"),
  literal(":"),
];
const timeElements: readonly Element[] = [...beforeSeconds, secondWithFraction, zone];
const microTimeElements: readonly Element[] = [...beforeSeconds, second, microseconds, zone];

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0x30 && code <= 0x39;
}

/** Go's quoting in time errors: bytes outside printable ASCII in hexadecimal. */
function quote(text: string): string {
  let out = '"';
  for (const byte of new TextEncoder().encode(text)) {
    if (byte === 0x22 || byte === 0x5c) out += "\\" + String.fromCharCode(byte);
    else if (byte < 0x20 || byte >= 0x80) out += "\\x" + byte.toString(16).padStart(2, "0");
    else out += String.fromCharCode(byte);
  }
  return out + '"';
}
