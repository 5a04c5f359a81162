/** Writes doubles for `format`, with commas between thousands and powers of ten in superscript, as upstream's locale en_US does. */
import { goQuote } from "../../../core/tree/go-quote.ts";
import { doubleText } from "../../value/numbers.ts";
import { spend } from "../../value/work.ts";
import { type Digits, parts, shortestDigits, toPlaces, toSignificant } from "./decimals.ts";

const defaultPrecision = 6;
/** If the first digits of a number in a clause exceed this, upstream does not treat it as a number. */
const clauseNumberMax = 1_000_000;
/** The text that upstream writes if a width or precision is too long. */
const noVerb = "%!(NOVERB)";
const superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹";

function isOverlong(number: number): boolean {
  return Math.floor(number / 10) > clauseNumberMax;
}
function sign(value: number): string {
  return value < 0 ? "-" : "";
}
function specialText(value: number): string | undefined {
  return Number.isNaN(value) ? "NaN" : Number.isFinite(value) ? undefined : `${sign(value)}∞`;
}

/** Writes `%.Nf`. Upstream keeps the precision in 16 bits for rounding, and in 8 bits for the zeros at the end. */
export function fixedText(value: number, precision = defaultPrecision): string {
  if (isOverlong(precision)) return noVerb;
  const known = specialText(value);
  if (known !== undefined) return known;
  const places = precision << 16 >> 16;
  spend(Math.abs(places));
  const size = Math.abs(value);
  const digits: Digits = places < 0 ? shortestDigits(size) : toPlaces(size, places);
  const { whole, fraction } = parts(digits);
  const padded = fraction.padEnd(precision & 0xff, "0");
  return `${sign(value)}${groupDigits(whole)}${padded === "" ? "" : `.${padded}`}`;
}

function groupDigits(whole: string): string {
  const groups: string[] = [];
  for (let end = whole.length; end > 0; end -= 3) groups.push(whole.slice(Math.max(0, end - 3), end));
  return groups.reverse().join(",");
}

/** Writes `%.Ne`. Upstream uses the number as the width; the precision is always 6. */
export function scientificText(value: number, width = defaultPrecision): string {
  if (isOverlong(width)) return noVerb;
  const text = specialText(value) ?? powerText(value);
  const columns = width & 0xffff;
  spend(columns);
  return text.padStart(columns, " ");
}

function powerText(value: number): string {
  const { digits, exponent } = toSignificant(Math.abs(value), defaultPrecision + 1);
  const power = digits === "" ? 0 : exponent - 1;
  const raised = String(Math.abs(power)).padStart(2, "0").replace(/[0-9]/g, (digit) => superscripts[Number(digit)]!);
  const all = digits.padEnd(defaultPrecision + 1, "0");
  return `${sign(value)}${all[0]}.${all.slice(1)}×10${power < 0 ? "⁻" : ""}${raised}`;
}

/** Writes a double in a list or map, with six places and without commas. */
export function literalDouble(value: number): string {
  if (!Number.isFinite(value)) return goQuote(doubleText(value));
  const { whole, fraction } = parts(toPlaces(Math.abs(value), defaultPrecision));
  return `${value < 0 || Object.is(value, -0) ? "-" : ""}${whole}.${fraction.padEnd(defaultPrecision, "0")}`;
}
