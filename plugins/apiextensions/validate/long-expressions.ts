/** Measures the expressions that are parsed when a definition is validated. */
import type { CustomResourceDefinition } from "../schema.ts";
import { specHas } from "../schema-walk.ts";
import { inlineExpressionsLengthMax } from "../../shared/bounds.ts";

/** A character of a pattern takes this many times as long as a character of a rule. */
const patternFactor = 4;

/** Whether the rules and patterns of a definition are too long for the serving thread. */
export function hasLongExpressions({ spec }: CustomResourceDefinition): boolean {
  let length = 0;
  return specHas(spec, ({ pattern = "", "x-kubernetes-validations": rules = [] }) => {
    length += pattern.length * patternFactor;
    for (const { rule = "", messageExpression = "" } of rules) length += rule.length + messageExpression.length;
    return length > inlineExpressionsLengthMax;
  });
}
