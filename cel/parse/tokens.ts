/** Tokens of CEL, and sets of them as messages show them. */

/** Kinds of tokens in the order in which messages list them. `end` is the end of the text. */
export const tokenKinds = [
  "end",
  "==",
  "!=",
  "in",
  "<",
  "<=",
  ">=",
  ">",
  "&&",
  "||",
  "[",
  "]",
  "{",
  "}",
  "(",
  ")",
  ".",
  ",",
  "-",
  "!",
  "?",
  ":",
  "+",
  "*",
  "/",
  "%",
  "true",
  "false",
  "null",
  "double",
  "int",
  "uint",
  "string",
  "bytes",
  "identifier",
  "escaped",
] as const; // deno-fmt-ignore
export type TokenKind = (typeof tokenKinds)[number];

export interface Token {
  readonly kind: TokenKind;
  /** UTF-16 offsets. */
  readonly start: number;
  readonly end: number;
  /** Text of hidden tokens (spaces and comments) between the token before and this one. */
  readonly hidden: string;
  /** True for a token that the parser inserted to continue after a mistake. */
  readonly missing?: true;
}

const names: Partial<Record<TokenKind, string>> = {
  end: "<EOF>",
  double: "NUM_FLOAT",
  int: "NUM_INT",
  uint: "NUM_UINT",
  string: "STRING",
  bytes: "BYTES",
  identifier: "IDENTIFIER",
  escaped: "ESC_IDENTIFIER",
};

/** Tokens that may come next. With `ends`, the rule may also end here, so that the tokens after its call may come too. */
export interface TokenSet {
  readonly kinds: ReadonlySet<TokenKind>;
  readonly ends: boolean;
}

/** Returns a set of tokens and of the tokens of other sets. */
export function tokenSet(...parts: readonly (TokenKind | TokenSet)[]): TokenSet {
  return { kinds: new Set(parts.flatMap((part) => typeof part === "string" ? [part] : [...part.kinds])), ends: false };
}

/** Makes a set of these tokens for a place where the rule may also end. */
export function orEnd(...parts: readonly (TokenKind | TokenSet)[]): TokenSet {
  return { ...tokenSet(...parts), ends: true };
}

/** Returns the set in messages: `':'` or `{'[', IDENTIFIER}`. */
export function formatKinds(kinds: ReadonlySet<TokenKind>): string {
  const shown = tokenKinds.filter((kind) => kinds.has(kind)).map((kind) => names[kind] ?? `'${kind}'`);
  return shown.length === 1 ? shown[0]! : `{${shown.join(", ")}}`;
}
