/** Parses semantic versions with the grammar and errors of upstream's parser. All functions take linear time. */
import { Unreadable } from "../../../core/scalars/unreadable.ts";
import { goQuote } from "../../../core/tree/go-quote.ts";

/** A semantic version (semver.org). */
export interface Semver {
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  /** Identifiers of the pre-release: numbers, or texts that are not numbers. */
  readonly pre: readonly (bigint | string)[];
  readonly build: readonly string[];
}

const uintMax = (1n << 64n) - 1n;
/** Number of digits of the largest number. */
const uintDigits = 20;

const isDigits = (text: string) => /^[0-9]*$/.test(text);
const isIdentifier = (text: string) => /^[0-9A-Za-z-]*$/.test(text);
const hasLeadingZero = (text: string) => text.length > 1 && text.startsWith("0");

/** Parses a version with all three numbers. */
export function parseSemver(text: string): Semver | Unreadable {
  if (text === "") return new Unreadable("Version string empty");
  const [first, second, rest] = threeParts(text);
  if (second === undefined || rest === undefined) return new Unreadable("No Major.Minor.Patch elements found");
  const major = numberPart(first, "major");
  if (major instanceof Unreadable) return major;
  const minor = numberPart(second, "minor");
  if (minor instanceof Unreadable) return minor;
  const [version, builds] = cut(rest, "+");
  const [number, prerelease] = cut(version, "-");
  const patch = numberPart(number, "patch");
  if (patch instanceof Unreadable) return patch;
  const pre: (bigint | string)[] = [];
  for (const each of prerelease?.split(".") ?? []) {
    const identifier = preIdentifier(each);
    if (identifier instanceof Unreadable) return identifier;
    pre.push(identifier);
  }
  const build = builds?.split(".") ?? [];
  for (const each of build) {
    if (each === "") return new Unreadable("Build meta data is empty");
    if (!isIdentifier(each)) return new Unreadable(`Invalid character(s) found in build meta data ${goQuote(each)}`);
  }
  return { major, minor, patch, pre, build };
}

/** Parses a version that may have a prefix `v`, leading zeros or fewer than three numbers. */
export function parseTolerant(text: string): Semver | Unreadable {
  const parts: string[] = threeParts(text.startsWith("v") ? text.slice(1) : text).map(withoutZeros);
  if (parts.length < 3 && /[+-]/.test(parts[parts.length - 1]!)) {
    return new Unreadable("short version cannot contain PreRelease/Build meta data");
  }
  while (parts.length < 3) parts.push("0");
  return parseSemver(parts.join("."));
}

/** Returns the text before the first dot, the text before the second dot, and the rest. */
function threeParts(text: string): [string, ...string[]] {
  const first = text.indexOf("."), second = first < 0 ? -1 : text.indexOf(".", first + 1);
  if (first < 0) return [text];
  if (second < 0) return [text.slice(0, first), text.slice(first + 1)];
  return [text.slice(0, first), text.slice(first + 1, second), text.slice(second + 1)];
}

function withoutZeros(part: string): string {
  // A single character beyond ASCII has more than one byte.
  if (part === "" || part.length === 1 && part < "\u0080") return part;
  let start = 0;
  while (part[start] === "0") start++;
  const next = part.charCodeAt(start);
  return next >= 0x30 && next <= 0x39 ? part.slice(start) : `0${part.slice(start)}`;
}

function cut(text: string, separator: string): readonly [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

function numberPart(text: string, name: "major" | "minor" | "patch"): bigint | Unreadable {
  if (!isDigits(text)) return new Unreadable(`Invalid character(s) found in ${name} number ${goQuote(text)}`);
  if (!hasLeadingZero(text)) return uintOf(text);
  return new Unreadable(`${name[0]!.toUpperCase()}${name.slice(1)} number must not contain leading zeroes ${goQuote(text)}`);
}

function preIdentifier(text: string): bigint | string | Unreadable {
  if (text === "") return new Unreadable("Prerelease is empty");
  if (isDigits(text)) {
    if (!hasLeadingZero(text)) return uintOf(text);
    return new Unreadable(`Numeric PreRelease version must not contain leading zeroes ${goQuote(text)}`);
  }
  return isIdentifier(text) ? text : new Unreadable(`Invalid character(s) found in prerelease ${goQuote(text)}`);
}

function uintOf(digits: string): bigint | Unreadable {
  const failed = (why: string) => new Unreadable(`strconv.ParseUint: parsing ${goQuote(digits)}: ${why}`);
  if (digits === "") return failed("invalid syntax");
  const value = digits.length > uintDigits ? uintMax + 1n : BigInt(digits);
  return value > uintMax ? failed("value out of range") : value;
}

/** Returns a negative number, zero or a positive number, by precedence. Build identifiers do not count. */
export function compareSemver(a: Semver, b: Semver): number {
  const numbers = order(a.major, b.major) || order(a.minor, b.minor) || order(a.patch, b.patch);
  if (numbers !== 0) return numbers;
  if (a.pre.length === 0 || b.pre.length === 0) return Math.sign(b.pre.length - a.pre.length);
  for (let at = 0; at < Math.min(a.pre.length, b.pre.length); at++) {
    const identifiers = compareIdentifiers(a.pre[at]!, b.pre[at]!);
    if (identifiers !== 0) return identifiers;
  }
  return Math.sign(a.pre.length - b.pre.length);
}

/** Compares two identifiers. Numbers come before texts. */
function compareIdentifiers(a: bigint | string, b: bigint | string): number {
  if (typeof a === "bigint") return typeof b === "bigint" ? order(a, b) : -1;
  return typeof b === "bigint" ? 1 : order(a, b);
}

function order<T extends bigint | string>(a: T, b: T): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

export function semverText({ major, minor, patch, pre, build }: Semver): string {
  const prerelease = pre.length === 0 ? "" : `-${pre.join(".")}`;
  return `${major}.${minor}.${patch}${prerelease}${build.length === 0 ? "" : `+${build.join(".")}`}`;
}
