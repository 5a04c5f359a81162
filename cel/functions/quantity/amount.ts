/**
 * Quantities as expressions see them: exact values (`core/scalars/quantity.ts`), and whether upstream keeps a value as an int64 with a scale.
 * Only such values convert to integers, and their digits decide how conversions to doubles are rounded.
 */
import { type Amount, parseQuantity, quantityText, uncappedSum } from "../../../core/scalars/quantity.ts";
import { Unreadable } from "../../../core/scalars/unreadable.ts";

/** The number `value * 10^scale`. */
interface Scaled {
  readonly value: bigint;
  readonly scale: number;
}

export interface Exact {
  readonly amount: Amount;
  /** The value as upstream keeps it in an int64; undefined if it keeps any number of digits. */
  readonly scaled: Scaled | undefined;
  /** Number of digits after the decimal point, for values with any number of digits. */
  readonly places: number;
  /** The parsed text, if upstream keeps it as the canonical text. */
  readonly written?: string;
}

const int64Max = (1n << 63n) - 1n;
const int64Min = -(1n << 63n);
/** Number of digits that always fit into an int64. */
const safeDigits = 18;
/** Number of digits of a binary quantity that always fit into an int64, by upstream's estimate. */
const safeBinaryDigits = 14;
/** Maximum number of digits after the decimal point of a quantity. */
const finestPlaces = 9;
/** The exponents of two of binary suffixes, divided by ten. */
const binarySuffixes: ReadonlyMap<string, number> = new Map([["Ki", 1], ["Mi", 2], ["Gi", 3], ["Ti", 4], ["Pi", 5], ["Ei", 6]]);
/** The digits of the largest binary quantity that upstream keeps without digits after the decimal point. */
const binaryMax = String(int64Max);
const noScale: Scaled = { value: 0n, scale: 0 };

/** Parses a quantity. Unlike in decoders, spaces around it are errors. */
export function parseExact(text: string): Exact | Unreadable {
  const amount = parseQuantity(text);
  if (amount instanceof Unreadable) return amount;
  if (text !== text.trim()) return parseQuantity(".x") as Unreadable;
  const scaled = scaledOf(text, amount);
  return {
    amount,
    scaled,
    places: amount.format === "binary" && amount.digits === binaryMax ? 0 : finestPlaces,
    ...(keepsText(text, scaled) ? { written: text } : {}),
  };
}

/** Whether upstream keeps the text: its scale is that of a suffix, and it has no zeros that a canonical text would not have. */
function keepsText(text: string, scaled: Scaled | undefined): boolean {
  if (scaled === undefined || scaled.scale % 3 !== 0) return false;
  const { length } = text, digits = scaled.value < 0n ? -scaled.value : scaled.value;
  const power = binarySuffixes.get(text.slice(length - 2));
  if (power !== undefined) return (digits >> BigInt(10 * power) & 7n) !== 0n;
  // Digits that begin with a zero are written with a zero before the decimal point, or are zero.
  return digits !== 0n && digits % 1000n !== 0n && !/^[+-]?0*\./.test(text);
}

/** Returns the canonical text. */
export function exactText({ amount, written }: Exact): string {
  return written ?? quantityText(amount.format === "E" ? { ...amount, format: "e" } : amount);
}

/** Returns the value as an int64 with a scale, if upstream keeps it so: it has few digits and a scale of at least nano. */
function scaledOf(text: string, amount: Amount): Scaled | undefined {
  const signed = text.startsWith("-") || text.startsWith("+") ? 1 : 0;
  let at = signed;
  while (text[at] === "0") at++;
  if (at === text.length) return noScale;
  const whole = digitsEnd(text, at), point = text[whole] === ".";
  const end = point ? digitsEnd(text, whole + 1) : whole;
  const fraction = point ? end - whole - 1 : 0;
  const digits = Math.max(1, whole - at) + fraction;
  const power = binarySuffixes.get(text.slice(end));
  const written = BigInt(digits > safeDigits ? 0 : `${text.slice(at, whole)}${point ? text.slice(whole + 1, end) : ""}` || 0);
  const value = amount.negative ? -written : written;
  if (power !== undefined) {
    if (fraction > 0 || safeBinaryDigits - digits - Math.trunc(power * 3) < 0) return undefined;
    return inRange({ value: value << BigInt(10 * power), scale: 0 });
  }
  const scale = exponentOf(text.slice(end)) - fraction;
  return digits > safeDigits || scale < -finestPlaces ? undefined : { value, scale };
}

function digitsEnd(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) >= 0x30 && text.charCodeAt(at) <= 0x39) at++;
  return at;
}

const decimalSuffixes = "num kMGTPE";
/** Returns the power of ten of a valid decimal suffix. */
function exponentOf(suffix: string): number {
  return suffix.length < 2 ? suffix === "" ? 0 : 3 * (decimalSuffixes.indexOf(suffix) - 3) : Number(suffix.slice(1));
}

function inRange(scaled: Scaled): Scaled | undefined {
  return scaled.value >= int64Min && scaled.value <= int64Max ? scaled : undefined;
}

/** Returns the sum, in upstream's representation. */
export function addExact(a: Exact, b: Exact): Exact {
  const scaled = a.scaled && b.scaled && addScaled(a.scaled, b.scaled);
  return { amount: uncappedSum(a.amount, b.amount), scaled, places: Math.max(placesOf(a), placesOf(b)) };
}

function placesOf({ scaled, places }: Exact): number {
  return scaled === undefined ? places : -scaled.scale;
}

/** Returns the sum; undefined if a step exceeds an int64. */
function addScaled(a: Scaled, b: Scaled): Scaled | undefined {
  if (b.value === 0n) return a;
  if (a.value === 0n) return b;
  const scale = Math.min(a.scale, b.scale);
  const left = atScale(a, scale), right = atScale(b, scale);
  return left === undefined || right === undefined ? undefined : inRange({ value: left + right, scale });
}

/** Returns the value at a lower scale; undefined if it exceeds an int64. */
function atScale({ value, scale }: Scaled, to: number): bigint | undefined {
  if (scale === to || value === 0n) return value;
  // Except for zero, no int64 has room for more digits.
  if (scale - to > safeDigits) return undefined;
  const result = value * 10n ** BigInt(scale - to);
  return result >= int64Min && result <= int64Max ? result : undefined;
}

/** Returns the negated value. */
export function negate({ amount, scaled, places }: Exact): Exact {
  return {
    amount: amount.digits === "" ? amount : { ...amount, negative: !amount.negative },
    // -2^63 has no positive int64; upstream's negation returns it unchanged.
    scaled: scaled === undefined ? undefined : { value: BigInt.asIntN(64, -scaled.value), scale: scaled.scale },
    places,
  };
}

/** Returns an integer as a quantity. */
export function exactOf(value: bigint): Exact {
  const amount = parseQuantity(String(value)) as Amount;
  return { amount: { ...amount, format: "e" }, scaled: { value, scale: 0 }, places: 0 };
}

/** Returns the value as an int; undefined if upstream cannot convert it. */
export function intOf({ scaled }: Exact): bigint | undefined {
  return scaled === undefined || scaled.scale < 0 ? undefined : atScale(scaled, 0);
}

/** Returns the double that upstream computes: the nearest doubles of the digits and of the power of ten, multiplied. */
export function doubleOf({ amount, scaled, places }: Exact): number {
  if (scaled !== undefined) return scaled.scale === 0 ? Number(scaled.value) : Number(scaled.value) * powerOf10(scaled.scale);
  const digits = Number(`${amount.negative ? "-" : ""}${amount.digits || "0"}e${amount.exponent + places}`);
  return places === 0 ? digits : digits * powerOf10(-places);
}

/** Computes what Go's `math.Pow10` does. */
function powerOf10(exponent: number): number {
  if (exponent < -323) return 0;
  if (exponent > 308) return Infinity;
  const low = Math.abs(exponent) % 32, high = Math.abs(exponent) - low;
  return exponent >= 0 ? Number(`1e${low}`) * Number(`1e${high}`) : Number(`1e-${high}`) / Number(`1e${low}`);
}
