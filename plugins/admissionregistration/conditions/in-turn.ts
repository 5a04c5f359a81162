/** Evaluates expressions one after another with one budget. */
import type { PolicyActivation, PolicyExpression } from "../../../cel/policy/policy.ts";
import type { ExpressionWork } from "../../../core/admission/expression-work.ts";
import { CelError, type Value } from "../../../cel/values.ts";

/** An expression with its text, as errors show it. */
export interface Expression {
  readonly text: string;
  readonly compiled: PolicyExpression;
}

/** The error if the budget is spent. */
export const spent = "validation failed due to running out of cost budget, no further validation rules will be run";

/** The value of an expression, or why it has none. `seconds` is the duration of the evaluation. */
export type EvaluationResult =
  | { readonly value: Value; readonly error?: undefined; readonly seconds: number }
  | { readonly error: string; readonly value?: undefined; readonly seconds: number };

/** The results. `left` is the rest of the budget; it is negative if the budget is spent. */
export interface Results {
  readonly results: readonly (EvaluationResult | undefined)[];
  readonly left: number;
}

/** Evaluates expressions within one budget, and within that of the request. Other requests get turns between them. */
export async function inTurn(
  work: ExpressionWork,
  activation: PolicyActivation,
  expressions: readonly (Expression | undefined)[],
  budget: number,
): Promise<Results> {
  const results: (EvaluationResult | undefined)[] = [];
  let left = budget;
  for (const expression of expressions) {
    if (expression === undefined) {
      results.push(undefined);
      continue;
    }
    const { text, compiled } = expression;
    if (compiled.error !== undefined) {
      results.push({ error: `compilation error: ${compiled.error}`, seconds: 0 });
      continue;
    }
    const pause = work.pause();
    if (pause !== undefined) await pause;
    const begun = performance.now();
    const { value, cost, isExhausted } = activation.evaluate(compiled.program, left);
    work.spend(cost);
    if (isExhausted) return { results, left: -1 };
    left -= cost;
    const seconds = (performance.now() - begun) / 1000;
    results.push(
      value instanceof CelError ? { error: `expression '${text}' resulted in error: ${value.message}`, seconds } : { value, seconds },
    );
  }
  return { results, left };
}
