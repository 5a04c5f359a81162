/** Implements `contains`, `endsWith`, `startsWith` and `matches`. */
import type { FunctionDeclaration } from "../../declarations.ts";
import { boolType, stringType } from "../../types.ts";
import { isMatch, patternOf } from "../../value/pattern.ts";
import { searchIn } from "../../value/search.ts";
import { CelError, type Value } from "../../values.ts";
import { standardCost } from "./costs.ts";
import { noOverload, notSupported } from "./errors.ts";
import { member, overload } from "./overload.ts";

const two = [stringType, stringType];

function contains(text: Value, part: Value): Value {
  if (typeof text !== "string" || typeof part !== "string") return noOverload;
  return searchIn(text, part)(0) >= 0;
}
function endsWith(text: Value, end: Value): Value {
  return typeof text === "string" && typeof end === "string" ? text.endsWith(end) : noOverload;
}
function startsWith(text: Value, start: Value): Value {
  return typeof text === "string" && typeof start === "string" ? text.startsWith(start) : noOverload;
}
function matches(text: Value, pattern: Value): Value {
  if (typeof text !== "string") return notSupported("matches", text);
  if (typeof pattern !== "string") return noOverload;
  const compiled = patternOf(pattern);
  return compiled instanceof CelError ? compiled : isMatch(compiled, text);
}

export const strings: readonly FunctionDeclaration[] = [
  { name: "contains", overloads: [member("contains_string", two, boolType)], call: contains, cost: standardCost },
  { name: "endsWith", overloads: [member("ends_with_string", two, boolType)], call: endsWith, cost: standardCost },
  { name: "startsWith", overloads: [member("starts_with_string", two, boolType)], call: startsWith, cost: standardCost },
  {
    name: "matches",
    overloads: [overload("matches", two, boolType), member("matches_string", two, boolType)],
    call: matches,
    patternArgument: 1,
    cost: standardCost,
  },
];
