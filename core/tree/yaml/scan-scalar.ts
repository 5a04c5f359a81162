/** Scanning of the three scalar styles: plain, quoted and block. */

import {
  atDocumentIndicator,
  failHere,
  isBlank,
  isBlankOrEnd,
  isBreak,
  isBreakOrEnd,
  peek,
  skip,
  skipToLineEnd,
  type Source,
  takeBreak,
  takeUntil,
} from "./source.ts";

const TAB = 0x09, SPACE = 0x20, QUOTE = 0x22, HASH = 0x23, APOSTROPHE = 0x27, PLUS = 0x2b, MINUS = 0x2d, COLON = 0x3a;
const BACKSLASH = 0x5c, PIPE = 0x7c;

/** White space between two parts of a scalar: blanks on one line, or line breaks. */
interface Gap {
  blanks: string;
  first: string;
  more: string;
  broken: boolean;
}

/** The folded text of a gap: a single line break becomes a space, further line breaks are kept. */
function fold({ blanks, first, more, broken }: Gap): string {
  if (!broken) return blanks;
  return first === "\n" ? more === "" ? " " : more : first + more;
}

/**
 * A plain scalar at the cursor. It continues on lines that are indented more than `indent`. `endsLine`: it ended with a line, after which a
 * key may begin.
 */
export function scanPlain(source: Source, indent: number, inFlow: boolean): { text: string; endsLine: boolean } {
  let text = "";
  let gap: Gap = { blanks: "", first: "", more: "", broken: false };
  for (;;) {
    if (atDocumentIndicator(source) !== undefined || peek(source) === HASH) break;
    const end = plainRunEnd(source, inFlow);
    if (end > source.at) {
      text += fold(gap) + takeUntil(source, end);
      gap = { blanks: "", first: "", more: "", broken: false };
    }
    if (!isBlank(peek(source)) && !isBreak(peek(source))) break;
    while (isBlank(peek(source)) || isBreak(peek(source))) {
      if (gap.broken && source.column <= indent && peek(source) === TAB) {
        failHere(source, "found a tab character that violates indentation");
      }
      takeGap(source, gap);
    }
    if (!inFlow && source.column <= indent) break;
  }
  return { text, endsLine: gap.broken };
}

/** The end of the run of characters at the cursor that belong to a plain scalar. */
function plainRunEnd(source: Source, inFlow: boolean): number {
  let further = 0;
  for (;; further++) {
    const c = peek(source, further);
    if (isBlankOrEnd(c) || c === COLON && isBlankOrEnd(peek(source, further + 1)) || inFlow && endsPlainInFlow(source, further)) {
      return source.at + further;
    }
  }
}

function endsPlainInFlow(source: Source, further: number): boolean {
  const c = source.text.charAt(source.at + further);
  return c === "," || c === "?" || c === "[" || c === "]" || c === "{" || c === "}";
}

/** Consumes one blank or line break and adds it to a gap. */
function takeGap(source: Source, gap: Gap): void {
  if (isBlank(peek(source))) {
    const blank = takeUntil(source, source.at + 1);
    if (!gap.broken) gap.blanks += blank;
  } else if (gap.broken) gap.more += takeBreak(source);
  else {
    gap.first = takeBreak(source);
    gap.broken = true;
  }
}

/** A scalar in single or double quotes; the cursor is at the opening one. */
export function scanQuoted(source: Source): string {
  const quote = peek(source);
  const double = quote === QUOTE;
  let text = "";
  skip(source);
  for (;;) {
    if (atDocumentIndicator(source) !== undefined) failHere(source, "found unexpected document indicator");
    if (peek(source) === 0) failHere(source, "found unexpected end of stream");
    const gap: Gap = { blanks: "", first: "", more: "", broken: false };
    while (!isBlankOrEnd(peek(source))) {
      const c = peek(source);
      if (!double && c === APOSTROPHE && peek(source, 1) === APOSTROPHE) {
        text += "'";
        skip(source, 2);
      } else if (c === quote) break;
      else if (double && c === BACKSLASH && isBreak(peek(source, 1))) {
        skip(source);
        takeBreak(source);
        gap.broken = true; // `first` stays empty: an escaped line break adds nothing
        break;
      } else if (double && c === BACKSLASH) text += scanEscape(source);
      else text += takeUntil(source, quotedRunEnd(source, quote));
    }
    if (peek(source) === quote) break;
    while (isBlank(peek(source)) || isBreak(peek(source))) takeGap(source, gap);
    text += fold(gap);
  }
  skip(source);
  return text;
}

function quotedRunEnd(source: Source, quote: number): number {
  let further = 1;
  for (;; further++) {
    const c = peek(source, further);
    if (c === quote || c === BACKSLASH || isBlankOrEnd(c)) return source.at + further;
  }
}

const escapes: ReadonlyMap<string, string> = new Map([
  ["0", "\0"],
  ["a", "\x07"],
  ["b", "\b"],
  ["t", "\t"],
  ["\t", "\t"],
  ["n", "\n"],
  ["v", "\v"],
  ["f", "\f"],
  ["r", "\r"],
  ["e", "\x1b"],
  [" ", " "],
  ['"', '"'],
  ["'", "'"],
  ["\\", "\\"],
  ["N", "\x85"],
  ["_", "\xa0"],
  ["L", "\u2028"],
  ["P", "\u2029"],
]);

const hexLengths: ReadonlyMap<string, number> = new Map([["x", 2], ["u", 4], ["U", 8]]);

/** The character of the escape at the cursor. */
function scanEscape(source: Source): string {
  peek(source, 1); // reports unreadable bytes after the cursor
  const letter = source.text.charAt(source.at + 1);
  const known = escapes.get(letter);
  if (known !== undefined) {
    skip(source, 2);
    return known;
  }
  const length = hexLengths.get(letter) ?? failHere(source, "found unknown escape character");
  skip(source, 2);
  const digits = source.text.slice(source.at, source.at + length);
  if (!/^[0-9a-fA-F]+$/.test(digits) || digits.length < length) failHere(source, "did not find expected hexdecimal number");
  const point = parseInt(digits, 16);
  if (point >= 0xd800 && point <= 0xdfff || point > 0x10ffff) failHere(source, "found invalid Unicode character escape code");
  skip(source, length);
  return String.fromCodePoint(point);
}

/** A literal or folded block. The cursor is at `|` or `>`. `indent`: indentation of the parent collection (-1: none). */
export function scanBlock(source: Source, indent: number): string {
  const literal = peek(source) === PIPE;
  skip(source);
  const { keep, increment } = scanBlockHeader(source);
  if (!skipToLineEnd(source)) failHere(source, "did not find expected comment or line break");
  if (isBreak(peek(source))) takeBreak(source);

  const known = increment === 0 ? 0 : Math.max(indent, 0) + increment;
  let { breaks, column } = scanBlockBreaks(source, known, indent);
  let text = "";
  let lineEnd = "";
  let afterBlank = false;
  while (source.column === column && peek(source) !== 0) {
    const blank = isBlank(peek(source));
    if (!literal && lineEnd.startsWith("\n") && !afterBlank && !blank) text += breaks === "" ? " " : "";
    else text += lineEnd;
    text += breaks;
    afterBlank = blank;
    let further = 0;
    while (!isBreakOrEnd(peek(source, further))) further++;
    text += takeUntil(source, source.at + further);
    lineEnd = peek(source) === 0 ? "" : takeBreak(source);
    ({ breaks, column } = scanBlockBreaks(source, column, indent));
  }
  return text + (keep === "-" ? "" : lineEnd) + (keep === "+" ? breaks : "");
}

/** The indicators after `|` or `>`: the treatment of final line breaks, and the indentation (0: that of the first line). */
function scanBlockHeader(source: Source): { keep: "" | "+" | "-"; increment: number } {
  let keep: "" | "+" | "-" = "";
  let increment = 0;
  const takeKeep = () => {
    const c = peek(source);
    if (c !== PLUS && c !== MINUS) return false;
    keep = c === PLUS ? "+" : "-";
    skip(source);
    return true;
  };
  const takeIncrement = () => {
    const digit = peek(source) - 0x30;
    if (digit < 0 || digit > 9) return false;
    if (digit === 0) failHere(source, "found an indentation indicator equal to 0");
    increment = digit;
    skip(source);
    return true;
  };
  if (takeKeep()) takeIncrement();
  else if (takeIncrement()) takeKeep();
  return { keep, increment };
}

/** Consumes indentation and empty lines before a line of a block. `known`: column of the block, or 0 to detect it. */
function scanBlockBreaks(source: Source, known: number, parentIndent: number): { breaks: string; column: number } {
  let breaks = "";
  let widest = 0;
  for (;;) {
    while ((known === 0 || source.column < known) && peek(source) === SPACE) skip(source);
    widest = Math.max(widest, source.column);
    if ((known === 0 || source.column < known) && peek(source) === TAB) {
      failHere(source, "found a tab character where an indentation space is expected");
    }
    if (!isBreak(peek(source))) break;
    breaks += takeBreak(source);
  }
  return { breaks, column: known === 0 ? Math.max(widest, parentIndent + 1, 1) : known };
}
