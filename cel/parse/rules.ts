/** Functions that all rules of the grammar share: tokens, nodes, bounds and mistakes. */
import type { Expr } from "../ast.ts";
import type { Builder } from "./builder.ts";
import { expected } from "./expected.ts";
import type { Mismatch, Recovery } from "./recovery.ts";
import type { Token, TokenKind, TokenSet } from "./tokens.ts";
import { bound } from "../../core/bound.ts";

/** Nesting of each rule of the grammar in a CEL expression, and of operators, selections and member calls. */
const celNestingMax = bound(250);

export const isMismatch = (result: Token | Mismatch): result is Mismatch => !("kind" in result);

/** Words that cannot be names of variables and functions. They may be names of fields. */
export const reserved: ReadonlySet<string> = new Set(
  ("as break const continue else false for function if import in let loop package namespace null return true var void while").split(" "),
);

export abstract class Rules {
  protected readonly tokens: Recovery;
  protected readonly build: Builder;
  protected readonly optionalSyntax: boolean;
  /** Nesting of operators, selections and member calls in the expression that was parsed last. */
  protected height = 0;
  /** Whether some part of the text was nested too deeply. */
  tooDeep = false;

  constructor(tokens: Recovery, build: Builder, optionalSyntax: boolean) {
    this.tokens = tokens;
    this.build = build;
    this.optionalSyntax = optionalSyntax;
  }

  /** An expression. `follow`: what may come after it. */
  protected abstract expr(follow: TokenSet): Expr;

  /** The closing token. */
  protected close(kind: TokenKind, set: TokenSet, after: TokenSet): boolean {
    const token = this.tokens.match(kind, set, after);
    if (!isMismatch(token)) return true;
    this.tokens.recover(token, set);
    return false;
  }

  /** Makes an expression that nests others of a height. */
  protected higher(height: number, make: () => Expr): Expr {
    if (height >= celNestingMax) {
      this.tooDeep = true;
      return this.hole();
    }
    this.height = height + 1;
    return make();
  }

  protected deeper(depth: number): number {
    if (depth >= celNestingMax) this.tokens.abandon(`expression recursion limit exceeded: ${celNestingMax}`);
    return depth + 1;
  }

  protected abort(mismatch: Mismatch, state: TokenSet, partial: Expr): Expr {
    this.tokens.recover(mismatch, state);
    return partial;
  }

  protected hole(): Expr {
    this.height = 0;
    return this.build.constant(-1, null);
  }

  protected mistake(at: Token, message: string): Expr {
    return this.build.fail(this.tokens.position(at), message);
  }

  protected idAt(token: Token): number {
    return this.build.id(this.tokens.position(token));
  }

  protected fieldName(token: Token): string {
    if (token.kind === "escaped") return this.fieldMistake(token, "unsupported syntax: '`'");
    return this.tokens.textOf(token);
  }

  protected fieldMistake(token: Token, message: string): string {
    this.mistake(token, message);
    return "";
  }

  /** The name of a field. */
  protected name(follow: TokenSet): Token | undefined {
    const tokens = this.tokens;
    tokens.enter(follow);
    let name: Token | undefined;
    const mismatch = tokens.sync(expected.name, "block");
    if (mismatch !== undefined) tokens.recover(mismatch, expected.name);
    else if (expected.name.kinds.has(tokens.peek())) name = tokens.take();
    else tokens.recover(tokens.noAlternative(0), expected.name);
    tokens.leave();
    return name;
  }
}
