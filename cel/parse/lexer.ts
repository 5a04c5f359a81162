/**
 * Splits the text of an expression into tokens. The longest token wins; text that starts no token is reported and skipped up to and including
 * the character that cannot follow. Each character is looked at a bounded number of times.
 */
import type { Token, TokenKind } from "./tokens.ts";

/** Reads tokens one at a time; `report` gets text that is no token. */
export interface Lexer {
  next(): Token;
}

const keywords: ReadonlySet<string> = new Set(["in", "true", "false", "null"]);
const pairs: ReadonlySet<string> = new Set(["==", "!=", "<=", ">=", "&&", "||"]);
const singles: ReadonlySet<string> = new Set("<>[]{}().,-!?:+*/%");

/** `accepted` is the end of the longest token; without one, `failed` is the offset of the character that cannot follow. */
type Match = { readonly kind: TokenKind; readonly end: number } | { readonly kind: undefined; readonly failed: number };

/** @param report Called with the offset and text of what is no token. */
export function lexer(text: string, report: (start: number, text: string) => void): Lexer {
  let at = 0;
  return {
    next() {
      let hidden = "";
      for (;;) {
        const start = at;
        if (start >= text.length) return { kind: "end", start, end: start, hidden };
        const blank = skipHidden(text, start);
        if (blank > start) {
          hidden += text.slice(start, blank);
          at = blank;
          continue;
        }
        const match = matchToken(text, start);
        if (match.kind !== undefined) {
          at = match.end;
          return { kind: match.kind, start, end: at, hidden };
        }
        const code = text.codePointAt(match.failed);
        at = Math.min(text.length, match.failed + (code !== undefined && code > 0xffff ? 2 : 1));
        report(start, text.slice(start, at));
      }
    },
  };
}

function skipHidden(text: string, start: number): number {
  let at = start;
  while (at < text.length && " \t\r\n\f".includes(text[at]!)) at++;
  if (at > start || !text.startsWith("//", at)) return at;
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

function matchToken(text: string, start: number): Match {
  const first = text[start]!;
  if (isLetter(first)) return matchPrefixed(text, start, first) ?? matchWord(text, start);
  if (isDigit(first) || (first === "." && isDigit(text[start + 1]))) return numeric(text, start);
  if (first === '"' || first === "'") return matchQuoted(text, start, false, "string");
  if (first === "`") return matchEscaped(text, start);
  const pair = text.slice(start, start + 2);
  if (pairs.has(pair)) return { kind: pair as TokenKind, end: start + 2 }; // a member of `pairs` is a kind
  if (singles.has(first)) return { kind: first as TokenKind, end: start + 1 }; // a member of `singles` is a kind
  return { kind: undefined, failed: "=&|".includes(first) ? start + 1 : start };
}

/** Returns a string or bytes with a prefix; undefined if the prefix is a name. */
function matchPrefixed(text: string, start: number, first: string): Match | undefined {
  let at = start;
  const bytes = first === "b" || first === "B";
  if (bytes) at++;
  const raw = text[at] === "r" || text[at] === "R";
  if (raw) at++;
  if (at === start || (text[at] !== '"' && text[at] !== "'")) return undefined;
  const match = matchQuoted(text, at, raw, bytes ? "bytes" : "string");
  return match.kind === undefined ? undefined : match;
}

function matchWord(text: string, start: number): Match {
  let end = start;
  while (end < text.length && isWordPart(text[end]!)) end++;
  const name = text.slice(start, end);
  return { kind: keywords.has(name) ? name as TokenKind : "identifier", end }; // a keyword is a kind
}

function numeric(text: string, start: number): Match {
  if (text[start] === "0" && text[start + 1] === "x" && isHex(text[start + 2])) {
    let end = start + 2;
    while (isHex(text[end])) end++;
    return unsigned(text, end);
  }
  let end = start;
  while (isDigit(text[end])) end++;
  const whole = end;
  if (text[end] === "." && isDigit(text[end + 1])) {
    end++;
    while (isDigit(text[end])) end++;
  }
  let exponent = end;
  if (text[exponent] === "e" || text[exponent] === "E") {
    exponent++;
    if (text[exponent] === "+" || text[exponent] === "-") exponent++;
    if (isDigit(text[exponent])) {
      while (isDigit(text[exponent])) exponent++;
      end = exponent;
    }
  }
  return end > whole ? { kind: "double", end } : unsigned(text, end);
}

const unsigned = (text: string, end: number): Match =>
  text[end] === "u" || text[end] === "U" ? { kind: "uint", end: end + 1 } : { kind: "int", end };

/** Returns a string from its first quote on. */
function matchQuoted(text: string, start: number, raw: boolean, kind: "string" | "bytes"): Match {
  const quote = text[start]!;
  if (text.startsWith(quote.repeat(3), start)) {
    const end = findClosing(text, start + 3, quote.repeat(3), raw);
    // Without its end, the first two quotes are an empty string.
    return { kind, end: end.closed ? end.at : start + 2 };
  }
  const end = findClosing(text, start + 1, quote, raw);
  return end.closed ? { kind, end: end.at } : { kind: undefined, failed: end.at };
}

/** Returns the offset behind the closing quotes, or of the character that cannot follow. */
function findClosing(text: string, start: number, quotes: string, raw: boolean): { readonly closed: boolean; readonly at: number } {
  let at = start;
  while (at < text.length) {
    const character = text[at]!;
    if (character === quotes[0] && text.startsWith(quotes, at)) return { closed: true, at: at + quotes.length };
    if (quotes.length === 1 && (character === "\n" || character === "\r")) return { closed: false, at };
    if (character === "\\" && !raw) {
      const end = escape(text, at + 1);
      if (!end.valid) return { closed: false, at: end.at };
      at = end.at;
    } else at++;
  }
  return { closed: false, at };
}

const escapeDigits: Readonly<Record<string, number>> = { x: 2, X: 2, u: 4, U: 8 };

/** Returns the offset behind an escape, from the character after the backslash on, or of the character that cannot follow. */
function escape(text: string, start: number): { readonly valid: boolean; readonly at: number } {
  const letter = text[start];
  if (letter === undefined) return { valid: false, at: start };
  if ("abfnrtv\"'\\?`".includes(letter)) return { valid: true, at: start + 1 };
  const octal = letter >= "0" && letter <= "3";
  const digits = octal ? 2 : escapeDigits[letter];
  if (digits === undefined) return { valid: false, at: start };
  for (let at = start + 1; at <= start + digits; at++) {
    const valid = octal ? isOctal(text[at]) : isHex(text[at]);
    if (!valid) return { valid: false, at };
  }
  return { valid: true, at: start + 1 + digits };
}

function matchEscaped(text: string, start: number): Match {
  let at = start + 1;
  while (at < text.length && (isWordPart(text[at]!) || ".-/ ".includes(text[at]!))) at++;
  return text[at] === "`" && at > start + 1 ? { kind: "escaped", end: at + 1 } : { kind: undefined, failed: at };
}

const isDigit = (character: string | undefined) => character !== undefined && character >= "0" && character <= "9";
const isOctal = (character: string | undefined) => character !== undefined && character >= "0" && character <= "7";
const isHex = (character: string | undefined) =>
  isDigit(character) || (character !== undefined && ((character >= "a" && character <= "f") || (character >= "A" && character <= "F")));
const isLetter = (character: string) =>
  (character >= "a" && character <= "z") || (character >= "A" && character <= "Z") || character === "_";
const isWordPart = (character: string) => isLetter(character) || isDigit(character);
