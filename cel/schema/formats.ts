/** Strings of schemas whose format makes them another type: dates, times, durations and bytes. */
import { bytesOf, parseBase64 } from "../../core/scalars/base64.ts";
import { parseDuration } from "../../core/scalars/duration.ts";
import { isDate } from "../functions/formats/dates.ts";
import { timestampOf } from "../value/time.ts";
import { spend } from "../value/work.ts";
import { CelError, Duration, Timestamp, type Value } from "../values.ts";

/** Returns the value of a string of a format. */
export function formattedValue(text: string, format: string | undefined): Value {
  switch (format) {
    case "duration":
      return durationValue(text);
    case "date":
      return dateValue(text);
    case "date-time":
      return dateTimeValue(text);
    case "byte":
      return bytesValue(text);
    default:
      return text;
  }
}

/** Names of units, longest names first, with their nanoseconds. */
const units: readonly (readonly [RegExp, bigint])[] = [
  [/^(?:ns|nano)/i, 1n],
  [/^(?:us|\u00b5s|micro)/i, 1000n],
  [/^(?:ms|milli)/i, 1_000_000n],
  [/^(?:s$|sec)/i, 1_000_000_000n],
  [/^(?:m$|min)/i, 60_000_000_000n],
  [/^(?:h$|hr$|hour)/i, 3_600_000_000_000n],
  [/^(?:d$|day)/i, 86_400_000_000_000n],
  [/^(?:w$|wk$|week)/i, 604_800_000_000_000n],
];
/** Length above which a text is not searched for units; a longer text is an error. */
const wordsMax = 256;

function durationValue(text: string): Value {
  spend(text.length * 4);
  const nanoseconds = parseDuration(text);
  if (typeof nanoseconds === "bigint") return new Duration(nanoseconds);
  const invalid = new CelError(`Invalid duration ${text}: unable to parse ${text} as duration`);
  if (text.length > wordsMax) return invalid;
  let total = 0n, isFound = false;
  for (const part of text.match(/[0-9]+[^0-9]*/g) ?? []) {
    const count = /^[0-9]+/.exec(part)![0];
    const word = /^[A-Za-z\u00b5]+/.exec(part.slice(count.length).trimStart())?.[0] ?? "";
    const unit = units.find(([names]) => names.test(word));
    if (unit === undefined) continue;
    isFound = true;
    total += BigInt(count) * unit[1];
  }
  return isFound ? new Duration(BigInt.asIntN(64, total)) : invalid;
}

function dateValue(text: string): Value {
  const date = isDate(text) ? timestampOf(`${text}T00:00:00Z`) : undefined;
  if (date instanceof Timestamp) return date;
  return new CelError(`Invalid date formatted string ${text}: parsing time "${text}" as "2006-01-02": cannot parse "${text}" as "2006"`);
}

function dateTimeValue(text: string): Value {
  if (text === "") return new Timestamp(0n, 0);
  const time = timestampOf(text) ?? timestampOf(`${text}Z`);
  if (time instanceof Timestamp) return time;
  return new CelError(`Invalid date-time formatted string ${text}: parsing time "${text}"${timeMistake(text)}`);
}

/** Returns the error of Go's parser for a text that has been validated as a date and time. */
function timeMistake(text: string): string {
  if (text[10] !== "T") return ` as "2006-01-02T15:04:05": cannot parse "${text.slice(10)}" as "T"`;
  const known = /^.{19}(?:[.,][0-9]+)?/.exec(text)?.[0] ?? "";
  return `: extra text: "${text.slice(known.length)}"`;
}

function bytesValue(text: string): Value {
  spend(text.length);
  // The alphabet is that of URLs: `-` and `_` for `+` and `/`.
  const wrong = text.search(/[+/]/);
  if (wrong >= 0) return new CelError(`Invalid byte formatted string ${text}: illegal base64 data at input byte ${wrong}`);
  const parsed = parseBase64(text.replaceAll("-", "+").replaceAll("_", "/"));
  if (typeof parsed === "string") return bytesOf(parsed);
  return new CelError(`Invalid byte formatted string ${text}: ${parsed.error}`);
}
