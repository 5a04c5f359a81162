/** Literals: scalars, lists, maps and messages. */
import type { Expr, MapEntry, StructEntry } from "../ast.ts";
import { expected } from "./expected.ts";
import { bytesLiteral, doubleLiteral, intLiteral, type Literal, stringLiteral, uintLiteral } from "./literals.ts";
import { isMismatch, Rules } from "./rules.ts";
import type { Token, TokenKind, TokenSet } from "./tokens.ts";

export abstract class LiteralRules extends Rules {
  protected literal(): Expr {
    const tokens = this.tokens;
    const start = tokens.token();
    let sign = "";
    if (start.kind === "-") {
      if (tokens.peek(1) !== "int" && tokens.peek(1) !== "double") {
        tokens.enter(expected.nothing);
        const hole = this.abort(tokens.noAlternative(1), expected.literal, this.hole());
        tokens.leave();
        return hole;
      }
      sign = tokens.textOf(tokens.take());
    }
    const token = tokens.take();
    const literal = valueOf(token.kind, sign + tokens.textOf(token));
    if ("mistake" in literal) return this.mistake(start, literal.mistake);
    return this.build.constant(tokens.position(start), literal.value);
  }

  protected list(): Expr {
    const tokens = this.tokens;
    const id = this.idAt(tokens.take());
    const elements: Expr[] = [], optional: number[] = [];
    const done = (): Expr => ({ tag: "list", id, elements, optional });
    const mismatch = tokens.sync(expected.list, "block");
    if (mismatch !== undefined) return this.abort(mismatch, expected.list, done());
    if (expected.optional.kinds.has(tokens.peek())) {
      tokens.enter(expected.listEnd);
      let height = 0;
      do {
        if (elements.length > 0) tokens.take();
        const element = this.#optionalExpr(expected.commaOrEnd);
        if (element.mark !== undefined) {
          if (this.optionalSyntax) optional.push(elements.length);
          else this.mistake(element.mark, "unsupported syntax '?'");
        }
        elements.push(element.expr);
        height = Math.max(height, this.height);
      } while (tokens.peek() === "," && expected.optional.kinds.has(tokens.peek(1)));
      tokens.leave();
      this.height = height;
    }
    this.#closeLiteral("]", expected.listEnd, expected.closeBracket);
    return done();
  }

  protected map(): Expr {
    const tokens = this.tokens;
    const id = this.idAt(tokens.take());
    const entries: MapEntry[] = [];
    const done = (): Expr => ({ tag: "map", id, entries });
    const mismatch = tokens.sync(expected.map, "block");
    if (mismatch !== undefined) return this.abort(mismatch, expected.map, done());
    if (expected.optional.kinds.has(tokens.peek())) {
      tokens.enter(expected.mapEnd);
      let height = 0, goesOn = true;
      while (goesOn) {
        if (entries.length > 0) tokens.take();
        const mark = this.build.issues.length;
        const key = this.#optionalExpr(expected.colon);
        height = Math.max(height, this.height);
        const value = this.#entryValue(mark);
        if (value === undefined) break;
        height = Math.max(height, this.height);
        if (key.mark !== undefined && !this.optionalSyntax) this.mistake(key.mark, "unsupported syntax '?'");
        entries.push({ id: value.id, key: key.expr, value: value.expr, optional: key.mark !== undefined });
        goesOn = tokens.peek() === "," && expected.optional.kinds.has(tokens.peek(1));
      }
      tokens.leave();
      this.height = height;
    }
    this.#closeLiteral("}", expected.mapEnd, expected.closeBrace);
    return done();
  }

  protected message(length: number): Expr {
    const tokens = this.tokens;
    let type = "";
    for (let left = length; left > 0; left--) type += tokens.textOf(tokens.take());
    const id = this.idAt(tokens.take());
    const entries: StructEntry[] = [];
    const done = (): Expr => ({ tag: "struct", id, type, entries });
    const mismatch = tokens.sync(expected.fields, "block");
    if (mismatch !== undefined) return this.abort(mismatch, expected.fields, done());
    if (expected.optionalName.kinds.has(tokens.peek())) {
      tokens.enter(expected.mapEnd);
      let height = 0, goesOn = true;
      while (goesOn) {
        if (entries.length > 0) tokens.take();
        const start = tokens.token();
        const mark = this.build.issues.length;
        const field = this.#optionalField();
        const value = this.#entryValue(mark);
        if (value === undefined) break;
        height = Math.max(height, this.height);
        if (field.optional && !this.optionalSyntax) this.mistake(start, "unsupported syntax '?'");
        const name = field.name === undefined ? this.fieldMistake(start, "unsupported ident kind") : this.fieldName(field.name);
        entries.push({ id: value.id, field: name, value: value.expr, optional: field.optional });
        goesOn = tokens.peek() === "," && expected.optionalName.kinds.has(tokens.peek(1));
      }
      tokens.leave();
      this.height = height;
    }
    this.#closeLiteral("}", expected.mapEnd, expected.closeBrace);
    return done();
  }

  #optionalField(): { readonly name: Token | undefined; readonly optional: boolean } {
    const tokens = this.tokens;
    tokens.enter(expected.colon);
    const mismatch = tokens.sync(expected.optionalName, "block");
    let optional = false, name: Token | undefined;
    if (mismatch !== undefined) tokens.recover(mismatch, expected.optionalName);
    else {
      optional = tokens.peek() === "?";
      if (optional) tokens.take();
      name = this.name(expected.nothing);
    }
    tokens.leave();
    return { name, optional };
  }

  /**
   * Reads the colon and the value of an entry. Returns undefined if the colon is missing, and drops the issues that were found in the key since
   * `mark`.
   */
  #entryValue(mark: number): { readonly id: number; readonly expr: Expr } | undefined {
    const colon = this.tokens.match(":", expected.colon, expected.unary);
    if (isMismatch(colon)) {
      this.build.issues.length = mark;
      this.tokens.recover(colon, expected.colon);
      return undefined;
    }
    const id = this.idAt(colon);
    return { id, expr: this.expr(expected.commaOrEnd) };
  }

  #optionalExpr(follow: TokenSet): { readonly expr: Expr; readonly mark: Token | undefined } {
    const tokens = this.tokens;
    tokens.enter(follow);
    const mismatch = tokens.sync(expected.optional, "block");
    let expr: Expr, mark: Token | undefined;
    if (mismatch !== undefined) expr = this.abort(mismatch, expected.optional, this.hole());
    else {
      if (tokens.peek() === "?") mark = tokens.take();
      expr = this.expr(expected.nothing);
    }
    tokens.leave();
    return { expr, mark };
  }

  /** The closing token of a literal, with a comma before it. */
  #closeLiteral(kind: TokenKind, before: TokenSet, set: TokenSet): void {
    const mismatch = this.tokens.sync(before, "block");
    if (mismatch !== undefined) {
      this.tokens.recover(mismatch, before);
      return;
    }
    if (this.tokens.peek() === ",") this.tokens.take();
    this.close(kind, set, expected.nothing);
  }
}

function valueOf(kind: TokenKind, text: string): Literal {
  switch (kind) {
    case "int":
      return intLiteral(text);
    case "uint":
      return uintLiteral(text);
    case "double":
      return doubleLiteral(text);
    case "string":
      return stringLiteral(text);
    case "bytes":
      return bytesLiteral(text.slice(1));
    case "true":
    case "false":
      return { value: kind === "true" };
    default:
      return { value: null };
  }
}
