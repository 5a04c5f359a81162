/** JSON text, byte for byte equal to the output of Go's encoding/json. */

import type { Json } from "../schema.ts";
import { numberText } from "./values.ts";
import { bound } from "../bound.ts";

/** Characters of indentation that each answer may have: deep nesting would make 160 MB of an object of 60 kB. */
export const indentationLengthMax = bound(1024 * 1024);
/** Characters of indentation that an answer may have in addition for each character of its compact text. */
export const indentationPerCharacterMax = bound(16);
/** Columns of indentation of a line that always fits. */
export const indentationColumnsFree = bound(64);

/**
 * Returns a JSON string as Go's encoder writes it: `<`, `>`, `&`, U+2028 and U+2029 as lower-case `\u` escapes, control characters with
 * short escapes if available, lone surrogates as `\ufffd`.
 */
export function goString(text: string): string {
  if (plain.test(text)) return `"${text}"`;
  if (text.isWellFormed()) return escapedJson(JSON.stringify(text));
  const parts = text.split(/\p{Cs}/u).map((part) => JSON.stringify(part).slice(1, -1).replace(htmlOrLine, escapeOf));
  return `"${parts.join("\\ufffd")}"`;
}

/** Returns a text of JSON.stringify with the further escapes of Go's encoder. */
export function escapedJson(text: string): string {
  return text.replace(htmlOrLine, escapeOf);
}

// deno-lint-ignore no-control-regex -- control characters need an escape
const plain = /^[^\u0000-\u001f"\\<>&\u2028\u2029\ud800-\udfff]*$/;
const htmlOrLine = /[<>&\u2028\u2029]/g;

function escapeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/**
 * Compact JSON of a plain value, keys in insertion order or that of `keysOf`, without undefined members. Iterative, for values of any depth. Throws RangeError
 * for a number that is not finite.
 */
export function goJson(value: Json, keysOf: (object: object) => readonly string[] = Object.keys): string {
  let out = "";
  const open: Frame[] = [];
  const start = (next: Json): void => {
    if (next === null || typeof next !== "object") out += leafText(next);
    else {
      const frame = frameOf(next, keysOf);
      out += frame.keys === undefined ? "[" : "{";
      open.push(frame);
    }
  };
  start(value);
  for (let frame = open.at(-1); frame !== undefined; frame = open.at(-1)) {
    const { keys, values } = frame;
    if (frame.at === values.length) {
      out += keys === undefined ? "]" : "}";
      open.pop();
      continue;
    }
    const at = frame.at++;
    const next = values[at];
    if (next === undefined) continue;
    if (frame.started) out += ",";
    frame.started = true;
    if (keys !== undefined) out += `${goString(keys[at] ?? "")}:`;
    start(next);
  }
  return out;
}

/** An object or list that is not completely written. */
interface Frame {
  readonly keys: readonly string[] | undefined;
  readonly values: readonly (Json | undefined)[];
  at: number;
  started: boolean;
}

function frameOf(value: readonly Json[] | { readonly [key: string]: Json }, keysOf: (object: object) => readonly string[]): Frame {
  if (isList(value)) return { keys: undefined, values: value, at: 0, started: false };
  const keys = keysOf(value);
  return { keys, values: keys.map((key) => value[key]), at: 0, started: false };
}

function isList(value: readonly Json[] | { readonly [key: string]: Json }): value is readonly Json[] {
  return Array.isArray(value);
}

function leafText(value: null | boolean | number | bigint | string): string {
  if (typeof value === "string") return goString(value);
  return typeof value === "number" || typeof value === "bigint" ? numberText(value) : String(value);
}

/**
 * Whether a line may be indented by so many columns. `indented`: characters of indentation so far, including this line's; `written`: characters
 * of the compact text so far.
 */
export function fitsIndentation(columns: number, indented: number, written: number): boolean {
  return columns <= indentationColumnsFree ||
    indented <= indentationLengthMax + indentationPerCharacterMax * written;
}

/**
 * Indents compact JSON text with two spaces for each level, as Go's json.Indent, without a final line break. Lines of very deep values that would
 * exceed the bound of indentation have none.
 */
export function prettyJson(text: string): string {
  return prettyPrinter()(text);
}

/**
 * As `prettyJson`, for text in pieces that are cut anywhere: each call returns the indented text of the next piece. The text must be valid
 * compact JSON, which is not checked.
 */
export function prettyPrinter(): (piece: string) => string {
  let depth = 0;
  let inString = false;
  let afterBackslash = false;
  let justOpened = false;
  let indented = 0, written = 0;
  const newLine = () => {
    const columns = 2 * depth;
    if (!fitsIndentation(columns, indented + columns, written)) return "\n";
    indented += columns;
    return `\n${" ".repeat(columns)}`;
  };

  return (piece) => {
    let out = "";
    let copied = 0; // text up to this index is in `out`
    written += piece.length;
    for (let at = 0; at < piece.length; at++) {
      const c = piece.charCodeAt(at);
      if (inString) {
        if (afterBackslash) afterBackslash = false;
        else if (c === BACKSLASH) afterBackslash = true;
        else if (c === QUOTE) inString = false;
        continue;
      }
      const closes = c === CLOSE_LIST || c === CLOSE_OBJECT;
      if (justOpened && !closes) {
        out += piece.slice(copied, at) + newLine();
        copied = at;
      }
      if (closes) {
        depth--;
        if (!justOpened) {
          out += piece.slice(copied, at) + newLine();
          copied = at;
        }
      }
      justOpened = c === OPEN_LIST || c === OPEN_OBJECT;
      if (justOpened) depth++;
      else if (c === QUOTE) inString = true;
      else if (c === COMMA || c === COLON) {
        out += piece.slice(copied, at + 1) + (c === COLON ? " " : newLine());
        copied = at + 1;
      }
    }
    return out + piece.slice(copied);
  };
}

const QUOTE = 0x22, COMMA = 0x2c, COLON = 0x3a, BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b, CLOSE_LIST = 0x5d, OPEN_OBJECT = 0x7b, CLOSE_OBJECT = 0x7d;
