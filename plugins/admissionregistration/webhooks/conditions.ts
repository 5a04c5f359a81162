/** The match conditions of webhooks: expressions in CEL that must all be true. */
import { limits } from "../../../core/limits.ts";
import { PolicyCompiler, type PolicyInput } from "../../../core/cel/policy/policy.ts";
import type { Expression } from "../policies/compiled-policy.ts";
import { inTurn, spent } from "../policies/in-turn.ts";
import type { MatchCondition } from "../schema.ts";
import { results, storedBase } from "../validate/expressions.ts";

export interface CompiledConditions {
  readonly compiler: PolicyCompiler;
  readonly expressions: readonly Expression[];
}

export function compiledConditions(conditions: readonly MatchCondition[]): CompiledConditions {
  const compiler = new PolicyCompiler(storedBase(), { hasParams: false, hasAuthorizer: true, hasPatchTypes: false, hasVariables: false });
  const expressions = conditions.map(({ expression }) => ({
    text: expression,
    compiled: compiler.compile(expression, results.condition),
  }));
  return { compiler, expressions };
}

/** `errors`: number of conditions that failed before one was false. */
export type ConditionResult =
  | { readonly tag: "covered"; readonly errors: 0 }
  | { readonly tag: "excluded"; readonly errors: number }
  | { readonly tag: "failed"; readonly errors: number; readonly message: string };

/** Whether all conditions are true. One that is false beats errors. */
export function evaluateConditions({ compiler, expressions }: CompiledConditions, input: PolicyInput): ConditionResult {
  const evaluated = inTurn(compiler.activate(input), expressions, limits.celConditionsCostMax);
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
