/** Parses templates in the language of Go's text/template. */
import { bound } from "../../../core/bound.ts";
import type { Json } from "../../../core/json.ts";
import { goQuote } from "../../../core/tree/go-quote.ts";
import { plainJson } from "../../../core/tree/plain-json.ts";

/** Characters of a template. */
const templateCharactersMax = bound(65_536);
/** Nested actions and parentheses of a template. */
const templateDepthMax = bound(50);

/** A template that cannot be parsed, or whose output fails. */
export class TemplateError extends Error {}

/** A value in a command. */
export type Operand =
  | { readonly tag: "value"; readonly value: Json }
  | { readonly tag: "dot"; readonly path: readonly string[] }
  | { readonly tag: "variable"; readonly name: string; readonly path: readonly string[] }
  | { readonly tag: "function"; readonly name: string }
  | { readonly tag: "pipeline"; readonly pipeline: Pipeline; readonly path: readonly string[] };
/** A function with its arguments, or one value. */
export type Command = readonly Operand[];
/** Commands, each with the value of the one before as its last argument; and the variables that get the result. */
export interface Pipeline {
  readonly names: readonly string[];
  readonly declares: boolean;
  readonly commands: readonly Command[];
}
/** A part of a template. */
export type Piece =
  | { readonly tag: "text"; readonly text: string }
  | { readonly tag: "action"; readonly pipeline: Pipeline }
  | {
    readonly tag: "if" | "with" | "range";
    readonly pipeline: Pipeline;
    readonly body: readonly Piece[];
    readonly otherwise: readonly Piece[];
  };

type Chunk = { readonly text: string } | { readonly action: readonly Token[] };
interface Token {
  readonly type: "word" | "field" | "variable" | "value" | "sign";
  readonly text: string;
  readonly value?: Json;
  /** Whether it follows the token before without a space. */
  readonly isJoined: boolean;
}

/** Parses a template. Throws a TemplateError. */
export function parseTemplate(text: string): readonly Piece[] {
  if (text.length > templateCharactersMax) throw new TemplateError(`the template has more than ${templateCharactersMax} characters`);
  const parser = new Parser(chunksOf(text)), pieces = parser.pieces(0);
  if (!parser.isDone) throw new TemplateError("unexpected {{end}} or {{else}}");
  return pieces;
}

const isSpace = (c: string | undefined): boolean => c === " " || c === "\n" || c === "\t" || c === "\r";
const isWord = (c: string | undefined): boolean => c !== undefined && /[A-Za-z0-9_]/.test(c);

function chunksOf(text: string): readonly Chunk[] {
  const chunks: Chunk[] = [];
  let at = 0, trims = false;
  while (at < text.length) {
    const open = text.indexOf("{{", at), end = open < 0 ? text.length : open;
    let plain = text.slice(at, end);
    if (trims) plain = plain.trimStart();
    if (open >= 0 && text[open + 2] === "-" && isSpace(text[open + 3])) plain = plain.trimEnd();
    if (plain !== "") chunks.push({ text: plain });
    if (open < 0) break;
    const from = text[open + 2] === "-" && isSpace(text[open + 3]) ? open + 3 : open + 2;
    const { tokens, next } = actionAt(text, from);
    trims = text[next - 3] === "-" && isSpace(text[next - 4]);
    if (tokens.length > 0) chunks.push({ action: tokens });
    at = next;
  }
  return chunks;
}

/** Reads the action that begins at `from`, and the place after its braces. A comment has no tokens. */
function actionAt(text: string, from: number): { readonly tokens: readonly Token[]; readonly next: number } {
  const tokens: Token[] = [];
  let at = from, isJoined = false;
  const add = (type: Token["type"], length: number, value?: Json) => {
    tokens.push({ type, text: text.slice(at, at + length), ...(value === undefined ? {} : { value }), isJoined });
    at += length;
    isJoined = true;
  };
  const wordLength = (start: number): number => {
    let end = start;
    while (isWord(text[end])) end++;
    return end - at;
  };
  while (at < text.length) {
    const c = text[at]!;
    if (text.startsWith("}}", at)) return { tokens, next: at + 2 };
    if (c === "-" && text.startsWith("-}}", at)) return { tokens, next: at + 3 };
    if (isSpace(c)) {
      at++;
      isJoined = false;
    } else if (text.startsWith("/*", at)) {
      const end = text.indexOf("*/", at);
      if (end < 0) throw new TemplateError("a comment that does not end");
      at = end + 2;
    } else if (c === '"') {
      let end = at + 1;
      while (end < text.length && text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
      add("value", end + 1 - at, textOf(text.slice(at, end + 1)));
    } else if (c === "`") {
      const end = text.indexOf("`", at + 1);
      if (end < 0) throw new TemplateError("a text that does not end");
      add("value", end + 1 - at, text.slice(at + 1, end));
    } else if (c === ".") add("field", Math.max(1, wordLength(at + 1)));
    else if (c === "$") add("variable", Math.max(1, wordLength(at + 1)));
    else if (isDigit(c) || (c === "-" && isDigit(text[at + 1]))) {
      let end = at + 1;
      while (isWord(text[end]) || text[end] === ".") end++;
      const value = Number(text.slice(at, end));
      if (Number.isNaN(value)) throw new TemplateError(`bad number ${text.slice(at, end)}`);
      add("value", end - at, value);
    } else if (isWord(c)) add("word", wordLength(at));
    else if (text.startsWith(":=", at)) add("sign", 2);
    else if ("()|,=".includes(c)) add("sign", 1);
    else throw new TemplateError(`unexpected ${goQuote(c)} in an action`);
  }
  throw new TemplateError("an action that does not end");
}

const isDigit = (c: string | undefined): boolean => c !== undefined && c >= "0" && c <= "9";

function textOf(literal: string): string {
  try {
    return plainJson(literal) as string; // a literal in quotes
  } catch {
    throw new TemplateError("a text that does not end, or has an escape that is not supported");
  }
}

class Parser {
  readonly #chunks: readonly Chunk[];
  #at = 0;

  constructor(chunks: readonly Chunk[]) {
    this.#chunks = chunks;
  }

  get isDone(): boolean {
    return this.#at >= this.#chunks.length;
  }

  /** Parses until `end` or `else`, which stays. */
  pieces(depth: number): readonly Piece[] {
    if (depth > templateDepthMax) throw new TemplateError(`more than ${templateDepthMax} nested actions`);
    const found: Piece[] = [];
    while (!this.isDone) {
      const chunk = this.#chunks[this.#at]!;
      if ("text" in chunk) {
        found.push({ tag: "text", text: chunk.text });
        this.#at++;
        continue;
      }
      const [first, ...rest] = chunk.action, word = first!.type === "word" ? first!.text : "";
      if (word === "end" || word === "else") return found;
      this.#at++;
      if (word === "if" || word === "with" || word === "range") found.push(this.#block(word, rest, depth));
      else found.push({ tag: "action", pipeline: new Actions(chunk.action).whole() });
    }
    return found;
  }

  #block(tag: "if" | "with" | "range", tokens: readonly Token[], depth: number): Piece {
    const pipeline = new Actions(tokens).whole(), body = this.pieces(depth + 1), chunk = this.#chunks[this.#at++];
    if (chunk === undefined || "text" in chunk) throw new TemplateError(`{{${tag}}} without {{end}}`);
    const [first, second, ...rest] = chunk.action;
    if (first!.text === "end") return { tag, pipeline, body, otherwise: [] };
    if (second !== undefined) {
      if (second.text !== "if" && second.text !== "with") throw new TemplateError(`unexpected ${second.text} after else`);
      return { tag, pipeline, body, otherwise: [this.#block(second.text, rest, depth + 1)] };
    }
    const otherwise = this.pieces(depth + 1), end = this.#chunks[this.#at++];
    if (end === undefined || "text" in end || end.action[0]!.text !== "end") throw new TemplateError(`{{else}} without {{end}}`);
    return { tag, pipeline, body, otherwise };
  }
}

/** Parses the tokens of one action. */
class Actions {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  whole(): Pipeline {
    const pipeline = this.#pipeline();
    if (this.#at < this.#tokens.length) throw new TemplateError(`unexpected ${this.#tokens[this.#at]!.text}`);
    return pipeline;
  }

  #is(text: string, ahead = 0): boolean {
    const token = this.#tokens[this.#at + ahead];
    return token?.type === "sign" && token.text === text;
  }

  #pipeline(): Pipeline {
    if (++this.#depth > templateDepthMax) throw new TemplateError(`more than ${templateDepthMax} nested parentheses`);
    const names: string[] = [], [first, , second] = this.#tokens.slice(this.#at, this.#at + 3);
    let declares = false;
    if (first?.type === "variable" && (this.#is(":=", 1) || this.#is("=", 1))) {
      names.push(first.text);
      declares = this.#is(":=", 1);
      this.#at += 2;
    } else if (first?.type === "variable" && this.#is(",", 1) && second?.type === "variable" && this.#is(":=", 3)) {
      names.push(first.text, second.text);
      declares = true;
      this.#at += 4;
    }
    const commands = [this.#command()];
    while (this.#is("|")) {
      this.#at++;
      commands.push(this.#command());
    }
    this.#depth--;
    return { names, declares, commands };
  }

  #command(): Command {
    const operands: Operand[] = [];
    while (this.#at < this.#tokens.length && !this.#is("|") && !this.#is(")")) operands.push(this.#operand());
    if (operands.length === 0) throw new TemplateError("missing value");
    return operands;
  }

  #operand(): Operand {
    const { type, text, value } = this.#tokens[this.#at++]!;
    if (type === "value") return { tag: "value", value: value! };
    if (type === "field") return { tag: "dot", path: text === "." ? [] : [text.slice(1), ...this.#path()] };
    if (type === "variable") return { tag: "variable", name: text, path: this.#path() };
    if (type === "word") {
      if (text === "true" || text === "false") return { tag: "value", value: text === "true" };
      return text === "nil" ? { tag: "value", value: null } : { tag: "function", name: text };
    }
    if (text !== "(") throw new TemplateError(`unexpected ${text}`);
    const pipeline = this.#pipeline();
    if (!this.#is(")")) throw new TemplateError("a parenthesis that is not closed");
    this.#at++;
    return { tag: "pipeline", pipeline, path: this.#path() };
  }

  #path(): readonly string[] {
    const names: string[] = [];
    for (let token = this.#tokens[this.#at]; token?.type === "field" && token.isJoined; token = this.#tokens[this.#at]) {
      names.push(token.text.slice(1));
      this.#at++;
    }
    return names;
  }
}
