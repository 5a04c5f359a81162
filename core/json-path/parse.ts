/**
 * JSON paths in the syntax of client-go, such as `.spec.list[?(@.kind=="a")].name`: columns and selectable fields of custom resources use
 * them. A filter ends at its first parenthesis and a bracket at its first counterpart, so that they cannot be nested deeply.
 */
import { append } from "../append.ts";
import { bound } from "../bound.ts";

/** UTF-16 units of a JSON path of a column or selectable field. A longer path finds nothing. */
export const jsonPathLengthMax = bound(16 * 1024);

/** One step of a path, or a constant. */
export type Step =
  | { readonly tag: "field"; readonly name: string }
  | { readonly tag: "wildcard" }
  | { readonly tag: "recursive" }
  /** A slice. `end` without `isDerived` undefined: up to the end of the list. */
  | { readonly tag: "slice"; readonly start?: number; readonly end?: number; readonly isDerived: boolean; readonly step?: number }
  | { readonly tag: "filter"; readonly left: Steps; readonly operator: string; readonly right: Steps }
  | { readonly tag: "union"; readonly of: readonly Steps[] }
  | { readonly tag: "constant"; readonly value: Constant }
  /** `range` and `end`, which need a template, and unknown words. */
  | { readonly tag: "word"; readonly name: string };
export type Steps = readonly Step[];

/** A constant and its kind in Go: integers and floats are not comparable. */
export type Constant =
  | { readonly kind: "string"; readonly value: string }
  | { readonly kind: "bool"; readonly value: boolean }
  | { readonly kind: "int" | "float"; readonly value: number | bigint };

/** A parsed path: the actions of the template `{<path>}`. Nearly all have one. */
export type JsonPath = readonly Steps[];

export class JsonPathError extends Error {
  override readonly name = "JsonPathError";
}

/** Parses the text of a path without braces. Returns the error of an invalid one. */
export function parseJsonPath(text: string): JsonPath | JsonPathError {
  if (text.length > jsonPathLengthMax) return new JsonPathError("the path is too long");
  try {
    return new Parser(`{${text}}`).template();
  } catch (error) {
    if (error instanceof JsonPathError) return error;
    throw error;
  }
}

const fail = (text: string): never => {
  throw new JsonPathError(text);
};

/** Parses the inside of an action. */
function action(text: string): Steps {
  return new Parser(`{${text}}`).template()[0] ?? [];
}

const letter = /^[\p{L}_]$/u, digit = /^\p{Nd}$/u;
const terminators = " \t\r\n.,[]$@{}";

class Parser {
  readonly #text: string;
  #at = 0;
  constructor(text: string) {
    this.#text = text;
  }

  /** Texts outside of braces are constants. */
  template(): Steps[] {
    const actions: Steps[] = [];
    while (this.#at < this.#text.length) {
      const brace = this.#text.indexOf("{", this.#at), end = brace < 0 ? this.#text.length : brace;
      if (end > this.#at) actions.push([constant("string", this.#text.slice(this.#at, end))]);
      this.#at = end + 1;
      if (brace >= 0) actions.push(this.#inside());
    }
    return actions;
  }

  #starts(prefix: string): boolean {
    return this.#text.startsWith(prefix, this.#at);
  }
  #peek(): string {
    const code = this.#text.codePointAt(this.#at);
    return code === undefined ? "" : String.fromCodePoint(code);
  }
  #next(): string {
    const character = this.#peek();
    this.#at += character.length;
    return character;
  }

  /** An action, up to and with its brace. */
  #inside(): Steps {
    const steps: Step[] = [];
    for (;;) {
      if (this.#starts("}")) {
        this.#at++;
        return steps;
      }
      if (this.#starts("[?(")) steps.push(this.#filter());
      else if (this.#starts("..")) {
        if (steps.at(-1)?.tag === "recursive") fail("invalid multiple recursive descent");
        this.#at += 2;
        steps.push({ tag: "recursive" });
        const next = this.#peek();
        if (letter.test(next) || digit.test(next)) steps.push(this.#field());
      } else this.#step(steps);
    }
  }

  #step(steps: Step[]): void {
    const start = this.#at, character = this.#next();
    if (character === "" || character === "\r" || character === "\n") fail("unclosed action");
    if (character === " " || character === "@" || character === "$") return;
    if (character === "[") append(steps, this.#array());
    else if (character === '"' || character === "'") steps.push(this.#quoted(character, start));
    else if (character === ".") steps.push(this.#field());
    else if (character === "+" || character === "-" || digit.test(character)) {
      this.#at = start;
      steps.push(this.#number());
    } else if (letter.test(character)) {
      this.#at = start;
      steps.push(this.#word());
    } else fail(`unrecognized character in action: ${character}`);
  }

  #field(): Step {
    const start = this.#at;
    while (this.#at < this.#text.length && !terminators.includes(this.#text[this.#at]!)) this.#at += this.#text[this.#at] === "\\" ? 2 : 1;
    this.#at = Math.min(this.#at, this.#text.length);
    const name = this.#text.slice(start, this.#at);
    return name === "*" ? { tag: "wildcard" } : { tag: "field", name: name.replaceAll("\\", "") };
  }

  #word(): Step {
    const start = this.#at;
    while (this.#at < this.#text.length && !terminators.includes(this.#text[this.#at]!)) this.#at++;
    const name = this.#text.slice(start, this.#at);
    return name === "true" || name === "false" ? constant("bool", name === "true") : { tag: "word", name };
  }

  #number(): Step {
    const start = this.#at;
    if (this.#starts("+") || this.#starts("-")) this.#at++;
    while (this.#peek() === "." || digit.test(this.#peek())) this.#next();
    const text = this.#text.slice(start, this.#at);
    if (/^[+-]?[0-9]+$/.test(text)) {
      const value = Number(text);
      if (Number.isSafeInteger(value)) return constant("int", value);
      const whole = text.length <= int64Digits ? BigInt(text) : undefined;
      if (whole !== undefined && BigInt.asIntN(64, whole) === whole) return constant("int", whole);
      return constant("float", value);
    }
    if (/^[+-]?(?:[0-9]+\.[0-9]*|\.[0-9]+)$/.test(text)) return constant("float", Number(text));
    return fail(`cannot parse number ${text}`);
  }

  #quoted(quote: string, start: number): Step {
    for (;;) {
      const character = this.#next();
      if (character === "" || character === "\n") fail("unterminated quoted string");
      if (character === quote && this.#text[this.#at - 2] !== "\\") break;
    }
    return constant("string", unquoted(this.#text.slice(start + 1, this.#at - 1)));
  }

  /** `[...]`: a union, a key in quotes, or a slice. The bracket has been read. */
  #array(): Steps {
    const close = this.#text.indexOf("]", this.#at), line = this.#text.indexOf("\n", this.#at);
    if (close < 0 || (line >= 0 && line < close)) fail("unterminated array");
    const inside = this.#text.slice(this.#at, close), text = inside === "*" ? ":" : inside;
    this.#at = close + 1;
    const parts = text.split(",");
    if (parts.length > 1) return [{ tag: "union", of: parts.map((part) => action(`[${trimmed(part)}]`)) }];
    if (text.length >= 2 && text.startsWith("'") && text.indexOf("'", 1) === text.length - 1) {
      return action(`.${text.slice(1, -1)}`);
    }
    return [slice(text)];
  }

  #filter(): Step {
    this.#at += "[?(".length;
    const start = this.#at;
    let pair = "", closed = false;
    for (;;) {
      const character = this.#next();
      if (character === "" || character === "\n") fail("unterminated filter");
      if (character === '"' || character === "'") {
        if (pair === "") pair = character;
        else if (this.#text[this.#at - 2] !== "\\" && character === pair) closed = true;
      } else if (character === ")" && (pair !== "") === closed) break;
    }
    const text = this.#text.slice(start, this.#at - 1);
    if (this.#next() !== "]") fail("unclosed array expect ]");
    const at = text.search(/[!<>=]/);
    let end = at;
    while (end >= 0 && end < text.length && "!<>=".includes(text[end]!)) end++;
    // A comparison has something on both sides, the right one on one line.
    if (at <= 0) return { tag: "filter", left: action(text), operator: "exists", right: [] };
    if (end === text.length) {
      if (end - at < 2) return { tag: "filter", left: action(text), operator: "exists", right: [] };
      end--;
    }
    return { tag: "filter", left: action(text.slice(0, at)), operator: text.slice(at, end), right: action(text.slice(end)) };
  }
}

const int64Digits = 20;

function constant(kind: Constant["kind"], value: string | boolean | number | bigint): Step {
  return { tag: "constant", value: { kind, value } as Constant }; // callers pass the type of the kind
}

function trimmed(text: string): string {
  let start = 0, end = text.length;
  while (start < end && text[start] === " ") start++;
  while (end > start && text[end - 1] === " ") end--;
  return text.slice(start, end);
}

/** `2`, `1:3`, `::2`, `-1`. */
function slice(text: string): Step {
  const parts = text.split(":");
  if (parts.length > 3 || parts.some((part) => !/^-?[0-9]*$/.test(part))) fail(`invalid array index ${text}`);
  const [first = "", second, third] = parts;
  const number = (part: string | undefined): number | undefined => {
    if (part === undefined || part === "") return undefined;
    const value = Number(part);
    return Number.isSafeInteger(value) ? value : fail(`array index ${part} is not a number`);
  };
  const start = number(first), end = second === undefined ? (start ?? 0) + 1 : number(second), step = number(third);
  return {
    tag: "slice",
    isDerived: second === undefined,
    ...(start === undefined ? {} : { start }),
    ...(end === undefined ? {} : { end }),
    ...(step === undefined ? {} : { step }),
  };
}

const escapes: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  "'": "'",
  '"': '"',
};

/** Returns a text with Go's escapes resolved. */
function unquoted(text: string): string {
  if (!text.includes("\\")) return text;
  let out = "";
  for (let at = 0; at < text.length; at++) {
    if (text[at] !== "\\") {
      out += text[at];
      continue;
    }
    const character = text[++at] ?? "";
    const digits = character === "x" ? 2 : character === "u" ? 4 : character === "U" ? 8 : 0;
    if (digits > 0) {
      const hex = text.slice(at + 1, at + 1 + digits), code = Number.parseInt(hex, 16);
      if (hex.length < digits || !/^[0-9a-fA-F]+$/.test(hex) || code > 0x10ffff) fail(`unquote string ${text} error invalid syntax`);
      out += String.fromCodePoint(code);
      at += digits;
    } else if (Object.hasOwn(escapes, character)) out += escapes[character];
    else fail(`unquote string ${text} error invalid syntax`);
  }
  return out;
}
