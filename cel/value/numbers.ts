/** Ranges, conversions and comparison of int, uint and double, and the text of a double. */
import { Uint, type Value } from "../values.ts";

export const intMin = -(1n << 63n);
export const intMax = (1n << 63n) - 1n;
export const uintMax = (1n << 64n) - 1n;
const twoTo63 = 2 ** 63;
const twoTo64 = 2 ** 64;

export function isInt(value: bigint): boolean {
  return value >= intMin && value <= intMax;
}

/** Whether an integer part of a double is an int, as conversions have it: -2^63 is not. */
export function isIntRange(value: number): boolean {
  return value > -twoTo63 && value < twoTo63;
}
export function isUintRange(value: number): boolean {
  return value >= 0 && value < twoTo64;
}

/** Returns the int of equal value; undefined if there is none. */
export function intOf(value: Value): bigint | undefined {
  if (typeof value === "bigint") return value;
  if (typeof value === "number") return Number.isInteger(value) && isIntRange(value) ? BigInt(value) : undefined;
  return value instanceof Uint && value.value <= intMax ? value.value : undefined;
}

/** Returns the uint of equal value; undefined if there is none. */
export function uintOf(value: Value): bigint | undefined {
  if (typeof value === "bigint") return value < 0n ? undefined : value;
  if (typeof value === "number") return Number.isInteger(value) && isUintRange(value) ? BigInt(value) : undefined;
  return value instanceof Uint ? value.value : undefined;
}

export function isNumeric(value: Value): value is bigint | number | Uint {
  return typeof value === "bigint" || typeof value === "number" || value instanceof Uint;
}

/** Returns -1, 0 or 1. An integer is compared with a double as a double, if the double is in its range. NaN is excluded by the caller. */
export function compareNumbers(left: bigint | number | Uint, right: bigint | number | Uint): number {
  if (typeof left === "number") return typeof right === "number" ? compareOrdered(left, right) : -compareWithDouble(right, left);
  if (typeof right === "number") return compareWithDouble(left, right);
  return compareOrdered(left instanceof Uint ? left.value : left, right instanceof Uint ? right.value : right);
}

function compareWithDouble(integer: bigint | Uint, double: number): number {
  const isUint = integer instanceof Uint;
  if (double < (isUint ? 0 : -twoTo63)) return 1;
  if (double > (isUint ? twoTo64 : twoTo63)) return -1;
  return compareOrdered(Number(isUint ? integer.value : integer), double);
}

function compareOrdered<T extends bigint | number>(left: T, right: T): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Returns the digits and decimal exponent of the shortest text of a finite double: 0.d1d2d3... times 10^exponent. */
function shortest(size: number): { readonly digits: string; readonly exponent: number } {
  const [mantissa, exponent] = size.toExponential().split("e") as [string, string];
  return { digits: mantissa.replace(".", ""), exponent: Number(exponent) + 1 };
}

function special(value: number): string | undefined {
  return Number.isNaN(value) ? "NaN" : value === Infinity ? "+Inf" : value === -Infinity ? "-Inf" : undefined;
}

function signOf(value: number): string {
  return value < 0 || Object.is(value, -0) ? "-" : "";
}

/** Returns the shortest text, with an exponent below 10^-4 and from 10^6 on, as Go's `%g` has it. */
export function doubleText(value: number): string {
  const known = special(value);
  if (known !== undefined) return known;
  if (value === 0) return `${signOf(value)}0`;
  const { digits, exponent } = shortest(Math.abs(value));
  const power = exponent - 1;
  if (power >= -4 && power < 6) return plainDoubleText(value);
  const fraction = digits.length === 1 ? "" : `.${digits.slice(1)}`;
  const size = String(Math.abs(power)).padStart(2, "0");
  return `${signOf(value)}${digits[0]}${fraction}e${power < 0 ? "-" : "+"}${size}`;
}

/** Returns the shortest text without an exponent, as Go's `%f` with the smallest precision has it. */
export function plainDoubleText(value: number): string {
  const known = special(value);
  if (known !== undefined) return known;
  if (value === 0) return `${signOf(value)}0`;
  const { digits, exponent } = shortest(Math.abs(value));
  const sign = signOf(value);
  if (exponent <= 0) return `${sign}0.${"0".repeat(-exponent)}${digits}`;
  if (exponent >= digits.length) return sign + digits + "0".repeat(exponent - digits.length);
  return `${sign}${digits.slice(0, exponent)}.${digits.slice(exponent)}`;
}
