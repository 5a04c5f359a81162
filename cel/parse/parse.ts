/** Parses the text of an expression, with macros expanded. */
import type { Ast, Issue } from "../ast.ts";
import type { Macro } from "../declarations.ts";
import { Builder, celNodesMax } from "./builder.ts";
import { codePointOffsets } from "./code-points.ts";
import { Parser } from "./parser.ts";
import { Abandoned, Recovery } from "./recovery.ts";
import { bound } from "../../core/bound.ts";

/** Code points of a CEL expression (as cel-go). */
const celCodePointsMax = bound(100_000);

export interface ParseOptions {
  readonly macros: readonly Macro[];
  /** `a.?b`, `a[?b]`, `{?k: v}` and `[?x]` are on. */
  readonly optionalSyntax: boolean;
}

/** The expression, or the mistakes in it. */
export type Parsed = { readonly ast: Ast; readonly issues: undefined } | { readonly ast: undefined; readonly issues: readonly Issue[] };

/** Parses an expression and expands its macros, in time and memory that are linear in the text. */
export function parse(source: string, { macros, optionalSyntax }: ParseOptions): Parsed {
  const offsets = codePointOffsets(source);
  const size = offsets(source.length);
  if (size > celCodePointsMax) {
    const message = `expression code point size exceeds limit: size: ${size}, limit ${celCodePointsMax}`;
    return { ast: undefined, issues: [{ message, position: -1 }] };
  }
  const tokens = new Recovery(source, offsets);
  const build = new Builder(macros, () => tokens.abandon(`expression has more than ${celNodesMax} nodes with its macros expanded`));
  const parser = new Parser(tokens, build, optionalSyntax);
  try {
    const expr = parser.start();
    const tooDeep = parser.tooDeep ? [{ message: "max recursion depth exceeded", position: -1 }] : [];
    const issues = [...tokens.issues, ...build.issues, ...tooDeep];
    if (issues.length > 0) return { ast: undefined, issues };
    return { ast: { expr, source, positions: build.positions, macroCalls: build.macroCalls }, issues: undefined };
  } catch (error) {
    if (!(error instanceof Abandoned)) throw error;
    return { ast: undefined, issues: tokens.issues };
  }
}
