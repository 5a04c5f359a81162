/**
 * The schedules of cron jobs, as the library robfig/cron (version 3) reads them: five fields, or a descriptor such as `@daily`, after an
 * optional time zone. Nothing is scheduled here: only the errors are needed. Each function reads its text once.
 */
import { parseDuration } from "../../core/scalars/duration.ts";
import { goQuote, Unreadable } from "../../toolbox.ts";
import { isTimeZone } from "./time-zones.ts";

interface Field {
  readonly min: bigint;
  readonly max: bigint;
  readonly names?: readonly string[];
}
const fields: readonly Field[] = [
  { min: 0n, max: 59n },
  { min: 0n, max: 23n },
  { min: 1n, max: 31n },
  { min: 1n, max: 12n, names: ["", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"] },
  { min: 0n, max: 6n, names: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] },
];
const descriptors = ["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"];
const every = "@every ";
/** What Go's `unicode.IsSpace` accepts. */
const blanks = /[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;

/** Returns what is wrong with a schedule, or undefined. */
export function scheduleError(text: string): string | undefined {
  if (text === "") return "empty spec string";
  let rest = text;
  if (text.startsWith("TZ=") || text.startsWith("CRON_TZ=")) {
    const end = text.indexOf(" ");
    // The library fails here with an error of the language, which upstream's server returns.
    if (end < 0) return "invalid schedule format: runtime error: slice bounds out of range [:-1]";
    const zone = text.slice(text.indexOf("=") + 1, end), error = locationError(zone);
    if (error !== undefined) return `provided bad location ${zone}: ${error}`;
    rest = text.slice(end).split(blanks).filter((each) => each !== "").join(" ");
  }
  if (rest.startsWith("@")) return descriptorError(rest);
  const parts = rest.split(blanks).filter((each) => each !== "");
  if (parts.length !== fields.length) return `expected exactly 5 fields, found ${parts.length}: [${parts.join(" ")}]`;
  for (const [i, part] of parts.entries()) {
    for (const range of part.split(",")) {
      const error = range === "" ? undefined : rangeError(range, fields[i]!);
      if (error !== undefined) return error;
    }
  }
  return undefined;
}

/** Returns why Go does not load the time zone with this name, or undefined. */
export function locationError(name: string): string | undefined {
  if (name === "" || name === "Local" || isTimeZone(name)) return undefined;
  if (name.includes("..") || name.startsWith("/") || name.startsWith("\\")) return "time: invalid location name";
  return `unknown time zone ${name}`;
}

function descriptorError(text: string): string | undefined {
  if (descriptors.includes(text)) return undefined;
  if (!text.startsWith(every)) return `unrecognized descriptor: ${text}`;
  const duration = parseDuration(text.slice(every.length));
  return duration instanceof Unreadable ? `failed to parse duration ${text}: ${duration.error}` : undefined;
}

/** A number, `a-b` or a star, with an optional step after a slash. */
function rangeError(text: string, { min, max, names }: Field): string | undefined {
  const [range = "", stepText, ...more] = text.split("/"), [low = "", high, ...others] = range.split("-");
  let start = min, end = max;
  if (low !== "*" && low !== "?") {
    const first = numberOf(low, names);
    if (typeof first === "string") return first;
    const last = high === undefined || others.length > 0 ? first : numberOf(high, names);
    if (typeof last === "string") return last;
    if (others.length > 0) return `too many hyphens: ${text}`;
    start = first;
    end = last;
  }
  let step = 1n;
  if (stepText !== undefined && more.length === 0) {
    const number = numberOf(stepText);
    if (typeof number === "string") return number;
    step = number;
    if (high === undefined) end = max;
  }
  if (more.length > 0) return `too many slashes: ${text}`;
  if (start < min) return `beginning of range (${start}) below minimum (${min}): ${text}`;
  if (end > max) return `end of range (${end}) above maximum (${max}): ${text}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${text}`;
  return step === 0n ? `step of range should be a positive number: ${text}` : undefined;
}

const int64Max = 2n ** 63n - 1n;
/** The digits that the largest integer has, without leading zeros. */
const digitsMax = 19;

/** A number or a name, or Go's error. */
function numberOf(text: string, names: readonly string[] = []): bigint | string {
  const named = text === "" ? -1 : names.indexOf(text.toLowerCase());
  if (named >= 0) return BigInt(named);
  const wrong = (why: string) => `failed to parse int from ${text}: strconv.Atoi: parsing ${goQuote(text)}: ${why}`;
  const isNegative = text.startsWith("-"), digits = isNegative || text.startsWith("+") ? text.slice(1) : text;
  if (!/^[0-9]+$/.test(digits)) return wrong("invalid syntax");
  let at = 0;
  while (at < digits.length - 1 && digits[at] === "0") at++;
  const size = digits.length - at > digitsMax ? int64Max + 2n : BigInt(digits.slice(at));
  if (size > (isNegative ? int64Max + 1n : int64Max)) return wrong("value out of range");
  return isNegative && size > 0n ? `negative number (-${size}) not allowed: ${text}` : size;
}
