/** A cursor over a YAML text with line and column, and the character classes of YAML. */

import { runeLength } from "../utf8.ts";

/**
 * An error in a YAML text. Thrown by the modules of this folder and caught by `readYaml` only.
 */
export class YamlProblem {
  /** Upstream's message without the leading `yaml: `. */
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

/** A cursor over a text. `line` and `column` count from 0. `column` and `index` count characters, not UTF-16 units. */
export interface Source {
  readonly text: string;
  /** The error at the end of `text` if the body continues with unreadable bytes. */
  readonly broken: YamlProblem | undefined;
  at: number;
  index: number;
  line: number;
  column: number;
}

/** A position in the text. */
export interface Mark {
  readonly index: number;
  readonly line: number;
  readonly column: number;
}

const incomplete = new YamlProblem("incomplete UTF-8 octet sequence");

/** Bytes that upstream's reader decodes at once. An unreadable byte is reported with its block. */
const pieceBytes = 512;

// deno-lint-ignore no-control-regex -- YAML does not allow these characters
const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u0084\u0086-\u009f\ufffe\uffff]/;

/** A cursor at the start of a body. Unreadable bytes are an error only when the cursor reaches their block. */
export function sourceOf(body: Uint8Array | string): Source {
  const { text, broken } = typeof body === "string" ? { text: body.toWellFormed(), broken: undefined } : decode(body);
  const bad = text.search(forbidden);
  const problem = bad < 0 ? broken : new YamlProblem("control characters are not allowed");
  // A truncated character at the end is reported there.
  const readable = problem === undefined || problem === incomplete ? text : wholePieces(bad < 0 ? text : text.slice(0, bad));
  return { text: readable, broken: problem, at: readable.startsWith("\ufeff") ? 1 : 0, index: 0, line: 0, column: 0 };
}

/** The text of a body up to its first unreadable bytes. */
function decode(bytes: Uint8Array): { text: string; broken: YamlProblem | undefined } {
  const utf16 = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : undefined;
  if (utf16 !== undefined) {
    const text = new TextDecoder(utf16, { ignoreBOM: true }).decode(bytes);
    return { text: text.toWellFormed(), broken: undefined };
  }
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const text = decoder.decode(bytes);
  if (!text.includes("\ufffd")) return { text, broken: undefined };
  let at = 0;
  for (let length = runeLength(bytes, 0); length > 0 && at < bytes.length; length = runeLength(bytes, at)) at += length;
  if (at === bytes.length) return { text, broken: undefined };
  return { text: decoder.decode(bytes.subarray(0, at)), broken: brokenRune(bytes, at) };
}

/** The text up to the start of its last block. */
function wholePieces(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let end = bytes.length - bytes.length % pieceBytes;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--; // a character across blocks belongs to the next one
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, end));
}

/** Upstream's error for the bytes at `at`, which are not UTF-8. */
function brokenRune(bytes: Uint8Array, at: number): YamlProblem {
  const first = bytes[at] ?? 0;
  const width = (first & 0xe0) === 0xc0 ? 2 : (first & 0xf0) === 0xe0 ? 3 : (first & 0xf8) === 0xf0 ? 4 : 0;
  if (width === 0) return new YamlProblem("invalid leading UTF-8 octet");
  if (at + width > bytes.length) return incomplete;
  let value = first & (0xff >> width + 1);
  for (let k = 1; k < width; k++) {
    const octet = bytes[at + k] ?? 0;
    if ((octet & 0xc0) !== 0x80) return new YamlProblem("invalid trailing UTF-8 octet");
    value = value << 6 | octet & 0x3f;
  }
  const least = [0, 0, 0x80, 0x800, 0x10000][width] ?? 0;
  return new YamlProblem(value < least ? "invalid length of a UTF-8 sequence" : "invalid Unicode character");
}

/** The character code at the cursor or `further` units after it; 0 at the end of the text. */
export function peek(source: Source, further = 0): number {
  const at = source.at + further;
  if (at < source.text.length) return source.text.charCodeAt(at);
  if (source.broken !== undefined) throw source.broken;
  return 0;
}

export function markOf({ index, line, column }: Source): Mark {
  return { index, line, column };
}

/** Moves the cursor over `units` UTF-16 units of one line. */
export function skip(source: Source, units = 1): void {
  for (const end = source.at + units; source.at < end; source.at++) {
    if ((source.text.charCodeAt(source.at) & 0xfc00) === 0xdc00) continue; // second half of a character
    source.index++;
    source.column++;
  }
}

/** Consumes the text from the cursor up to `end`, on one line. */
export function takeUntil(source: Source, end: number): string {
  const taken = source.text.slice(source.at, end);
  skip(source, end - source.at);
  return taken;
}

/** Consumes the line break at the cursor. Returns its text in a scalar. */
export function takeBreak(source: Source): string {
  const c = peek(source);
  const units = c === CR && peek(source, 1) === LF ? 2 : 1;
  source.at += units;
  source.index += units;
  source.column = 0;
  source.line++;
  return c === 0x2028 ? "\u2028" : c === 0x2029 ? "\u2029" : "\n";
}

const TAB = 0x09, LF = 0x0a, CR = 0x0d, SPACE = 0x20;

export function isBreak(c: number): boolean {
  return c === LF || c === CR || c === 0x85 || c === 0x2028 || c === 0x2029;
}

/** A space or tab. */
export function isBlank(c: number): boolean {
  return c === SPACE || c === TAB;
}

/** A blank, a line break or the end. */
export function isBlankOrEnd(c: number): boolean {
  return c === SPACE || c === TAB || c === 0 || isBreak(c);
}

/** A line break or the end. */
export function isBreakOrEnd(c: number): boolean {
  return c === 0 || isBreak(c);
}

/** A letter, digit, `_` or `-`: a character of names of anchors and tag handles. */
export function isWordCharacter(c: number): boolean {
  return c >= 0x61 && c <= 0x7a || c >= 0x41 && c <= 0x5a || c >= 0x30 && c <= 0x39 || c === 0x5f || c === 0x2d;
}

/** The `---` or `...` at the cursor, at the start of a line and before a blank; else undefined. */
export function atDocumentIndicator(source: Source): "---" | "..." | undefined {
  if (source.column !== 0) return undefined;
  const three = source.text.slice(source.at, source.at + 3);
  return (three === "---" || three === "...") && isBlankOrEnd(peek(source, 3)) ? three : undefined;
}

/** Skips blanks and an optional comment. False if the line has other text. */
export function skipToLineEnd(source: Source): boolean {
  while (isBlank(peek(source))) skip(source);
  if (peek(source) === 0x23) { while (!isBreakOrEnd(peek(source))) skip(source); }
  return isBreakOrEnd(peek(source));
}

/** Throws an error of the scanner with the line of the cursor. */
export function failHere(source: Source, message: string): never {
  throw new YamlProblem(source.line === 0 ? message : `line ${source.line + 1}: ${message}`);
}
