/** Evaluates the match conditions of policies and webhooks: expressions in CEL that must all be true. */
import type { ExpressionWork } from "../../../core/admission/expression-work.ts";
import { PolicyCompiler, type PolicyInput } from "../../../cel/policy/policy.ts";
import type { MatchCondition } from "../schema.ts";
import { results } from "../validate/expressions.ts";
import { storedExpressions } from "../../../cel/schema/environments.ts";
import { type Expression, inTurn, spent } from "./in-turn.ts";
import { bound } from "../../../core/bound.ts";

/** Maximum cost, in units of CEL, of all match conditions of a policy or a webhook for one request. */
const celConditionsCostMax = bound(2_500_000);

/** Compiled match conditions. */
export interface CompiledConditions {
  readonly conditions: readonly (Expression & { readonly name: string })[];
  /** The compiler of the conditions, which have no variables. */
  readonly conditionCompiler: PolicyCompiler;
}

/** Compiles match conditions. */
export function compiledConditions(conditions: readonly MatchCondition[], hasParams: boolean): CompiledConditions {
  const options = { hasParams, hasAuthorizer: true, hasPatchTypes: false, hasVariables: false };
  const conditionCompiler = new PolicyCompiler(storedExpressions(), options);
  return {
    conditionCompiler,
    conditions: conditions.map(({ name, expression }) => ({
      name,
      text: expression,
      compiled: conditionCompiler.compile(expression, results.condition),
    })),
  };
}

/** The result of match conditions. `errors` is the number of conditions that failed before one was false. */
export type ConditionResult =
  | { readonly tag: "covered"; readonly errors: 0 }
  | { readonly tag: "excluded"; readonly errors: number }
  | { readonly tag: "failed"; readonly errors: number; readonly message: string };

/** The result of match conditions, and the duration of the evaluation. */
export interface MeasuredConditions {
  readonly result: ConditionResult;
  readonly seconds: number;
}

/** Evaluates match conditions; undefined if there are none. */
export async function measuredConditions(
  work: ExpressionWork,
  compiled: CompiledConditions,
  input: PolicyInput,
): Promise<MeasuredConditions | undefined> {
  if (compiled.conditions.length === 0) return undefined;
  const begun = performance.now(), result = await evaluateConditions(work, compiled, input);
  return { result, seconds: (performance.now() - begun) / 1000 };
}

/** Whether all conditions are true. If one is false, the result is false even if others fail. */
async function evaluateConditions(
  work: ExpressionWork,
  { conditions, conditionCompiler }: CompiledConditions,
  input: PolicyInput,
): Promise<ConditionResult> {
  // As in upstream, conditions cannot read the namespace.
  const activation = conditionCompiler.activate(input, "namespaceObject");
  const evaluated = await inTurn(work, activation, conditions, celConditionsCostMax);
  if (evaluated.left < 0) return { tag: "failed", errors: 0, message: spent };
  const errors: string[] = [];
  for (const result of evaluated.results) {
    if (result?.value === false) return { tag: "excluded", errors: errors.length };
    if (result?.error !== undefined) errors.push(result.error);
  }
  if (errors.length === 0) return { tag: "covered", errors: 0 };
  const different = [...new Set(errors)];
  return { tag: "failed", errors: errors.length, message: different.length === 1 ? different[0]! : `[${different.join(", ")}]` };
}
