/** Patterns of schemas, in RE2 syntax: matching is linear in the text, and charges the budget of the request. */
import { spendSteps } from "../budget.ts";
import { isMatch, patternOf as compiled } from "../cel/value/pattern.ts";
import { CelError } from "../cel/values.ts";

export type Pattern = { readonly matches: (text: string) => boolean } | { readonly error: string };

/** The compiled pattern, or the reason why it cannot be compiled. The cache of patterns is that of expressions. */
export function patternOf(text: string): Pattern {
  const pattern = compiled(text, spendSteps);
  if (pattern instanceof CelError) return { error: pattern.message };
  return { matches: (value) => isMatch(pattern, value, spendSteps) };
}
