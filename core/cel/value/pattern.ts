/** Regular expressions of users, in RE2's syntax, matched in linear time. */
import { RE2JS } from "re2js";
import { CelError } from "../values.ts";
import { spend } from "./work.ts";

export type Pattern = RE2JS;

/** Patterns that were compiled while an expression ran, by text. */
const patterns = new Map<string, Pattern | CelError>();
const patternsMax = 256;
/** Longer patterns are compiled each time. */
const cachedLengthMax = 1024;

/** Compiles a pattern. A `CelError` with Go's message if it is none. */
export function compilePattern(text: string): Pattern | CelError {
  try {
    spend(text.length);
    return RE2JS.compile(text);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return new CelError(error.message);
  }
}

/** Compiles a pattern that is not known before the expression runs. */
export function patternOf(text: string): Pattern | CelError {
  const known = patterns.get(text);
  if (known !== undefined) return known;
  const pattern = compilePattern(text);
  if (text.length > cachedLengthMax) return pattern;
  if (patterns.size >= patternsMax) patterns.clear();
  patterns.set(text, pattern);
  return pattern;
}

/** Whether a pattern matches somewhere in a text. */
export function isMatch(pattern: Pattern, text: string): boolean {
  spend(text.length);
  return pattern.test(text);
}
