/** Texts to numbers and bytes, with the syntax of Go's `strconv`. Undefined for invalid text. */
import { intMax, intMin, uintMax } from "./numbers.ts";
import { spend } from "./work.ts";
import { CelError } from "../values.ts";

/** Digits of 2^64-1. */
const digitsMax = 20;

function wholeNumber(digits: string): bigint | undefined {
  const significant = digits.replace(/^0+/, "");
  return significant.length > digitsMax ? undefined : BigInt(significant);
}

/** Parses a decimal int with an optional sign. */
export function intOfText(text: string): bigint | undefined {
  spend(text.length);
  if (!/^[+-]?[0-9]+$/.test(text)) return undefined;
  const isSigned = text.startsWith("-") || text.startsWith("+");
  const size = wholeNumber(isSigned ? text.slice(1) : text);
  if (size === undefined) return undefined;
  const value = text.startsWith("-") ? -size : size;
  return value < intMin || value > intMax ? undefined : value;
}

/** Parses a decimal uint without a sign. */
export function uintOfText(text: string): bigint | undefined {
  spend(text.length);
  const value = /^[0-9]+$/.test(text) ? wholeNumber(text) : undefined;
  return value === undefined || value > uintMax ? undefined : value;
}

/** Parses a decimal or hexadecimal double; undefined for a finite number beyond the range of doubles. */
export function doubleOf(source: string): number | undefined {
  spend(source.length);
  const sign = source.startsWith("-") ? -1 : 1;
  const unsigned = /^[+-]/.test(source) ? source.slice(1) : source;
  const lower = unsigned.toLowerCase();
  if (lower === "inf" || lower === "infinity") return sign * Infinity;
  if (source.toLowerCase() === "nan") return NaN;
  const digits = withoutSeparators(unsigned);
  const size = digits === undefined ? undefined : finite(digits);
  return size === undefined || size === Infinity ? undefined : sign * size;
}

/** Removes underscores, which may stand between digits and after `0x`. */
function withoutSeparators(text: string): string | undefined {
  if (!text.includes("_")) return text;
  const isHexadecimal = /^0[xX]/.test(text);
  const body = isHexadecimal ? `0${text.slice(2)}` : text;
  const allowed = isHexadecimal ? /^(?:[0-9a-fA-F]|_[0-9a-fA-F]|[.pP+-])*$/ : /^(?:[0-9]|_[0-9]|[.eE+-])*$/;
  if (!allowed.test(body) || /(?:^|[^0-9a-fA-F])_/.test(body)) return undefined;
  return text.replaceAll("_", "");
}

function finite(text: string): number | undefined {
  if (/^(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/.test(text)) return Number(text);
  const hexadecimal = /^0[xX]([0-9a-fA-F]*)(?:\.([0-9a-fA-F]*))?[pP]([+-]?[0-9]+)$/.exec(text);
  if (hexadecimal === null) return undefined;
  const [, whole = "", fraction = "", exponent] = hexadecimal;
  return whole + fraction === "" ? undefined : hexadecimalValue(whole, fraction, Number(exponent));
}

/** Returns the nearest double of a hexadecimal number: digits beyond 64 bits only decide about rounding. */
function hexadecimalValue(whole: string, fraction: string, exponent: number): number {
  const all = (whole + fraction).replace(/^0+/, "");
  if (all === "") return 0;
  const kept = all.slice(0, 16);
  const isInexact = /[1-9a-fA-F]/.test(all.slice(16));
  const size = (BigInt(`0x${kept}`) << 2n) | (isInexact ? 1n : 0n);
  const power = exponent - 4 * fraction.length + 4 * (all.length - kept.length) - 2;
  return scaledByTwo(size, power);
}

function scaledByTwo(size: bigint, power: number): number {
  if (power > 2000) return Infinity;
  if (power < -2000) return 0;
  const bits = size.toString(2).length;
  // Subnormal numbers have fewer bits: round once, to the bits that stay.
  const kept = Math.min(53, bits + power + 1074);
  if (kept < 0) return 0;
  const dropped = BigInt(Math.max(0, bits - kept));
  const half = dropped === 0n ? 0n : 1n << (dropped - 1n);
  const rest = size & ((1n << dropped) - 1n);
  let quotient = size >> dropped;
  if (dropped > 0n && (rest > half || rest === half && (quotient & 1n) === 1n)) quotient++;
  const exponent = power + Number(dropped);
  // In two steps, because 2 ** exponent alone may exceed the range.
  const step = Math.trunc(exponent / 2);
  return Number(quotient) * 2 ** step * 2 ** (exponent - step);
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();
const invalidUtf8 = new CelError("invalid UTF-8 in bytes, cannot convert to string");

export function decodeUtf8(bytes: Uint8Array): string | CelError {
  spend(bytes.length);
  try {
    return decoder.decode(bytes);
  } catch {
    // The decoder throws a TypeError for bytes that are not UTF-8.
    return invalidUtf8;
  }
}

export function encodeUtf8(text: string): Uint8Array {
  spend(text.length);
  return encoder.encode(text);
}
