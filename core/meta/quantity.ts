/**
 * Amounts with a suffix, such as `250m` or `1.5Gi`: reading with upstream's grammar and words, the canonical text, and
 * the arithmetic that validation and defaults need. Values are exact; exponents stay symbolic until somebody compares.
 */
import type { Quantity } from "../schema.ts";
import { Unreadable } from "./unreadable.ts";

/** `digits * 10^exponent`, and how it likes to be written: with a suffix of thousands, of 1024s, or a bare exponent. */
export interface Amount {
  readonly digits: bigint;
  readonly exponent: number;
  readonly format: "decimal" | "binary" | "e" | "E";
}

const wrongFormat = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
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
/** The finest step that is kept, 10^-9. */
const finest = -9;
const binaryMax = (1n << 63n) - 1n;
/** Beyond this many digits only the order of magnitude is compared; nothing in the API comes near. */
const comparedExponentMax = 1000;

/** The amount that a text means, or what is wrong with it. Spaces around it are allowed, as upstream's decoder does. */
export function parseQuantity(source: string): Amount | Unreadable {
  const text = source.trim();
  if (text === "") return new Unreadable(wrongFormat);
  // Each part takes as much as it can, so nothing here backtracks.
  const parts = /^([+-]?)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)$/.exec(text);
  if (parts === null) return new Unreadable(wrongFormat);
  const whole = parts[2]!, fraction = parts[3] ?? "", suffix = parts[4]!;
  const known = decimalSuffixes.get(suffix);
  const power = (binarySuffixes as readonly string[]).indexOf(suffix);
  let digits = BigInt((whole + fraction) || "0") * (parts[1] === "-" ? -1n : 1n);
  let exponent = -fraction.length;
  let format: Amount["format"] = "decimal";
  if (known !== undefined) exponent += known;
  else if (power > 0) {
    digits *= 1n << BigInt(10 * power);
    format = "binary";
  } else {
    const scale = /^([eE])([-+]?[0-9]+)$/.exec(suffix);
    if (scale === null) return new Unreadable(wrongSuffix);
    const value = Number(scale[2]);
    if (!Number.isSafeInteger(value) || Math.abs(value) > 0x7fffffff) return new Unreadable(wrongSuffix);
    exponent += value;
    format = scale[1] === "e" ? "e" : "E";
  }
  return settle(digits, exponent, format);
}

/** Rounds away from zero to 10^-9, caps binary amounts, and writes small binary ones as decimal. */
function settle(digits: bigint, exponent: number, format: Amount["format"]): Amount {
  const fine = roundUp({ digits, exponent, format }, finest);
  if (format !== "binary") return fine;
  const whole = fine.exponent < 0 ? fine.digits / 10n ** BigInt(-fine.exponent) : fine.digits;
  if (whole > binaryMax || whole < -binaryMax) return { digits: whole > 0n ? binaryMax : -binaryMax, exponent: 0, format };
  return fine;
}

/** The amount in steps of 10^`step`, rounded away from zero. */
export function roundUp(amount: Amount, step: number): Amount {
  if (amount.exponent >= step || amount.digits === 0n) return amount;
  const sign = amount.digits < 0n ? -1n : 1n;
  const size = amount.digits * sign;
  // So far below a step that not even the division is worth doing: it is one step.
  const drop = step - amount.exponent;
  if (drop > String(size).length) return { digits: sign, exponent: step, format: amount.format };
  const divisor = 10n ** BigInt(drop);
  return { digits: sign * ((size + divisor - 1n) / divisor), exponent: step, format: amount.format };
}

/** The canonical text: no digits after the point, the largest suffix that keeps it exact. */
export function quantityText(amount: Amount): Quantity {
  if (amount.digits === 0n) return "0";
  if (amount.format === "binary") {
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
  let digits = amount.digits, exponent = amount.exponent;
  while (digits % 10n === 0n) {
    digits /= 10n;
    exponent++;
  }
  const over = ((exponent % 3) + 3) % 3;
  digits *= 10n ** BigInt(over);
  exponent -= over;
  const letter = amount.format === "e" || amount.format === "E" ? amount.format : undefined;
  if (exponent === 0) return `${digits}`;
  const suffix = letter === undefined ? decimalSuffixOf.get(exponent) : undefined;
  // Upstream loses the magnitude of decimal amounts from 10^21 on; an exponent keeps it.
  return `${digits}${suffix ?? `${letter ?? "e"}${exponent}`}`;
}

/** The canonical text of what was written, or what is wrong with it. */
export function canonicalQuantity(source: string): Quantity | Unreadable {
  const amount = parseQuantity(source);
  return amount instanceof Unreadable ? amount : quantityText(amount);
}

/** The amount of a canonical text. */
export function amountOf(canonical: Quantity): Amount {
  const amount = parseQuantity(canonical);
  if (amount instanceof Unreadable) throw new Error(`Not a canonical quantity: ${canonical}`);
  return amount;
}

/** Negative, zero or positive as `a` is less than, equal to or more than `b`; formats do not matter. */
export function compareQuantities(a: Quantity, b: Quantity): number {
  const left = amountOf(a), right = amountOf(b);
  const signs = signOf(left.digits) - signOf(right.digits);
  if (signs !== 0 || left.digits === 0n) return signs;
  const magnitude = magnitudeOf(left) - magnitudeOf(right);
  if (magnitude !== 0) return magnitude * signOf(left.digits);
  const low = Math.min(left.exponent, right.exponent);
  if (Math.max(left.exponent, right.exponent) - low > comparedExponentMax) return 0;
  return signOf(left.digits * 10n ** BigInt(left.exponent - low) - right.digits * 10n ** BigInt(right.exponent - low));
}

/** Both together, written as the first is; as the second where the first is nothing. */
export function sumOf(a: Amount, b: Amount): Amount {
  const exponent = Math.min(a.exponent, b.exponent);
  if (Math.max(a.exponent, b.exponent) - exponent > comparedExponentMax) return a.exponent > b.exponent ? a : b;
  const scaled = (amount: Amount) => amount.digits * 10n ** BigInt(amount.exponent - exponent);
  return settle(scaled(a) + scaled(b), exponent, a.digits === 0n ? b.format : a.format);
}

/** The whole number that the amount is, or undefined when it has a fraction or is beyond all measure. */
export function integerOf(amount: Amount): bigint | undefined {
  if (amount.exponent >= 0) {
    return amount.exponent > comparedExponentMax ? undefined : amount.digits * 10n ** BigInt(amount.exponent);
  }
  const divisor = 10n ** BigInt(-amount.exponent);
  return amount.digits % divisor === 0n ? amount.digits / divisor : undefined;
}

function signOf(value: bigint): number {
  return value > 0n ? 1 : value < 0n ? -1 : 0;
}
function magnitudeOf(amount: Amount): number {
  return String(amount.digits < 0n ? -amount.digits : amount.digits).length + amount.exponent;
}
