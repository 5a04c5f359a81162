/** Regular expressions of users, in RE2's syntax, matched in linear time. Those of schemas and of expressions share one bounded cache. */
import type { RE2JS } from "re2js";
import { re2js } from "./re2js.ts";
import { Unreadable } from "./scalars/unreadable.ts";
import { bound } from "./bound.ts";

/** Estimated instructions of a regular expression in CEL or a schema: `[a-z]{1000}` has a thousand. Each takes about 100 bytes and a
 *  microsecond. */
export const celPatternSizeMax = bound(100_000);
/** Estimated instructions of all regular expressions that are kept compiled. The oldest are compiled again when they are used. */
const celPatternsSizeMax = bound(500_000);
/** Bytes of the states that one compiled regular expression keeps between two matches; they are made again when they are needed. */
const celAutomatonBytesMax = bound(1024 * 1024);

export type Pattern = RE2JS;

/** Compiled patterns, the oldest first, with their sizes. Programs look patterns up here instead of holding them, so that memory is bounded. */
const patterns = new Map<string, { readonly pattern: Pattern | Unreadable; readonly size: number }>();
const known = { size: 0 };
/** Steps of compiling one instruction. */
const compileSteps = 25;
/** Steps of trying one instruction on a character where states of the automaton are made. */
const stepsPerInstruction = 2;

/** Returns the compiled pattern; an `Unreadable` with Go's message for an invalid one. `charge`: charges the steps of compiling it. */
export function compilePattern(text: string, charge: (steps: number) => void): Pattern | Unreadable {
  const entry = patterns.get(text);
  if (entry !== undefined) return entry.pattern;
  const size = estimatedSize(text);
  if (size > celPatternSizeMax) return new Unreadable("error parsing regexp: expression too large");
  charge(size * compileSteps);
  const pattern = compile(text);
  remember(text, pattern, size + text.length);
  return pattern;
}

function compile(text: string): Pattern | Unreadable {
  try {
    return re2js().RE2JS.compile(text);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return new Unreadable(error.message);
  }
}

function remember(text: string, pattern: Pattern | Unreadable, size: number): void {
  patterns.set(text, { pattern, size });
  known.size += size;
  for (const [oldest, { size }] of patterns) {
    if (known.size <= celPatternsSizeMax) break;
    patterns.delete(oldest);
    known.size -= size;
  }
}

/**
 * Whether a pattern matches somewhere in a text. Charges the worst case before, all instructions on each character, and returns afterwards
 * what was not used: usually the states of the automaton are known, and a character takes one step.
 */
export function isMatch(pattern: Pattern, text: string, charge: (steps: number) => void): boolean {
  const size = pattern.programSize() * stepsPerInstruction, worst = text.length * (1 + size), before = statesOf(pattern);
  charge(worst);
  const matches = pattern.test(text);
  charge(Math.min(0, text.length + newStates(pattern, before) * size - worst));
  return matches;
}

/** States of the automaton that a pattern has made so far. Patterns that are matched without one have none. */
function statesOf(pattern: Pattern): number {
  const automaton = pattern.re2().lazyDFA as ReturnType<Pattern["re2"]>["lazyDFA"] | null; // null before the first match
  return automaton?.stateCount ?? 0;
}

/** States that a match has made; `Infinity` if the automaton was given up. Frees the memory of an automaton that has become large. */
function newStates(pattern: Pattern, before: number): number {
  const engine = pattern.re2(), automaton = engine.lazyDFA as typeof engine.lazyDFA | null; // as above
  if (automaton === null) return engine.onepass !== null || engine.prefixComplete || engine.prefilter !== null ? 0 : Infinity;
  const { stateCount, startStates, maxMem, memBudget } = automaton;
  // The states are cleared when there is no memory for a further one, and the search may go on without them.
  const wasCleared = startStates.size === 0 || automaton.failed;
  if (wasCleared || maxMem - memBudget > celAutomatonBytesMax) engine.lazyDFA = null!; // as before the first match
  return wasCleared ? Infinity : stateCount - before;
}

/**
 * Returns an upper bound of the instructions of a pattern: one for each character or class, times the counts that repeat it. Wrong
 * patterns have some size too.
 */
export function estimatedSize(pattern: string): number {
  const groups: number[] = [];
  /** Instructions of the group that is open, and of its last atom. */
  let size = 0, atom = 0;
  for (let at = 0; at < pattern.length; at++) {
    switch (pattern[at]) {
      case "(":
        groups.push(size);
        size = 0;
        atom = 0;
        break;
      case ")":
        atom = size + 2;
        size = (groups.pop() ?? 0) + atom;
        break;
      case "{": {
        const count = repetitions(pattern, at);
        size += atom * Math.max(0, count - 1);
        atom *= Math.max(1, count);
        break;
      }
      case "\\":
        at++;
        atom = 1;
        size++;
        break;
      default:
        atom = 1;
        size++;
    }
  }
  return groups.reduce((sum, open) => sum + open, size);
}

/** The larger count of `{2}`, `{2,}` or `{2,5}`; 1 for anything else. Larger counts than 1000 are not allowed. */
function repetitions(pattern: string, at: number): number {
  const counts = /^\{([0-9]{1,4})(?:,([0-9]{0,4}))?\}/.exec(pattern.slice(at, at + 11));
  if (counts === null) return 1;
  // `a{2,}` is `aa+`; `a{0,5}` has a branch for each optional occurrence.
  return Math.max(Number(counts[1]), 2 * Number(counts[2] ?? "0")) + 1;
}
