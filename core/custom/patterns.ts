/** Patterns of schemas, in RE2 syntax: matching is linear in the text, and charges the budget of the request. */
import { spendSteps } from "../budget.ts";
import { compilePattern, isMatch } from "../pattern.ts";
import { Unreadable } from "../scalars/unreadable.ts";

export type Pattern = { readonly matches: (text: string) => boolean } | { readonly error: string };

/** Returns the compiled pattern, or the reason why it cannot be compiled. */
export function patternOf(text: string): Pattern {
  const pattern = compilePattern(text, spendSteps);
  if (pattern instanceof Unreadable) return pattern;
  return { matches: (value) => isMatch(pattern, value, spendSteps) };
}
