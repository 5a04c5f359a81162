/**
 * Implements `charAt`, `indexOf`, `substring`, `replace`, `split`, `trim`, `quote` and similar functions. Indices count characters (code
 * points).
 */
import { ArrayList } from "../../value/collections.ts";
import { messageText } from "../../value/text.ts";
import { spend } from "../../value/work.ts";
import { CelError, type ListValue, type Value } from "../../values.ts";
import { characterAt, characterCount, charactersOf, isPair, unitAt } from "./characters.ts";
import { lastIndexIn, searchIn } from "../../value/search.ts";

function outOfRange(index: bigint): CelError {
  return new CelError(`index out of range: ${index}`);
}

export function charAt(text: string, index: bigint): Value {
  const size = characterCount(text);
  if (index < 0n || index > BigInt(size)) return outOfRange(index);
  const unit = unitAt(text, Number(index));
  return unit === text.length ? "" : text.slice(unit, unit + (isPair(text, unit) ? 2 : 1));
}

/** Returns the index of the first occurrence from an index on; -1 if there is none. An empty part is found anywhere. */
export function indexOf(text: string, part: string, from: bigint): Value {
  if (part === "") return from;
  if (from < 0n) return outOfRange(from);
  if (from >= BigInt(characterCount(text))) return -1n;
  const found = searchIn(text, part)(unitAt(text, Number(from)));
  return BigInt(found < 0 ? -1 : characterAt(text, found));
}

/** Returns the index of the last occurrence that begins at an index or before it; -1 if there is none. */
export function lastIndexOf(text: string, part: string, last: bigint | undefined): Value {
  const size = characterCount(text);
  if (last === undefined) {
    if (part === "") return BigInt(size);
    if (size === 0) return -1n;
  } else if (part === "") return last;
  else if (last < 0n) return outOfRange(last);
  else if (last >= BigInt(size)) return -1n;
  const found = lastIndexIn(text, part, last === undefined ? text.length : unitAt(text, Number(last)));
  return BigInt(found < 0 ? -1 : characterAt(text, found));
}

/** Returns the characters from `start` to `end`; by default up to the last one. */
export function substring(text: string, start: bigint, end: bigint | undefined): Value {
  const size = BigInt(characterCount(text));
  if (end !== undefined && start > end) return new CelError(`invalid substring range. start: ${start}, end: ${end}`);
  if (start < 0n || start > size) return outOfRange(start);
  if (end !== undefined && (end < 0n || end > size)) return outOfRange(end);
  return text.slice(unitAt(text, Number(start)), end === undefined ? undefined : unitAt(text, Number(end)));
}

export function lowerAscii(text: string): string {
  spend(text.length >> 4);
  return text.replace(/[A-Z]+/g, (some) => some.toLowerCase());
}
export function upperAscii(text: string): string {
  spend(text.length >> 4);
  return text.replace(/[a-z]+/g, (some) => some.toUpperCase());
}

/** Replaces the first `max` occurrences, or all if `max` is negative. An empty part occurs before each character and at the end. */
export function replace(text: string, part: string, replacement: string, max: bigint): Value {
  if (max === 0n || part === replacement) return text;
  const pieces = part === "" ? charactersOf(text) : piecesOf(text, part, max < 0n ? max : max + 1n);
  if (part !== "") return joinPieces(pieces, replacement);
  const count = max < 0n || max > BigInt(pieces.length) ? pieces.length + 1 : Number(max);
  spend(text.length + count * replacement.length);
  const before = pieces.slice(0, count).map((piece) => replacement + piece).join("");
  return before + (count > pieces.length ? replacement : pieces.slice(count).join(""));
}

/** Returns the texts between the occurrences of a part that is not empty. There are at most `max` texts, unless it is negative. */
function piecesOf(text: string, part: string, max: bigint): string[] {
  const search = searchIn(text, part);
  const pieces: string[] = [];
  let start = 0;
  for (let found = search(0); found >= 0 && (max < 0n || BigInt(pieces.length) < max - 1n); found = search(start)) {
    spend(1);
    pieces.push(text.slice(start, found));
    start = found + part.length;
  }
  pieces.push(text.slice(start));
  return pieces;
}

/** Splits into at most `max` pieces, or into any number if it is negative. With an empty separator, each character is a piece. */
export function split(text: string, separator: string, max: bigint): Value {
  if (max === 0n) return new ArrayList([]);
  if (separator !== "") return new ArrayList(piecesOf(text, separator, max));
  const pieces = charactersOf(text);
  if (max > 0n && BigInt(pieces.length) > max) pieces.push(pieces.splice(Number(max) - 1).join(""));
  return new ArrayList(pieces);
}

/** Joins the pieces with a separator. The length of the result is charged before it is made. */
function joinPieces(pieces: readonly string[], separator: string): string {
  let length = (pieces.length - 1) * separator.length;
  for (const piece of pieces) length += piece.length;
  spend(Math.max(0, length));
  return pieces.join(separator);
}

export function join(list: ListValue, separator: string): Value {
  const pieces: string[] = [];
  for (let index = 0, size = list.size; index < size; index++) {
    spend(1);
    const item = list.at(index);
    if (typeof item !== "string") return new CelError(`join: invalid input: ${messageText(item)}`);
    pieces.push(item);
  }
  return joinPieces(pieces, separator);
}

/** Matches Unicode's white space. */
const isSpace = /^[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]$/;

/** Removes white space at both ends. */
export function trim(text: string): string {
  let start = 0, end = text.length;
  while (start < end && isSpace.test(text[start]!)) start++;
  while (end > start && isSpace.test(text[end - 1]!)) end--;
  return text.slice(start, end);
}

const escapes: Readonly<Record<string, string>> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"',
};

/** Writes a string literal. */
export function quote(text: string): string {
  spend(text.length);
  return `"${text.toWellFormed().replace(/["\\\s\p{Cc}]/gu, (each) => escapes[each] ?? each)}"`;
}
