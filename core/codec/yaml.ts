/** YAML of plain values, byte for byte equal to the output of sigs.k8s.io/yaml for the same JSON, but for U+2028 and U+2029, which are escaped. */

import type { Json } from "../schema.ts";
import { fitsIndentation, goString } from "../tree/json-text.ts";
import { goFloat } from "../tree/yaml/go-value.ts";
import { compareKeys } from "./yaml-keys.ts";
import { blockHints, escapeDouble, type ScalarStyle, styleOf } from "./yaml-scalar.ts";

/** Columns after which a line is folded at the next space. */
const widthMax = 80;
/** Maximum bytes of a key on one line with its `:`. Longer keys are written after `?`. */
const keyBytesMax = 128;
const indentStep = 2;
/** Length of a piece of `yamlPieces`, in UTF-16 units. */
const pieceLengthMin = 16 * 1024;

/**
 * Returns the YAML text of a value, with a final line break. Keys are in natural order, strings are quoted if YAML 1.1 would not read
 * them as strings, text of several lines is a literal block, long lines are folded. Iterative, for values of any depth.
 */
export function writeYaml(value: Json): string {
  let text = "";
  for (const piece of yamlPieces(value)) text += piece;
  return text;
}

/** Yields the text of `writeYaml` in pieces, so that other work can run while a large value is written. */
export function* yamlPieces(value: Json): Generator<string> {
  const out: Out = { text: "", column: 0, indent: -1, fresh: true, spaced: true, indented: 0, written: 0 };
  const open: Frame[] = [];
  writeNode(out, open, value, false);
  for (let frame = open.at(-1); frame !== undefined; frame = open.at(-1)) {
    writeNext(out, open, frame);
    if (out.text.length < pieceLengthMin) continue;
    yield out.text;
    out.text = "";
  }
  out.indent = 0;
  writeIndent(out);
  yield out.text;
}

/**
 * The text of the current piece and the current position. `fresh`: the line contains only indentation and indicators; `spaced`: the next token needs no
 * space before it.
 */
interface Out {
  text: string;
  column: number;
  indent: number;
  fresh: boolean;
  spaced: boolean;
  /** Characters of indentation of all members that are written or will be, and characters of other text so far. */
  indented: number;
  written: number;
}

/** An object or list with members to write. `outer`: indentation of its parent. */
interface Frame {
  readonly keys: readonly string[] | undefined;
  readonly values: readonly Json[];
  readonly outer: number;
  at: number;
}

/** Writes the next member of the innermost open object or list, or ends it. */
function writeNext(out: Out, open: Frame[], frame: Frame): void {
  const at = frame.at++;
  const value = frame.values[at];
  if (value === undefined) {
    out.indent = frame.outer;
    open.pop();
    return;
  }
  writeIndent(out);
  if (frame.keys === undefined) writeIndicator(out, "-", true);
  else {
    const key = frame.keys[at] ?? "";
    if (isSimpleKey(key)) {
      writeString(out, key, true);
      put(out, ":");
      out.fresh = false;
    } else {
      writeIndicator(out, "?", true);
      writeString(out, key, false);
      writeIndent(out);
      writeIndicator(out, ":", true);
    }
  }
  writeNode(out, open, value, frame.keys !== undefined);
}

/** Writes a leaf or an empty collection, or opens one that is not empty. */
function writeNode(out: Out, open: Frame[], value: Json, inObject: boolean): void {
  if (typeof value === "string") return writeString(out, value, false);
  if (value === null || typeof value !== "object") return writeWord(out, scalarText(value));
  const frame = frameOf(value, out.indent);
  if (frame.values.length === 0) return writeWord(out, frame.keys === undefined ? "[]" : "{}");
  // A list is not indented under its key.
  const indentless = frame.keys === undefined && inObject && !out.fresh;
  const indent = out.indent < 0 ? 0 : indentless ? out.indent : out.indent + indentStep;
  // The indentation of all members is counted now, because the lines of later members follow those of deeper values. The first member of an
  // item is on the line of the item.
  const lines = inObject ? frame.values.length : frame.values.length - 1, indented = out.indented + lines * indent;
  if (!fitsIndentation(indent, indented, out.written)) return writeWord(out, flowText(value));
  out.indented = indented;
  out.indent = indent;
  open.push(frame);
}

/**
 * Returns a value on one line, for values that are too deep to be indented. Keys are after `?`, because others may have 1,024 characters
 * only. Iterative, for values of any depth.
 */
function flowText(value: Json): string {
  let text = "";
  const open: Frame[] = [];
  const start = (next: Json) => {
    if (typeof next === "string") text += goString(next);
    else if (next === null || typeof next !== "object") text += scalarText(next);
    else {
      const frame = frameOf(next, 0);
      text += frame.keys === undefined ? "[" : "{";
      open.push(frame);
    }
  };
  start(value);
  for (let frame = open.at(-1); frame !== undefined; frame = open.at(-1)) {
    const at = frame.at++, next = frame.values[at];
    if (next === undefined) {
      text += frame.keys === undefined ? "]" : "}";
      open.pop();
      continue;
    }
    if (at > 0) text += ", ";
    if (frame.keys !== undefined) text += `? ${goString(frame.keys[at]!)} : `;
    start(next);
  }
  return text;
}

function frameOf(value: readonly Json[] | { readonly [key: string]: Json }, outer: number): Frame {
  if (Array.isArray(value)) return { keys: undefined, values: value, outer, at: 0 };
  const object = value as { readonly [key: string]: Json }; // isArray does not narrow readonly arrays away
  const keys = Object.keys(object).filter((key) => object[key] !== undefined).sort(compareKeys);
  return { keys, values: keys.map((key) => object[key] ?? null), outer, at: 0 };
}

/** The bounds of integers. A `number` at such a bound is a double, which JSON writes with other digits; an exact int64 is a bigint. */
const int64Min = -(2 ** 63);
const uint64End = 2 ** 64;

function scalarText(value: boolean | number | bigint | null): string {
  if (typeof value !== "number") return String(value);
  if (!Number.isFinite(value)) throw new RangeError(`Cannot write ${value} as YAML: it must be finite`);
  if (Number.isInteger(value) && value > int64Min && value < uint64End) return String(value + 0);
  return goFloat(value);
}

function isSimpleKey(key: string): boolean {
  if (/[\n\r\u0085\u2028\u2029]/.test(key)) return false;
  return key.length * 3 <= keyBytesMax || new TextEncoder().encode(key).length <= keyBytesMax;
}

// Pieces of text

function put(out: Out, text: string): void {
  out.text += text;
  out.written += text.length;
  out.column += text.length;
  out.spaced = false;
}

function putBreak(out: Out): void {
  out.text += "\n";
  out.column = 0;
}

/** Starts a line at the current indentation, unless the line is already at it. */
function writeIndent(out: Out): void {
  const indent = Math.max(out.indent, 0);
  if (!out.fresh || out.column > indent || out.column === indent && !out.spaced) putBreak(out);
  if (out.column < indent) {
    out.text += " ".repeat(indent - out.column);
    out.column = indent;
  }
  out.fresh = true;
  out.spaced = true;
}

/** Writes `-`, `?` or `:`. A collection may begin after it on the same line. */
function writeIndicator(out: Out, indicator: string, keepsFresh: boolean): void {
  if (!out.spaced) put(out, " ");
  put(out, indicator);
  out.fresh = out.fresh && keepsFresh;
}

function writeWord(out: Out, word: string): void {
  writeIndicator(out, word, false);
}

function writeString(out: Out, string: string, isKey: boolean): void {
  const text = string.toWellFormed();
  const style: ScalarStyle = styleOf(text, isKey);
  const outer = out.indent;
  out.indent = outer < 0 ? indentStep : outer + indentStep;
  if (style === "literal") writeLiteral(out, text);
  else {
    if (!out.spaced) put(out, " ");
    const written = style === "plain" ? text : style === "single" ? `'${text.replaceAll("'", "''")}'` : `"${escapeDouble(text)}"`;
    writeFolded(out, written, isKey, style);
    out.fresh = false;
  }
  out.indent = outer;
}

/** Writes the text of a scalar. Folds it at single spaces beyond the width; never folds a key. */
function writeFolded(out: Out, text: string, isKey: boolean, style: ScalarStyle): void {
  if (isKey || out.column + text.length <= widthMax) return put(out, text);
  const quotes = style === "plain" ? 0 : 1;
  let done = 0;
  for (let space = text.indexOf(" ", 1); space >= 0; space = text.indexOf(" ", space + 1)) {
    const width = out.column + space - done;
    if (width <= widthMax || text.charAt(space - 1) === " ") continue;
    const spaceFollows = text.charAt(space + 1) === " ";
    // A quote stays on the line of its adjacent character. Only double-quoted text can be folded before several spaces.
    if (quotes === 1 && (space === 1 || space >= text.length - 2) || spaceFollows && style !== "double") continue;
    put(out, text.slice(done, space));
    writeIndent(out);
    if (spaceFollows) put(out, "\\");
    done = space + 1;
    out.spaced = false;
  }
  put(out, text.slice(done));
}

function writeLiteral(out: Out, text: string): void {
  writeIndicator(out, `|${blockHints(text)}`, false);
  putBreak(out);
  for (const [line, content = "", lineBreak = ""] of text.matchAll(/([^\n]*)(\n?)/g)) {
    if (line === "") continue;
    out.fresh = true;
    if (content !== "") {
      writeIndent(out);
      put(out, content);
      out.fresh = false;
    }
    if (lineBreak === "") continue;
    putBreak(out);
    out.fresh = true;
    out.spaced = true;
  }
}
