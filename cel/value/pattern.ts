/** Regular expressions of evaluations: their steps are charged to the evaluation that runs. */
import { compilePattern, isMatch as matches, type Pattern } from "../../core/pattern.ts";
import { Unreadable } from "../../core/scalars/unreadable.ts";
import { CelError } from "../values.ts";
import { spend } from "./work.ts";

/** Instructions that are tried on a character in one step of a search for groups. */
const matchesPerStep = 4;

/** Returns the compiled pattern, or a `CelError` with Go's message for an invalid one. */
export function patternOf(text: string): Pattern | CelError {
  const pattern = compilePattern(text, spend);
  return pattern instanceof Unreadable ? new CelError(pattern.error) : pattern;
}

/** Whether a pattern matches somewhere in a text. */
export function isMatch(pattern: Pattern, text: string): boolean {
  return matches(pattern, text, spend);
}

/** Charges the search for a match in so many characters. */
export function spendMatch(pattern: Pattern, length: number): void {
  spend(length + Math.ceil(length * pattern.programSize() / matchesPerStep));
}

/**
 * Charges a search for the first of several matches that read up to `end`. A pattern with a repetition without end may have read the rest of
 * the text before it found a short match.
 */
export function spendSearch(pattern: Pattern, start: number, end: number, length: number): void {
  spendMatch(pattern, end - start + 1);
  if (/[*+]|,\}/.test(pattern.pattern())) spend((length - end) >> 4);
}
