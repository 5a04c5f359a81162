/** Values of literals. */
import { type ConstantValue } from "../ast.ts";
import { Uint } from "../values.ts";

/** A value, or the mistake in the literal. */
export type Literal = { readonly value: ConstantValue } | { readonly mistake: string };

const int64Min = -(2n ** 63n), int64Max = 2n ** 63n - 1n, uint64Max = 2n ** 64n - 1n;
/** Digits of the largest literal that is converted; longer ones have leading zeros or are out of range. */
const digitsMax = 20;

/** Returns an int from its text with sign. */
export function intLiteral(text: string): Literal {
  const value = integer(text);
  return value !== undefined && value >= int64Min && value <= int64Max ? { value } : { mistake: "invalid int literal" };
}

/** Returns a uint from its text with the letter at its end. */
export function uintLiteral(text: string): Literal {
  const value = integer(text.slice(0, -1));
  return value !== undefined && value <= uint64Max ? { value: new Uint(value) } : { mistake: "invalid uint literal" };
}

/** Returns a double from its text with sign. */
export function doubleLiteral(text: string): Literal {
  const value = Number(text);
  return Number.isFinite(value) ? { value } : { mistake: "invalid double literal" };
}

function integer(text: string): bigint | undefined {
  const negative = text.startsWith("-");
  const unsigned = negative ? text.slice(1) : text;
  const hex = unsigned.startsWith("0x");
  let first = hex ? 2 : 0;
  while (first < unsigned.length - 1 && unsigned[first] === "0") first++;
  const digits = unsigned.slice(first);
  if (digits.length > digitsMax) return undefined;
  const value = BigInt(hex ? `0x${digits}` : digits);
  return negative ? -value : value;
}

/** Returns a string from its token. */
export function stringLiteral(text: string): Literal {
  const parts: string[] = [];
  const mistake = unescape(text, (unescaped) => parts.push(unescaped), (code) => {
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return "invalid unicode code point";
    parts.push(String.fromCodePoint(code));
    return undefined;
  });
  return mistake === undefined ? { value: parts.join("") } : { mistake };
}

/** Returns bytes from their token, without the letter `b`. */
export function bytesLiteral(text: string): Literal {
  const parts: Uint8Array[] = [];
  const encoder = new TextEncoder();
  const mistake = unescape(text, (unescaped) => parts.push(encoder.encode(unescaped)), (code, letter) => {
    if (letter === "u" || letter === "U") return "unable to unescape string";
    parts.push(Uint8Array.of(code & 0xff));
    return undefined;
  });
  if (mistake !== undefined) return { mistake };
  const value = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    value.set(part, at);
    at += part.length;
  }
  return { value };
}

const letters: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};
const digitsOf: Readonly<Record<string, number>> = { x: 2, X: 2, u: 4, U: 8 };

/** Reads what is between the quotes. Escapes are valid in form: the lexer accepts no others. */
function unescape(
  token: string,
  text: (part: string) => void,
  coded: (code: number, letter: string) => string | undefined,
): string | undefined {
  const raw = token[0] === "r" || token[0] === "R";
  const quotes = raw ? token.slice(1) : token;
  const width = quotes.length >= 6 && quotes[0] === quotes[1] && quotes[1] === quotes[2] ? 3 : 1;
  const inner = quotes.slice(width, quotes.length - width).replaceAll("\r\n", "\n").replaceAll("\r", "\n");
  let at = 0;
  for (;;) {
    const next = raw ? -1 : inner.indexOf("\\", at);
    if (next < 0) {
      text(inner.slice(at));
      return undefined;
    }
    text(inner.slice(at, next));
    const letter = inner[next + 1]!;
    const octal = letter >= "0" && letter <= "3";
    const digits = digitsOf[letter];
    at = next + 2;
    if (!octal && digits === undefined) {
      text(letters[letter] ?? letter);
      continue;
    }
    const from = octal ? next + 1 : next + 2, to = octal ? next + 4 : next + 2 + digits!;
    const mistake = coded(parseInt(inner.slice(from, to), octal ? 8 : 16), letter);
    if (mistake !== undefined) return mistake;
    at = to;
  }
}
