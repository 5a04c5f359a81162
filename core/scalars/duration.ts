/** Go durations as text: `1h2m3.5s`. They are int64 nanoseconds, at most about 292 years. */
import { trimEndOf } from "../trim-end.ts";
import { goQuote } from "../tree/go-quote.ts";
import { Unreadable } from "./unreadable.ts";

const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  "\u00b5s": 1000n,
  "\u03bcs": 1000n,
  ms: 1000000n,
  s: 1000000000n,
  m: 60000000000n,
  h: 3600000000000n,
};
const limit = 1n << 63n;

/** Parses a duration as `time.ParseDuration`. Returns nanoseconds or Go's error. */
export function parseDuration(text: string): bigint | Unreadable {
  const invalid = () => new Unreadable(`time: invalid duration ${goQuote(text)}`);
  const negative = text.startsWith("-");
  let rest = negative || text.startsWith("+") ? text.slice(1) : text;
  if (rest === "0") return 0n;
  if (rest === "") return invalid();
  let total = 0n;
  while (rest !== "") {
    const number = /^([0-9]*)(?:\.([0-9]*))?/.exec(rest)!;
    if (!number[1] && !number[2]) return invalid();
    rest = rest.slice(number[0].length);
    const name = /^[^.0-9]*/.exec(rest)![0];
    if (name === "") return new Unreadable(`time: missing unit in duration ${goQuote(text)}`);
    if (!Object.hasOwn(units, name)) return new Unreadable(`time: unknown unit ${goQuote(name)} in duration ${goQuote(text)}`);
    rest = rest.slice(name.length);
    // More than 19 digits of a fraction do not change its nanoseconds; an integer part of that length exceeds the limit.
    if (number[1]!.replace(/^0+/, "").length > 19) return invalid();
    const fraction = (number[2] ?? "").slice(0, 19);
    total += BigInt(number[1] || "0") * units[name]! + BigInt(fraction || "0") * units[name]! / 10n ** BigInt(fraction.length);
    if (total > limit) return invalid();
  }
  if (negative) return -total;
  return total > limit - 1n ? invalid() : total;
}

/** Returns the canonical text, as `Duration.String` writes it: `1m30s`, `1.5ms`, `0s`. */
export function durationText(nanos: bigint): string {
  if (nanos === 0n) return "0s";
  const sign = nanos < 0n ? "-" : "";
  const size = nanos < 0n ? -nanos : nanos;
  if (size < 1000n) return `${sign}${size}ns`;
  if (size < 1000000n) return `${sign}${decimal(size, 3)}\u00b5s`;
  if (size < 1000000000n) return `${sign}${decimal(size, 6)}ms`;
  const minutes = size / 60000000000n, hours = minutes / 60n;
  const seconds = `${decimal(size % 60000000000n, 9)}s`;
  return sign + (hours > 0n ? `${hours}h${minutes % 60n}m` : minutes > 0n ? `${minutes}m` : "") + seconds;
}

function decimal(value: bigint, digits: number): string {
  const text = String(value).padStart(digits + 1, "0");
  const fraction = trimEndOf(text.slice(-digits), "0");
  return text.slice(0, -digits) + (fraction === "" ? "" : `.${fraction}`);
}
