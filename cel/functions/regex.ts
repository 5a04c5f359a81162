/** `find` and `findAll`, upstream's library `kubernetes.regex`. */
import { exactly, patternFactor, plus, scale, times, traversalFactor } from "../cost/range.ts";
import { intType, listType, stringType } from "../types.ts";
import { ArrayList } from "../value/collections.ts";
import { patternOf, spendMatch, spendSearch } from "../value/pattern.ts";
import { traversal } from "../value/size.ts";
import { spend } from "../value/work.ts";
import { CelError, type Value } from "../values.ts";
import { type Costs, declare, sizeOf } from "./costs.ts";
import type { Library } from "./library.ts";
import { member } from "./standard/overload.ts";

/** Costs of the text's length times the pattern's. The text counts as one character longer. */
const matching: Costs = {
  cost: (_, args) => traversal(1 + sizeOf(args[0])) * Math.ceil(sizeOf(args[1]) * patternFactor),
  estimate: ({ target, args }, estimator) => {
    if (target === undefined || args[0] === undefined) return undefined;
    const size = estimator.sizeOf(target);
    const text = scale(plus(size, exactly(1n)), traversalFactor);
    return { cost: times(text, scale(estimator.sizeOf(args[0]), patternFactor)), resultSize: { min: 0n, max: size.max } };
  },
};

/** Number of steps of one search, in addition to those of its characters. */
const searchSteps = 20;

/** Returns the first matches, at most `max` if it is not negative. An empty match directly after another match does not count. */
function matches(text: string, source: string, max: bigint): readonly string[] | CelError {
  const pattern = patternOf(source);
  if (pattern instanceof CelError) return new CelError(`Illegal regex: ${pattern.message}`);
  const found: string[] = [];
  if (max === 0n) return found;
  // This is charged before the search, because a literal prefix may take time for each of its characters at each character of the text.
  spendMatch(pattern, text.length);
  const matcher = pattern.matcher(text);
  let end = -1; // the end of the last match
  for (let at = 0; at <= text.length;) {
    spend(searchSteps);
    const isFound = matcher.find(at);
    spendSearch(pattern, at, isFound ? matcher.end() : text.length, text.length);
    if (!isFound) break;
    const start = matcher.start();
    const isEmpty = matcher.end() === start;
    if (!isEmpty || start !== end) {
      found.push(text.slice(start, matcher.end()));
      if (max > 0n && BigInt(found.length) >= max) break;
    }
    end = matcher.end();
    at = isEmpty ? start + (text.codePointAt(start)! > 0xffff ? 2 : 1) : end;
  }
  return found;
}

function findAll(text: Value | undefined, pattern: Value | undefined, max: bigint): Value {
  const found = matches(text as string, pattern as string, max);
  return found instanceof CelError ? found : new ArrayList(found);
}

function find(text: Value | undefined, pattern: Value | undefined): Value {
  const found = matches(text as string, pattern as string, 1n);
  return found instanceof CelError ? found : found[0] ?? "";
}

const texts = listType(stringType);

export const regexLibrary: Library = {
  name: "kubernetes.regex",
  since: 0,
  functions: [
    {
      ...declare("find", matching, member("string_find_string", [stringType, stringType], stringType, find)),
      patternArgument: 1,
    },
    {
      ...declare(
        "findAll",
        matching,
        member("string_find_all_string", [stringType, stringType], texts, (text, pattern) => findAll(text, pattern, -1n)),
        member(
          "string_find_all_string_int",
          [stringType, stringType, intType],
          texts,
          (text, pattern, max) => findAll(text, pattern, max as bigint),
        ),
      ),
      patternArgument: 1,
    },
  ],
};
