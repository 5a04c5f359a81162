/** Formats of strings that schemas of custom resources can name (upstream: kube-openapi `strfmt`). Others are not checked. */
import { parseDuration } from "../scalars/duration.ts";
import { Unreadable } from "../scalars/unreadable.ts";
import { parseAddress } from "../net/address.ts";
import { requestUriMistake } from "../net/url/parse.ts";
import { isMailAddress } from "./mail-address.ts";

export type FormatCheck = (text: string) => boolean;

const matches = (pattern: RegExp): FormatCheck => (text) => pattern.test(text);

/** By name without dashes. */
const checks: Readonly<Record<string, FormatCheck>> = Object.freeze({
  bsonobjectid: matches(/^[0-9a-fA-F]{24}$/),
  uri: (text) => requestUriMistake(text) === undefined,
  email: isMailAddress,
  hostname: isHostname,
  ipv4: (text) => text.includes(".") && addressBytes(text) !== undefined,
  ipv6: (text) => text.includes(":") && !text.includes("%") && !(parseAddress(text) instanceof Unreadable),
  cidr: isCidr,
  mac: isMac,
  uuid: matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i),
  uuid3: matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i),
  uuid4: matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i),
  uuid5: matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i),
  isbn: (text) => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  creditcard: isCreditCard,
  ssn: (text) => text.length === 11 && /^[0-9]{3}[- ]?[0-9]{2}[- ]?[0-9]{4}$/.test(text),
  hexcolor: matches(/^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/),
  rgbcolor: isRgbColor,
  byte: isBase64,
  password: () => true,
  date: isDate,
  duration: isDuration,
  datetime: isDateTime,
  k8sshortname: (text) => text.length <= 63 && isNameSegment(text),
  k8slongname: (text) => text.length <= 253 && text.split(".").every(isNameSegment),
});

/** Returns the check of a format; undefined for a format that is not checked. */
export function formatCheck(format: string): FormatCheck | undefined {
  const name = format.replaceAll("-", "");
  return Object.hasOwn(checks, name) ? checks[name] : undefined;
}

function isNameSegment(text: string): boolean {
  return /^[a-z0-9-]+$/.test(text) && !text.startsWith("-") && !text.endsWith("-");
}

const labelCharacters = /^[a-zA-Z0-9\p{S}\p{L}-]+$/u;

/** Whether a text consists of labels of letters, digits, symbols and inner dashes. If there are several, the last one has letters only. */
function isHostname(text: string): boolean {
  if (!hasAtMostBytes(text, 255)) return false;
  const labels = text.split(".");
  const isLabel = (label: string) =>
    labelCharacters.test(label) && !label.startsWith("-") && !label.endsWith("-") && hasAtMostBytes(label, 63);
  if (labels.length === 1) return isLabel(text) && !text.slice(2).includes("-");
  const last = labels.at(-1)!;
  return labels.slice(0, -1).every(isLabel) && /^[a-zA-Z\p{L}]{2,63}$/u.test(last) && hasAtMostBytes(last, 63);
}

/** Whether a text has at most so many bytes of UTF-8. A UTF-16 unit takes one to three of them, so most texts are not encoded. */
function hasAtMostBytes(text: string, bytesMax: number): boolean {
  if (text.length > bytesMax) return false;
  return text.length * 3 <= bytesMax || new TextEncoder().encode(text).length <= bytesMax;
}

/** Returns the number of bytes of an address. Numbers of IPv4 addresses may begin with zeros; zones are not allowed. */
function addressBytes(text: string): 4 | 16 | undefined {
  if (text.includes(":")) return text.includes("%") || parseAddress(text) instanceof Unreadable ? undefined : 16;
  const numbers = text.split(".");
  return numbers.length === 4 && numbers.every((number) => /^[0-9]{1,9}$/.test(number) && Number(number) <= 255) ? 4 : undefined;
}

function isCidr(text: string): boolean {
  const slash = text.indexOf("/");
  if (slash < 0) return false;
  const bytes = addressBytes(text.slice(0, slash)), length = text.slice(slash + 1);
  return bytes !== undefined && /^[0-9]{1,3}$/.test(length) && Number(length) <= bytes * 8;
}

/** Six, eight or twenty bytes, separated by colons, dashes or, in pairs, dots. */
function isMac(text: string): boolean {
  if (text.length > 59) return false;
  const separator = text[2] === ":" || text[2] === "-" ? text[2] : text[4] === "." ? "." : undefined;
  if (separator === undefined) return false;
  const digits = separator === "." ? 4 : 2, groups = text.split(separator);
  return [6, 8, 20].includes(groups.length * digits / 2) &&
    groups.every((group) => group.length === digits && /^[0-9a-fA-F]+$/.test(group));
}

function withoutBlanksAndDashes(text: string): string {
  return text.replace(/[\s-]/g, "");
}
function isIsbn10(text: string): boolean {
  const digits = withoutBlanksAndDashes(text);
  if (!/^[0-9]{9}[0-9X]$/.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < 10; i++) sum += (i + 1) * (digits[i] === "X" ? 10 : Number(digits[i]));
  return sum % 11 === 0;
}
function isIsbn13(text: string): boolean {
  const digits = withoutBlanksAndDashes(text);
  if (!/^[0-9]{13}$/.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < 12; i++) sum += (i % 2 === 0 ? 1 : 3) * Number(digits[i]);
  return (10 - sum % 10) % 10 === Number(digits[12]);
}

const cards =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35[0-9]{3})[0-9]{11})$/;
function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]/g, "");
  if (digits.length > 19 || !cards.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]), twice = i % 2 === 1 ? digit * 2 : digit;
    sum += twice > 9 ? twice - 9 : twice;
  }
  return sum % 10 === 0;
}

function isRgbColor(text: string): boolean {
  if (!text.startsWith("rgb(") || !text.endsWith(")")) return false;
  const parts = text.slice(4, -1).split(",");
  return parts.length === 3 && parts.every((part) => {
    const number = part.replace(/^[\t\n\f\r ]+/, "").replace(/[\t\n\f\r ]$/, "");
    const digits = number.trimEnd();
    return /^(?:0|[1-9][0-9]{0,2})$/.test(digits) && Number(digits) <= 255;
  });
}

function isBase64(text: string): boolean {
  if (text.length === 0 || text.length % 4 !== 0) return false;
  const end = text.endsWith("==") ? text.length - 2 : text.endsWith("=") ? text.length - 1 : text.length;
  return /^[A-Za-z0-9+/]*$/.test(text.slice(0, end));
}

function isDate(text: string): boolean {
  if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text)) return false;
  const year = Number(text.slice(0, 4)), month = Number(text.slice(5, 7)), day = Number(text.slice(8, 10));
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1];
  return days !== undefined && day >= 1 && day <= days;
}

/** The parts after the date are compared as texts, as upstream does. */
function isDateTime(text: string): boolean {
  if (text.length < 4) return false;
  const [date = "", time] = text.toLowerCase().split("t");
  if (time === undefined || !isDate(date)) return false;
  const parts = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(?:[^\n][0-9]+)?(?:z|[+-][0-9]{2}:[0-9]{2})$/.exec(time);
  return parts !== null && parts[1]! <= "23" && parts[2]! <= "59" && parts[3]! <= "59";
}

/** Words for units of time, and the beginnings of such words. */
const units: ReadonlySet<string> = new Set(["ns", "us", "µs", "ms", "s", "m", "h", "hr", "d", "w", "wk"]);
const longUnits = ["nano", "micro", "milli", "sec", "min", "hour", "day", "week"];

/** Returns a duration of Go, or a text with numbers before words for their units such as `3 days`. */
function isDuration(text: string): boolean {
  if (!(parseDuration(text) instanceof Unreadable)) return true;
  const found = amountsIn(text);
  if (found.some(({ amount }) => isAboveInt64(amount))) return false;
  return found.some(({ word }) => units.has(word) || longUnits.some((unit) => word.startsWith(unit)));
}

function isAboveInt64(digits: string): boolean {
  const significant = digits.replace(/^0+/, "");
  return significant.length > 19 || BigInt(significant) > 9_223_372_036_854_775_807n;
}

/** Returns the numbers of a text that have a word behind them, maybe after blanks. Words are in lower case. */
function amountsIn(text: string): readonly { readonly amount: string; readonly word: string }[] {
  const found: { amount: string; word: string }[] = [];
  const skip = (from: number, pattern: RegExp): number => {
    let at = from;
    while (at < text.length && pattern.test(text[at]!)) at++;
    return at;
  };
  for (let at = 0; at < text.length;) {
    const end = skip(at, /[0-9]/), word = skip(end, /[\t\n\f\r ]/), next = skip(word, /[A-Za-z\u00b5]/);
    if (end > at && next > word) found.push({ amount: text.slice(at, end), word: text.slice(word, next).toLowerCase() });
    at = Math.max(next, at + 1);
  }
  return found;
}
