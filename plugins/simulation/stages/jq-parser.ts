/** Parses expressions of jq. */
import { bound } from "../../../core/bound.ts";
import type { Json } from "../../../core/json.ts";
import { goQuote } from "../../../core/tree/go-quote.ts";
import { plainJson } from "../../../core/tree/plain-json.ts";

/** An expression, parsed. */
export type Jq =
  | { readonly tag: "self" }
  | { readonly tag: "value"; readonly value: Json }
  | { readonly tag: "field"; readonly of: Jq; readonly key: Jq }
  | { readonly tag: "each"; readonly of: Jq }
  | { readonly tag: "optional"; readonly of: Jq }
  | { readonly tag: "pipe" | "comma" | "alternative" | "and" | "or"; readonly left: Jq; readonly right: Jq }
  | { readonly tag: "compare"; readonly operator: string; readonly left: Jq; readonly right: Jq }
  | { readonly tag: "call"; readonly name: string; readonly args: readonly Jq[] };

/** Characters of an expression of jq. */
const jqCharactersMax = bound(4_096);
/** Parts of an expression of jq: a chain of them is nested as deep. */
const jqPartsMax = bound(200);
/** Nested parts of an expression of jq. */
const jqDepthMax = bound(50);

/** The functions with their number of arguments. */
const functions: Readonly<Record<string, number>> = { select: 1, has: 1, not: 0, length: 0, empty: 0, tostring: 0, any: 1, all: 1 };
const tokens = ["//", "==", "!=", "<=", ">=", "|", ",", ".", "[", "]", "(", ")", "?", "<", ">"];
const isNameStart = (c: string): boolean => /[A-Za-z_]/.test(c);
const isDigit = (c: string): boolean => c >= "0" && c <= "9";

interface Token {
  readonly type: "name" | "text" | "number" | "sign" | "end";
  readonly text: string;
}

/** A parser of one text, by recursive descent. */
export class JqParser {
  readonly #fail: (message: string) => Error;
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  /** @param fail makes the error that is thrown */
  constructor(text: string, fail: (message: string) => Error) {
    this.#fail = fail;
    if (text.length > jqCharactersMax) throw fail(`the expression has more than ${jqCharactersMax} characters`);
    this.#tokens = this.#scan(text);
  }

  /** Returns the whole expression. */
  parse(): Jq {
    const jq = this.#pipe();
    if (this.#peek().type !== "end") throw this.#unexpected();
    return jq;
  }

  #scan(text: string): readonly Token[] {
    const found: Token[] = [];
    let at = 0;
    const while_ = (is: (c: string) => boolean): string => {
      const from = at;
      while (at < text.length && is(text[at]!)) at++;
      return text.slice(from, at);
    };
    while (at < text.length) {
      const c = text[at]!, sign = tokens.find((each) => text.startsWith(each, at));
      if (c === " " || c === "\n" || c === "\t" || c === "\r") at++;
      else if (c === '"') {
        const from = at++;
        while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
        found.push({ type: "text", text: this.#string(text.slice(from, ++at)) });
      } else if (isDigit(c)) found.push({ type: "number", text: while_((each) => isDigit(each) || each === ".") });
      else if (isNameStart(c)) found.push({ type: "name", text: while_((each) => isNameStart(each) || isDigit(each)) });
      else if (sign !== undefined) {
        found.push({ type: "sign", text: sign });
        at += sign.length;
      } else throw this.#fail(`unexpected ${goQuote(c)}`);
    }
    if (found.length > jqPartsMax) throw this.#fail(`the expression has more than ${jqPartsMax} parts`);
    return [...found, { type: "end", text: "the end" }];
  }

  #string(literal: string): string {
    try {
      return plainJson(literal) as string; // a literal in quotes
    } catch {
      throw this.#fail("a text that does not end, or has an escape that is none");
    }
  }

  #peek(): Token {
    return this.#tokens[this.#at]!;
  }

  #takes(...signs: readonly string[]): string | undefined {
    const { type, text } = this.#peek();
    if ((type !== "sign" && type !== "name") || !signs.includes(text)) return undefined;
    this.#at++;
    return text;
  }

  #expect(sign: string): void {
    if (this.#takes(sign) === undefined) throw this.#unexpected();
  }

  #unexpected(): Error {
    return this.#fail(`unexpected ${goQuote(this.#peek().text)}`);
  }

  #pipe(): Jq {
    if (++this.#depth > jqDepthMax) throw this.#fail(`more than ${jqDepthMax} nested parts`);
    let left = this.#binary(0);
    while (this.#takes("|") !== undefined) left = { tag: "pipe", left, right: this.#binary(0) };
    this.#depth--;
    return left;
  }

  /** Operators by their rank, the loosest first. */
  #binary(rank: number): Jq {
    const ranks = [[","], ["//"], ["or"], ["and"], ["==", "!=", "<", "<=", ">", ">="]] as const, signs = ranks[rank];
    if (signs === undefined) return this.#postfix();
    const tags = ["comma", "alternative", "or", "and"] as const;
    let left = this.#binary(rank + 1);
    for (let operator = this.#takes(...signs); operator !== undefined; operator = this.#takes(...signs)) {
      const right = this.#binary(rank + 1), tag = tags[rank];
      left = tag === undefined ? { tag: "compare", operator, left, right } : { tag, left, right };
    }
    return left;
  }

  #postfix(): Jq {
    let jq = this.#term();
    for (;;) {
      if (this.#takes("?") !== undefined) jq = { tag: "optional", of: jq };
      else if (this.#takes("[") !== undefined) jq = this.#brackets(jq);
      else if (this.#takes(".") !== undefined) jq = this.#takes("[") !== undefined ? this.#brackets(jq) : this.#name(jq);
      else return jq;
    }
  }

  #brackets(of: Jq): Jq {
    if (this.#takes("]") !== undefined) return { tag: "each", of };
    const key = this.#pipe();
    this.#expect("]");
    return { tag: "field", of, key };
  }

  #name(of: Jq): Jq {
    const { type, text } = this.#peek();
    if (type !== "name" && type !== "text") throw this.#unexpected();
    this.#at++;
    return { tag: "field", of, key: { tag: "value", value: text } };
  }

  #term(): Jq {
    const { type, text } = this.#tokens[this.#at++]!;
    if (type === "text") return { tag: "value", value: text };
    if (type === "number") {
      if (Number.isNaN(Number(text))) throw this.#fail(`bad number ${text}`);
      return { tag: "value", value: Number(text) };
    }
    if (type === "sign" && text === "(") {
      const jq = this.#pipe();
      this.#expect(")");
      return jq;
    }
    if (type === "sign" && text === ".") {
      const next = this.#peek();
      return next.type === "name" && !["and", "or"].includes(next.text) || next.type === "text"
        ? this.#name({ tag: "self" })
        : { tag: "self" };
    }
    const literals: Readonly<Record<string, Json>> = { true: true, false: false, null: null };
    if (type === "name" && Object.hasOwn(literals, text)) return { tag: "value", value: literals[text]! };
    const count = type === "name" && Object.hasOwn(functions, text) ? functions[text] : undefined;
    if (count === undefined) {
      this.#at--;
      throw type === "name" ? this.#fail(`the function ${text} is not supported`) : this.#unexpected();
    }
    if (count === 0) return { tag: "call", name: text, args: [] };
    this.#expect("(");
    const args = [this.#pipe()];
    this.#expect(")");
    return { tag: "call", name: text, args };
  }
}
