/**
 * Reads tokens for the parser, reports mistakes, and continues after them: a superfluous token is dropped, a missing one is inserted,
 * otherwise tokens are skipped until one fits a rule that is being parsed. The rules of recovery, and so the messages, are those of the
 * parser generator that upstream uses (ANTLR 4, its default strategy), with upstream's bounds.
 */
import type { Issue } from "../ast.ts";
import { type Lexer, lexer } from "./lexer.ts";
import { formatKinds, type Token, type TokenKind, type TokenSet } from "./tokens.ts";
import { bound } from "../../core/bound.ts";
import { celIssuesMax } from "../bounds.ts";

/** Mistakes in one CEL expression after which the parser continues. */
const celRecoveriesMax = bound(30);
/** Tokens that the parser of CEL skips after one mistake. */
const celRecoveryTokensMax = bound(256);

/** Ends the parser from any depth, after its last issue was reported. */
export class Abandoned extends Error {}

/** A rule ends because of a mistake. Not an `Error`: rules return it and go on in their caller. */
export type Mismatch = { readonly message: string; readonly position: number };

/** How recovery works at a place: before alternatives, at the end of an iteration of a loop. */
export type Place = "block" | "loop";

export class Recovery {
  readonly issues: Issue[] = [];
  readonly #text: string;
  readonly #lexer: Lexer;
  readonly #offsets: (unit: number) => number;
  readonly #tokens: Token[] = [];
  /** Sets of tokens that may follow the rules being parsed, outermost first. */
  readonly #follow: TokenSet[] = [];
  #at = 0;
  #recovering = false;
  #reports = 0;
  #attempts = 0;
  #lastIndex = -1;
  readonly #lastStates = new Set<TokenSet>();

  constructor(text: string, offsets: (unit: number) => number) {
    this.#text = text;
    this.#offsets = offsets;
    this.#lexer = lexer(text, (start, skipped) => this.#report(start, `token recognition error at: '${skipped}'`));
  }

  /** The kind of the token `ahead` tokens after the next one. */
  peek(ahead = 0): TokenKind {
    return this.token(ahead).kind;
  }
  token(ahead = 0): Token {
    while (this.#tokens.length <= this.#at + ahead) {
      const last = this.#tokens.at(-1);
      if (last?.kind === "end") return last;
      this.#tokens.push(this.#lexer.next());
    }
    return this.#tokens[this.#at + ahead]!;
  }
  textOf(token: Token): string {
    return this.#text.slice(token.start, token.end);
  }
  /** Offset of a token in code points. */
  position(token: Token): number {
    return this.#offsets(token.start);
  }

  /** Begins a rule. `follow`: what may come after it in its caller. */
  enter(follow: TokenSet): void {
    this.#follow.push(follow);
  }
  leave(): void {
    this.#follow.pop();
  }
  /** Whether the next token fits here, or after the rules that may end here. */
  fits(expected: TokenSet, ahead: number): boolean {
    const kind = this.peek(ahead);
    if (expected.kinds.has(kind)) return true;
    if (!expected.ends) return false;
    for (let at = this.#follow.length - 1; at >= 0; at--) {
      const follow = this.#follow[at]!;
      if (follow.kinds.has(kind)) return true;
      if (!follow.ends) return false;
    }
    return kind === "end";
  }

  /** Whether the next token fits the place; if not, goes on if it can, else returns the mismatch. */
  sync(expected: TokenSet, place: Place): Mismatch | undefined {
    if (this.#recovering || expected.ends || expected.kinds.has(this.peek())) return undefined;
    if (place === "block") return this.#dropped(expected) ? undefined : this.#mismatch(expected);
    this.#unwanted(expected);
    this.#skip(new Set([...this.#allExpected(expected), ...this.#recoverySet()]), Infinity);
    return undefined;
  }

  /** Takes the next token, which must be of a kind. `after`: what may come after it. */
  match(kind: TokenKind, expected: TokenSet, after: TokenSet): Token | Mismatch {
    const token = this.token();
    if (token.kind === kind) {
      this.#matched();
      this.#consume();
      return token;
    }
    this.#attempt();
    if (this.#dropped(expected)) {
      const next = this.token();
      this.#consume();
      return next;
    }
    if (this.fits(after, 0)) {
      this.#missing(expected);
      return { kind, start: token.start, end: token.start, hidden: "", missing: true };
    }
    return this.#mismatch(expected);
  }

  /** Takes the next token; it is of a kind that fits. */
  take(): Token {
    const token = this.token();
    this.#matched();
    this.#consume();
    return token;
  }

  /** The mismatch of a token after which no alternative fits; `ahead` is its distance from the first token of the alternatives. */
  noAlternative(ahead: number): Mismatch {
    const first = this.token();
    const offending = this.token(ahead);
    let shown = first.kind === "end" ? "<EOF>" : this.textOf(first);
    for (let at = 1; at <= ahead && first.kind !== "end"; at++) {
      const token = this.token(at);
      shown += token.hidden + (token.kind === "end" ? "" : this.textOf(token));
      if (token.kind === "end") break;
    }
    const reserved = /^.(true|false|null)$/s.exec(shown)?.[1];
    const message = reserved === undefined
      ? `no viable alternative at input ${quoted(shown)}`
      : `mismatched input '${reserved}' expecting IDENTIFIER`;
    return { message, position: offending.start };
  }

  /** Reports the mismatch that ended a rule, and skips tokens until one fits a rule around it. `state`: the place of the mismatch. */
  recover(mismatch: Mismatch, state: TokenSet): void {
    if (!this.#recovering) {
      this.#recovering = true;
      this.#report(mismatch.position, mismatch.message);
    }
    this.#attempt();
    let budget = celRecoveryTokensMax;
    if (this.#lastIndex === this.#at && this.#lastStates.has(state)) {
      this.#consume();
      budget--;
    }
    this.#lastIndex = this.#at;
    this.#lastStates.add(state);
    this.#skip(this.#recoverySet(), budget);
  }

  /** Adds an issue that has no position, and ends the parser. */
  abandon(message: string): never {
    this.issues.push({ message, position: -1 });
    throw new Abandoned();
  }

  #consume(): void {
    if (this.token().kind !== "end") this.#at++;
  }
  #matched(): void {
    this.#recovering = false;
    this.#lastIndex = -1;
    this.#lastStates.clear();
  }
  #attempt(): void {
    if (this.#attempts++ < celRecoveriesMax) return;
    this.#report(this.token().start, `error recovery attempt limit exceeded: ${celRecoveriesMax}`);
    throw new Abandoned();
  }

  #report(start: number, message: string): void {
    const position = this.#offsets(start);
    if (this.#reports++ < celIssuesMax) {
      this.issues.push({ position, message: `Syntax error: ${message}` });
      return;
    }
    this.issues.push({ position, message: `Syntax error: More than ${celIssuesMax} syntax errors` });
    throw new Abandoned();
  }
  #mismatch(expected: TokenSet): Mismatch {
    const token = this.token();
    const message = `mismatched input ${this.#shown(token)} expecting ${formatKinds(this.#allExpected(expected))}`;
    return { message, position: token.start };
  }
  #unwanted(expected: TokenSet): void {
    if (this.#recovering) return;
    this.#recovering = true;
    const token = this.token();
    this.#report(token.start, `extraneous input ${this.#shown(token)} expecting ${formatKinds(this.#allExpected(expected))}`);
  }
  #missing(expected: TokenSet): void {
    if (this.#recovering) return;
    this.#recovering = true;
    const token = this.token();
    this.#report(token.start, `missing ${formatKinds(this.#allExpected(expected))} at ${this.#shown(token)}`);
  }
  #shown(token: Token): string {
    return quoted(token.kind === "end" ? "<EOF>" : this.textOf(token));
  }

  /** Drops the next token if the one after it fits. */
  #dropped(expected: TokenSet): boolean {
    if (!this.fits(expected, 1)) return false;
    this.#unwanted(expected);
    this.#consume();
    this.#matched();
    return true;
  }
  /** The tokens of a place with those after the rules that may end there. */
  #allExpected(expected: TokenSet): ReadonlySet<TokenKind> {
    if (!expected.ends) return expected.kinds;
    const kinds = new Set(expected.kinds);
    for (let at = this.#follow.length - 1; at >= 0; at--) {
      const follow = this.#follow[at]!;
      for (const kind of follow.kinds) kinds.add(kind);
      if (!follow.ends) return kinds;
    }
    return kinds.add("end");
  }
  #recoverySet(): ReadonlySet<TokenKind> {
    return new Set(this.#follow.flatMap(({ kinds }) => [...kinds]));
  }
  #skip(until: ReadonlySet<TokenKind>, most: number): void {
    for (let left = most; this.peek() !== "end" && !until.has(this.peek()); left--) {
      if (left === 0) this.abandon(`error recovery token lookahead limit exceeded: ${celRecoveryTokensMax}`);
      this.#consume();
    }
  }
}

const quoted = (text: string) => `'${text.replaceAll("\t", "\\t").replaceAll("\n", "\\n").replaceAll("\r", "\\r")}'`;
