/** The YAML style of a string: the style that upstream's library chooses so that the string is read back unchanged. */

import { isTimestamp, resolvePlain } from "../tree/yaml/resolve.ts";

export type ScalarStyle = "plain" | "single" | "double" | "literal";

/** Returns the style of a string as a value, or as a key on one line with its `:`. */
export function styleOf(text: string, isKey: boolean): ScalarStyle {
  if (special.test(text)) return "double";
  if (text.includes("\n")) return !isKey && fitsBlock(text) ? "literal" : "double";
  if (isReadAsOther(text)) return "double";
  if (fitsPlain(text)) return "plain";
  return "single";
}

/** Whether a plain scalar with this text would not be read as a string, by this library or by older ones. */
function isReadAsOther(text: string): boolean {
  return resolvePlain(text).type !== "str" || base60.test(text) || isTimestamp(text);
}

// Numbers such as 1:30, which some YAML 1.1 readers parse as base 60.
const base60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;

/**
 * Characters that are written as escapes. Surrogates match characters beyond U+FFFF. U+2028 and U+2029 are here because they are line breaks in YAML 1.1
 * and text in YAML 1.2; upstream writes them as they are.
 */
// deno-lint-ignore no-control-regex -- control characters are what this is about
const special = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]/;

function fitsPlain(text: string): boolean {
  return !/^(?: |---|\.\.\.|[#,[\]{}&*!|>'"%@`]|[-?:](?: |$))| $|:(?: |$)| #/.test(text);
}

function fitsBlock(text: string): boolean {
  return !/ \n| $/.test(text);
}

/** Returns the indicators after the `|` of a literal block: its indentation, if the first line does not show it, and the treatment of its end. */
export function blockHints(text: string): string {
  const indent = /^[ \n]/.test(text) ? "2" : "";
  if (!text.endsWith("\n")) return `${indent}-`;
  return /^\n$|\n\n$/.test(text) ? `${indent}+` : indent;
}

const letters: ReadonlyMap<string, string> = new Map([
  ["\0", "\\0"],
  ["\x07", "\\a"],
  ["\b", "\\b"],
  ["\t", "\\t"],
  ["\n", "\\n"],
  ["\v", "\\v"],
  ["\f", "\\f"],
  ["\r", "\\r"],
  ["\x1b", "\\e"],
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\x85", "\\N"],
  ["\u2028", "\\L"],
  ["\u2029", "\\P"],
]);

// deno-lint-ignore no-control-regex -- control characters are what this is about
const escapable = /["\\\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]|[\u{10000}-\u{10ffff}]/gu;

/** Returns the text between double quotes. After a leading byte order mark upstream's library escapes everything. */
export function escapeDouble(text: string): string {
  return text.replace(text.startsWith("\ufeff") ? /./gsu : escapable, (character) => {
    const letter = letters.get(character);
    if (letter !== undefined) return letter;
    const point = character.codePointAt(0) ?? 0;
    const hex = point.toString(16).toUpperCase();
    if (point <= 0xff) return `\\x${hex.padStart(2, "0")}`;
    return point <= 0xffff ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
  });
}
