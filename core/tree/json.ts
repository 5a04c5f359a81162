/**
 * Parses JSON text into a lexical tree, with the rules and error messages of Go's encoding/json scanner. One pass over the decoded text,
 * without recursion. The maximum depth is `documentDepthMax`.
 */

import { sharedEnd, sharedKey, SharedTrees } from "./shared-trees.ts";
import { type NumberText, numberTextOf, type Read, type Tree, TreeObject } from "./tree.ts";
import { byteAtIndex, textOfBytes } from "./utf8.ts";
import { goQuotedByte } from "./go-quote.ts";
import { documentDepthMax } from "../bounds.ts";

export { jsonFromTree, treeFromJson } from "./values.ts";

/**
 * Reads one JSON document. Keeps document order, duplicate keys and the text of numbers. Invalid UTF-8 and lone surrogates become U+FFFD.
 * Errors are upstream's, such as `unexpected end of JSON input` or `invalid character '}' looking for beginning of value`. `duplicates` is
 * empty, because duplicate keys are in the tree.
 */
export function readJson(body: Uint8Array | string): Read {
  return readText(body, false);
}

const shared = new SharedTrees();

/** As `readJson`, for stored objects: equal field sets of managers are one `SharedTree`. */
export function readStoredJson(body: Uint8Array): Read {
  return readText(body, false, shared);
}

/**
 * Works like `readJson`, with string values in their escaped form, for JSON patches, whose `test` compares that form. Keys are
 * unescaped. `plainString` unescapes a value.
 */
export function readWrittenJson(body: Uint8Array | string): Read {
  return readText(body, true);
}

/** Unescapes a string of `readWrittenJson`. */
export function plainString(written: string): string {
  return written.includes("\\") ? unescape(written, 0, written.length) : written;
}

function readText(body: Uint8Array | string, written: boolean, trees?: SharedTrees): Read {
  const text = typeof body === "string" ? body.toWellFormed() : textOfBytes(body);
  const scan: Scan = { text, written, trees, end: 0, key: "", escaped: false, failure: "", failedAt: 0, inToken: false };
  const tree = scanDocument(scan);
  if (tree !== undefined) return { ok: true, tree, duplicates: [] };
  // Go's scanner appends a space to the text, and reports that space inside a token.
  if (scan.failedAt >= text.length) {
    return { ok: false, error: scan.inToken ? `invalid character ' ' ${scan.failure}` : "unexpected end of JSON input" };
  }
  const byte = typeof body === "string" ? firstByte(text, scan.failedAt) : body[byteAtIndex(body, scan.failedAt)] ?? 0;
  return { ok: false, error: `invalid character ${goQuotedByte(byte)} ${scan.failure}` };
}

/** State of a scan: the end of the leaf, whether the last string had escapes, the failure and its index. */
interface Scan {
  readonly text: string;
  /** Whether string values stay escaped. */
  readonly written: boolean;
  /** The trees that it may share. */
  readonly trees: SharedTrees | undefined;
  end: number;
  key: string;
  escaped: boolean;
  failure: string;
  failedAt: number;
  /** Whether the failure is inside a literal, number or escape, which cannot contain spaces. */
  inToken: boolean;
}

const TAB = 0x09, LF = 0x0a, CR = 0x0d, SPACE = 0x20, QUOTE = 0x22, PLUS = 0x2b, COMMA = 0x2c, MINUS = 0x2d, POINT = 0x2e;
const ZERO = 0x30, NINE = 0x39, COLON = 0x3a, BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b, CLOSE_LIST = 0x5d, OPEN_OBJECT = 0x7b, CLOSE_OBJECT = 0x7d;

/**
 * Returns the tree of the document, or undefined after a failure. Values and keys are on stacks until their object or list closes, so
 * that each array has its exact length: an array that grows by `push` allocates seventeen slots at its first item.
 */
function scanDocument(scan: Scan): Tree | undefined {
  const { text } = scan;
  const values: Tree[] = [], keys: string[] = [];
  let valueCount = 0, keyCount = 0;
  /** Start indexes of the values and keys of open objects and lists, outermost first. The key index of a list is -1. */
  const firstValues: number[] = [], firstKeys: number[] = [];
  let depth = 0, firstValue = 0, firstKey = -1;
  let at = skipSpace(text, 0);
  for (;;) {
    const c = text.charCodeAt(at);
    const known = scan.trees !== undefined && c === OPEN_OBJECT && firstKey >= 0 && scan.key === sharedKey
      ? sharedTree(scan, scan.trees, at)
      : undefined;
    if (known !== undefined) {
      values[valueCount++] = known;
      at = scan.end;
    } else if (c === OPEN_OBJECT || c === OPEN_LIST) {
      if (depth >= documentDepthMax) return void fail(scan, at, "exceeded max depth");
      firstValues[depth] = firstValue;
      firstKeys[depth] = firstKey;
      depth++;
      firstValue = valueCount;
      firstKey = c === OPEN_OBJECT ? keyCount : -1;
      at = skipSpace(text, at + 1);
      if (text.charCodeAt(at) !== (firstKey >= 0 ? CLOSE_OBJECT : CLOSE_LIST)) {
        if (firstKey < 0) continue;
        at = scanKey(scan, at);
        if (at < 0) return undefined;
        keys[keyCount++] = scan.key;
        continue;
      }
    } else {
      const leaf = scanLeaf(scan, at);
      if (leaf === undefined) return undefined;
      values[valueCount++] = leaf;
      at = scan.end;
    }

    // After a value, or in an empty object or list: close the objects and lists that end here and go to the next value.
    for (;;) {
      at = skipSpace(text, at);
      if (depth === 0) return at === text.length ? values[0] : void fail(scan, at, "after top-level value");
      const after = text.charCodeAt(at);
      if (after === COMMA) break;
      if (after !== (firstKey >= 0 ? CLOSE_OBJECT : CLOSE_LIST)) {
        return void fail(scan, at, firstKey >= 0 ? "after object key:value pair" : "after array element");
      }
      at++;
      const items = firstValue === valueCount ? [] : values.slice(firstValue, valueCount);
      const closed = firstKey < 0 ? items : new TreeObject(firstKey === keyCount ? [] : keys.slice(firstKey, keyCount), items);
      valueCount = firstValue;
      if (firstKey >= 0) keyCount = firstKey;
      depth--;
      firstValue = firstValues[depth]!;
      firstKey = firstKeys[depth]!;
      values[valueCount++] = closed;
    }
    at = skipSpace(text, at + 1);
    if (firstKey >= 0) {
      at = scanKey(scan, at);
      if (at < 0) return undefined;
      keys[keyCount++] = scan.key;
    }
  }
}

/** Returns the shared tree of the object at `at`, and sets `scan.end`. Undefined if it cannot be shared, or is invalid. */
function sharedTree(scan: Scan, trees: SharedTrees, at: number): Tree | undefined {
  const end = sharedEnd(scan.text, at);
  if (end < 0) return undefined;
  scan.end = end;
  const text = scan.text.slice(at, end), known = trees.get(text);
  if (known !== undefined) return known;
  // A copy, because V8's slice would keep the whole document in memory.
  const copy = new TextDecoder().decode(new TextEncoder().encode(text)), read = readText(copy, false);
  return read.ok && read.tree instanceof TreeObject ? trees.put(copy, read.tree) : undefined;
}

/** Reads a string, number or literal. Sets `scan.end`. Undefined after a failure. */
function scanLeaf(scan: Scan, at: number): null | boolean | string | NumberText | undefined {
  const { text } = scan;
  const c = text.charCodeAt(at);
  if (c === QUOTE) {
    const close = scanString(scan, at);
    if (close < 0) return undefined;
    scan.end = close + 1;
    return scan.escaped && !scan.written ? unescape(text, at + 1, close) : text.slice(at + 1, close);
  }
  if (c === MINUS || isDigit(c)) {
    const end = scanNumber(scan, at);
    if (end < 0) return undefined;
    scan.end = end;
    return numberTextOf(text.slice(at, end));
  }
  const word = literals.get(c);
  if (word === undefined) return void fail(scan, at, "looking for beginning of value");
  if (!text.startsWith(word.text, at)) return void failLiteral(scan, at, word.text);
  scan.end = at + word.text.length;
  return word.value;
}

/** Reads `"key":` with its spaces and sets `scan.key`. Returns the index of the value, or -1. */
function scanKey(scan: Scan, at: number): number {
  const { text } = scan;
  if (text.charCodeAt(at) !== QUOTE) return fail(scan, at, "looking for beginning of object key string");
  const end = scanString(scan, at);
  if (end < 0) return -1;
  scan.key = scan.escaped ? unescape(text, at + 1, end) : text.slice(at + 1, end);
  const colon = skipSpace(text, end + 1);
  if (text.charCodeAt(colon) !== COLON) return fail(scan, colon, "after object key");
  return skipSpace(text, colon + 1);
}

function skipSpace(text: string, from: number): number {
  let at = from;
  for (;;) {
    const c = text.charCodeAt(at);
    if (c !== SPACE && c !== LF && c !== CR && c !== TAB) return at;
    at++;
  }
}

/** Returns the index of the closing quote of a string, or -1. Sets `scan.escaped`. */
function scanString(scan: Scan, from: number): number {
  const { text } = scan;
  scan.escaped = false;
  for (let at = from + 1;; at++) {
    const c = text.charCodeAt(at);
    if (c === QUOTE) return at;
    if (c === BACKSLASH) {
      scan.escaped = true;
      at = scanEscape(scan, at + 1);
      if (at < 0) return -1;
    } else if (!(c >= SPACE)) return fail(scan, at, "in string literal"); // below a space, or NaN at the end
  }
}

/** Returns the index of the last character of the escape with its letter at `at`, or -1. */
function scanEscape(scan: Scan, at: number): number {
  const letter = scan.text.charAt(at);
  if (letter === "u") {
    for (let digit = at + 1; digit <= at + 4; digit++) {
      if (!isHexDigit(scan.text.charCodeAt(digit))) return failToken(scan, digit, "in \\u hexadecimal character escape");
    }
    return at + 4;
  }
  return letter !== "" && '"\\/bfnrt'.includes(letter) ? at : failToken(scan, at, "in string escape code");
}

/** Returns the value of the content of a valid string with escapes, from `at` to `end`. */
function unescape(text: string, at: number, end: number): string {
  if (end - at > longString) return String(JSON.parse(`"${text.slice(at, end)}"`)).toWellFormed();
  const pieces: string[] = [];
  while (at < end) {
    const escape = text.indexOf("\\", at);
    if (escape < 0 || escape >= end) break;
    if (escape > at) pieces.push(text.slice(at, escape));
    const letter = text.charAt(escape + 1);
    if (letter === "u") {
      pieces.push(String.fromCharCode(parseInt(text.slice(escape + 2, escape + 6), 16)));
      at = escape + 6;
    } else {
      pieces.push(shortEscapes.get(letter) ?? letter);
      at = escape + 2;
    }
  }
  pieces.push(text.slice(at, end));
  return pieces.join("").toWellFormed();
}

/** Characters above which the engine reads a string, which is faster. V8 reads some short ones wrongly, if they are keys. */
const longString = 1000;
const shortEscapes: ReadonlyMap<string, string> = new Map([["b", "\b"], ["f", "\f"], ["n", "\n"], ["r", "\r"], ["t", "\t"]]);

/** Returns the end of the number that begins at `at`, or -1. */
function scanNumber(scan: Scan, from: number): number {
  const { text } = scan;
  let at = from;
  if (text.charCodeAt(at) === MINUS) at++;
  if (text.charCodeAt(at) === ZERO) at++;
  else {
    if (!isDigit(text.charCodeAt(at))) return failToken(scan, at, "in numeric literal");
    at = skipDigits(text, at);
  }
  if (text.charCodeAt(at) === POINT) {
    if (!isDigit(text.charCodeAt(++at))) return failToken(scan, at, "after decimal point in numeric literal");
    at = skipDigits(text, at);
  }
  if ((text.charCodeAt(at) | 0x20) === 0x65) { // e or E
    const sign = text.charCodeAt(++at);
    if (sign === PLUS || sign === MINUS) at++;
    if (!isDigit(text.charCodeAt(at))) return failToken(scan, at, "in exponent of numeric literal");
    at = skipDigits(text, at);
  }
  return at;
}

function skipDigits(text: string, from: number): number {
  let at = from;
  while (isDigit(text.charCodeAt(at))) at++;
  return at;
}

function isDigit(c: number): boolean {
  return c >= ZERO && c <= NINE;
}

function isHexDigit(c: number): boolean {
  return isDigit(c) || c >= 0x41 && c <= 0x46 || c >= 0x61 && c <= 0x66;
}

const literals: ReadonlyMap<number, { readonly text: string; readonly value: null | boolean }> = new Map([
  { text: "true", value: true },
  { text: "false", value: false },
  { text: "null", value: null },
].map((word) => [word.text.charCodeAt(0), word]));

function failLiteral(scan: Scan, from: number, word: string): -1 {
  let matched = 1;
  while (scan.text.charAt(from + matched) === word.charAt(matched)) matched++;
  return failToken(scan, from + matched, `in literal ${word} (expecting '${word.charAt(matched)}')`);
}

function fail(scan: Scan, at: number, failure: string): -1 {
  scan.failure = failure;
  scan.failedAt = at;
  return -1;
}

function failToken(scan: Scan, at: number, failure: string): -1 {
  scan.inToken = true;
  return fail(scan, at, failure);
}

/** Returns the first UTF-8 byte of the character at `at`. */
function firstByte(text: string, at: number): number {
  const point = text.codePointAt(at) ?? 0;
  if (point < 0x80) return point;
  if (point < 0x800) return 0xc0 | point >> 6;
  return point < 0x10000 ? 0xe0 | point >> 12 : 0xf0 | point >> 18;
}
