/**
 * Quantities with a suffix, such as `250m` or `1.5Gi`: parsing with upstream's grammar and errors, the canonical text, and the arithmetic of
 * validation and defaults. Values are exact; exponents stay symbolic until quantities are compared. Upstream accepts any number of digits,
 * so digits are kept as text: all functions except sums take linear time.
 */
import { bound } from "../bound.ts";
import type { Quantity } from "../schema.ts";
import { addDigits, multiplyDigits, roundDigits } from "./decimal-digits.ts";
import { Unreadable } from "./unreadable.ts";

/** `digits * 10^exponent` with a sign, and the preferred suffix: powers of 1000, powers of 1024, or an exponent. */
export interface Amount {
  /** The sign. Zero is not negative. */
  readonly negative: boolean;
  /** Without leading and trailing zeros; empty for zero. */
  readonly digits: string;
  /** The power of ten that multiplies `digits`. */
  readonly exponent: number;
  /** The kind of suffix that `quantityText` writes: `m` and `k`, `Ki` and `Mi`, `e3`, or `E3`. */
  readonly format: "decimal" | "binary" | "e" | "E";
}

const wrongFormat = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const wrongNumber = "unable to parse numeric part of quantity";
const wrongSuffix = "unable to parse quantity's suffix";

const decimalSuffixes: ReadonlyMap<string, number> = new Map([
  ["n", -9],
  ["u", -6],
  ["m", -3],
  ["", 0],
  ["k", 3],
  ["M", 6],
  ["G", 9],
  ["T", 12],
  ["P", 15],
  ["E", 18],
]);
const decimalSuffixOf: ReadonlyMap<number, string> = new Map([...decimalSuffixes].map(([suffix, exponent]) => [exponent, suffix]));
const binarySuffixes = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"] as const;
/** Index of `Pi`. */
const firstLargePower = 5;
/** The highest precision, 10^-9. */
const finest = -9;
/** 2^63 - 1, the largest binary amount. */
const binaryMax = "9223372036854775807";
/** Bound of digits and trailing zeros of integers. `integerOf` and `isWhole` reject larger ones. */
const integerDigitsMax = 1000;
/** Sums are exact up to this number of digits. Longer sums are rounded away from zero, which bounds the cost of additions. */
const summedDigitsMax = 1000;

/** Quantities whose amounts are remembered. */
const rememberedQuantitiesMax = bound(1_000);
/** Characters of a quantity that is remembered. Slices of this length are copies in V8, which keep no body in memory. */
const rememberedCharactersMax = bound(12);
/** The amounts of texts: a write of a Pod parses each of its quantities some ten times. When it is full, it begins anew. */
const remembered = new Map<string, Amount | Unreadable>();

/** Parses a quantity. Returns the amount or upstream's error. Allows surrounding spaces, as upstream's decoder. */
export function parseQuantity(source: string): Amount | Unreadable {
  const known = remembered.get(source);
  if (known !== undefined) return known;
  const amount = parsedQuantity(source);
  if (source.length > rememberedCharactersMax) return amount;
  if (remembered.size === rememberedQuantitiesMax) remembered.clear();
  remembered.set(source, amount);
  return amount;
}

function parsedQuantity(source: string): Amount | Unreadable {
  const text = source.trim();
  if (text === "") return new Unreadable(wrongFormat);
  const [head, sign, whole, fraction = ""] = /^([+-]?)([0-9]*)(?:\.([0-9]*))?/.exec(text) as unknown as readonly [
    string,
    string,
    string,
    string?,
  ]; // matches any text
  const suffix = text.slice(head.length), negative = sign === "-";
  const known = decimalSuffixes.get(suffix);
  const power = (binarySuffixes as readonly string[]).indexOf(suffix);
  // Upstream takes no digits for zero, except where it needs more than an int64.
  const isEmpty = whole + fraction === "";
  if (isEmpty && power >= firstLargePower) return new Unreadable(wrongNumber);
  if (known !== undefined) return fine(negative, whole + fraction, known - fraction.length, "decimal");
  if (power > 0) return binary(negative, whole + fraction, -fraction.length, 1n << BigInt(10 * power));
  if (!/^[eEinumkKMGTP]*[-+]?[0-9]*$/.test(suffix)) return new Unreadable(wrongFormat);
  const scale = /^([eE])([-+]?[0-9]+)$/.exec(suffix);
  if (scale === null) return new Unreadable(wrongSuffix);
  const value = Number(scale[2]);
  if (!Number.isSafeInteger(value) || Math.abs(value) > 0x7fffffff) return new Unreadable(wrongSuffix);
  if (isEmpty && value < finest) return new Unreadable(wrongNumber);
  return fine(negative, whole + fraction, value - fraction.length, scale[1] === "e" ? "e" : "E");
}

/** Returns the amount without leading and trailing zeros. */
function amountFrom(negative: boolean, digits: string, exponent: number, format: Amount["format"]): Amount {
  let start = 0, end = digits.length;
  while (start < end && digits.charCodeAt(start) === 0x30) start++;
  while (end > start && digits.charCodeAt(end - 1) === 0x30) end--;
  if (start === end) return { negative: false, digits: "", exponent: 0, format };
  return { negative, digits: digits.slice(start, end), exponent: exponent + digits.length - end, format };
}

/** Rounded away from zero to 10^-9. */
function fine(negative: boolean, digits: string, exponent: number, format: Amount["format"]): Amount {
  return roundUp(amountFrom(negative, digits, exponent, format), finest);
}

/** Returns the binary amount `digits * 10^exponent * factor`, at most 2^63 - 1 in size. */
function binary(negative: boolean, digits: string, exponent: number, factor: bigint): Amount {
  const most: Amount = { negative, digits: binaryMax, exponent: 0, format: "binary" };
  const given = amountFrom(negative, digits, exponent, "binary");
  // The factor is at least 1, so the product exceeds the maximum too.
  if (given.digits === "" || compareSizes(given, most) > 0) return given.digits === "" ? given : most;
  const exact = fine(negative, multiplyDigits(given.digits, factor), given.exponent, "binary");
  return compareSizes(exact, most) > 0 ? most : exact;
}

/** Returns the amount in steps of 10^`step`, rounded away from zero. */
export function roundUp(amount: Amount, step: number): Amount {
  const { negative, digits, exponent, format } = amount;
  if (exponent >= step || digits === "") return amount;
  // The last digit is not zero, so removing digits always rounds.
  return amountFrom(negative, roundDigits(digits, digits.length - (step - exponent)), step, format);
}

/** Returns the canonical text: without a fraction, with the largest exact suffix. */
export function quantityText(amount: Amount): Quantity {
  const { negative, digits, exponent, format } = amount;
  if (digits === "") return "0";
  if (format === "binary") {
    const exact = integerOf(amount);
    if (exact !== undefined && (exact <= -1024n || exact >= 1024n)) {
      let value = exact, power = 0;
      while (power < 6 && value % 1024n === 0n) {
        value /= 1024n;
        power++;
      }
      return `${value}${binarySuffixes[power]}`;
    }
  }
  const over = ((exponent % 3) + 3) % 3;
  const number = `${negative ? "-" : ""}${digits}${"0".repeat(over)}`;
  const power = exponent - over;
  if (power === 0) return number;
  const letter = format === "e" || format === "E" ? "e" : undefined; // upstream writes `E` in a kept spelling only
  const suffix = letter === undefined ? decimalSuffixOf.get(power) : undefined;
  // Upstream loses the magnitude of decimal quantities from 10^21; the exponent keeps it.
  return `${number}${suffix ?? `${letter ?? "e"}${power}`}`;
}

/** The text of a quantity as it is stored, or upstream's error: the spelling that was sent where upstream keeps it, else the canonical text. */
export function storedQuantity(source: string): Quantity | Unreadable {
  const amount = parseQuantity(source);
  if (amount instanceof Unreadable) return amount;
  const text = source.trim();
  return keepsSpelling(text) ? text : quantityText(amount);
}

/**
 * Whether upstream keeps the spelling of a valid quantity. It does for numbers that need few digits and whose suffix is the canonical one, so
 * also with a sign, leading zeros, a point without digits, or three digits after it: `+5`, `01`, `1.`, `1.500`.
 */
function keepsSpelling(text: string): boolean {
  const [head, , wholeText, fraction = ""] = /^([+-]?)([0-9]*)(?:\.([0-9]*))?/.exec(text) as unknown as readonly [
    string,
    string,
    string,
    string?,
  ]; // matches any text
  let zeros = 0;
  while (wholeText.charCodeAt(zeros) === 0x30) zeros++;
  const whole = wholeText.slice(zeros), suffix = text.slice(head.length);
  const power = (binarySuffixes as readonly string[]).indexOf(suffix);
  if (power > 0) return fraction === "" && whole !== "" && whole.length <= binaryDigitsMax - 3 * power && Number(whole.slice(-3)) % 8 !== 0;
  const digits = whole + fraction, exponent = (decimalSuffixes.get(suffix) ?? Number(suffix.slice(1))) - fraction.length;
  return whole !== "" && digits.length <= keptDigitsMax && exponent >= finest && exponent % 3 === 0 && !digits.endsWith("000");
}
/** Digits of a decimal quantity, and of a binary one without suffix, up to which the spelling is kept. */
const keptDigitsMax = 18, binaryDigitsMax = 14;

/** Returns the amount of a quantity in canonical text, as hooks get it. */
export function amountOf(canonical: Quantity): Amount {
  const amount = parseQuantity(canonical);
  if (amount instanceof Unreadable) throw new Error(`Not a canonical quantity: ${canonical}`);
  return amount;
}

/** Negative, zero or positive if `a` is less than, equal to or greater than `b`. Ignores formats. */
export function compareQuantities(a: Quantity, b: Quantity): number {
  return compareAmounts(amountOf(a), amountOf(b));
}

/** Negative, zero or positive if `left` is less than, equal to or greater than `right`. Ignores formats. */
export function compareAmounts(left: Amount, right: Amount): number {
  const signs = signOf(left) - signOf(right);
  if (signs !== 0) return signs;
  return left.negative ? compareSizes(right, left) : compareSizes(left, right);
}

/** Compares absolute values. Digits that begin at the same power of ten compare as text. */
function compareSizes(a: Amount, b: Amount): number {
  if (a.digits === "" || b.digits === "") return a.digits.length - b.digits.length;
  const magnitude = a.digits.length + a.exponent - (b.digits.length + b.exponent);
  if (magnitude !== 0) return magnitude;
  return a.digits === b.digits ? 0 : a.digits < b.digits ? -1 : 1;
}

/** Returns the sum, in the format of the first amount, or of the second if the first is zero. Exact up to `summedDigitsMax` digits. */
export function sumOf(a: Amount, b: Amount): Amount {
  const sum = uncappedSum(a, b);
  if (sum.format === "binary") return binary(sum.negative, sum.digits, sum.exponent, 1n);
  return fine(sum.negative, sum.digits, sum.exponent, sum.format);
}

/** `sumOf` without the bounds of precision and size that parsing has. */
export function uncappedSum(a: Amount, b: Amount): Amount {
  const format = a.digits === "" ? b.format : a.format;
  const [most, least] = compareSizes(a, b) < 0 ? [shorten(b), shorten(a)] : [shorten(a), shorten(b)];
  // The smaller amount would be lost by rounding.
  if (least.digits === "" || most.digits.length + most.exponent - least.exponent > 2 * summedDigitsMax) return { ...most, format };
  const exponent = Math.min(most.exponent, least.exponent);
  const sum = addDigits(signedDigits(most, exponent), signedDigits(least, exponent));
  return amountFrom(sum.negative, sum.digits, exponent, format);
}

/** Returns the amount rounded away from zero to `summedDigitsMax` digits. */
export function shorten(amount: Amount): Amount {
  return roundUp(amount, amount.exponent + Math.max(0, amount.digits.length - summedDigitsMax));
}

function signedDigits({ negative, digits, exponent }: Amount, step: number): { negative: boolean; digits: string } {
  return { negative, digits: digits + "0".repeat(exponent - step) };
}

/** Whether the amount has no fraction: `1500m` has one, `2` and `1Ki` have none. */
export function isWhole({ exponent }: Amount): boolean {
  return exponent >= 0 && exponent <= integerDigitsMax;
}

/** Returns the amount as an integer; undefined if it has a fraction or exceeds the bound of digits. */
export function integerOf(amount: Amount): bigint | undefined {
  const { negative, digits, exponent } = amount;
  if (!isWhole(amount) || digits.length > integerDigitsMax) return undefined;
  const size = BigInt(digits + "0".repeat(exponent));
  return negative ? -size : size;
}

/** Returns the sign of an amount: -1, 0 or 1. */
export function signOf({ negative, digits }: Amount): number {
  return digits === "" ? 0 : negative ? -1 : 1;
}
