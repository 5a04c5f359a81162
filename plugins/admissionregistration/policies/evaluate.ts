/** Evaluates a ValidatingAdmissionPolicy for one request and one object of parameters, as upstream's validator. */
import type { ExpressionWork } from "../../../core/admission/expression-work.ts";
import type { PolicyInput } from "../../../cel/policy/policy.ts";
import { utf8Length } from "../../../toolbox.ts";
import type { ValidatingAdmissionPolicy } from "../schema.ts";
import { goTrim } from "../validate/expressions.ts";
import type { CompiledPolicy } from "./compiled-policy.ts";
import { type MeasuredConditions, measuredConditions } from "../conditions/match-conditions.ts";
import { type EvaluationResult, inTurn, type Results, spent } from "../conditions/in-turn.ts";
import { celObjectCostMax } from "../../../cel/bounds.ts";
import { celMessageBytesMax } from "../../../cel/schema/validate.ts";

/**
 * The decision of one validation. `error`: the evaluation has failed and the failure policy has decided. `seconds` is the duration of the
 * evaluation.
 */
export type Decision =
  | { readonly tag: "admit"; readonly error: string | undefined; readonly seconds: number }
  | { readonly tag: "deny"; readonly message: string; readonly reason: string | undefined; readonly seconds: number };

/** A value for the audit event, or the error that rejects the request. */
export type Annotation =
  | { readonly tag: "value"; readonly key: string; readonly value: string }
  | { readonly tag: "error"; readonly message: string };

export interface Evaluation {
  readonly decisions: readonly Decision[];
  readonly annotations: readonly Annotation[];
}
const nothing: Evaluation = Object.freeze({ decisions: [], annotations: [] });

/** Evaluates the match conditions, and the validations if they are true. `conditions` is undefined if there are none. */
export async function evaluate(
  work: ExpressionWork,
  policy: ValidatingAdmissionPolicy,
  compiled: CompiledPolicy,
  input: PolicyInput,
): Promise<Evaluation & { readonly conditions: MeasuredConditions | undefined }> {
  const conditions = await measuredConditions(work, compiled, input);
  return { ...await evaluateRest(work, policy, compiled, input, conditions), conditions };
}

async function evaluateRest(
  work: ExpressionWork,
  policy: ValidatingAdmissionPolicy,
  compiled: CompiledPolicy,
  input: PolicyInput,
  conditions: MeasuredConditions | undefined,
): Promise<Evaluation> {
  const ignores = policy.spec.failurePolicy === "Ignore";
  const failWith = (message: string): Evaluation => ({ decisions: [failure(message, ignores, 0)], annotations: [] });
  if (conditions?.result.tag === "excluded") return nothing;
  if (conditions?.result.tag === "failed") return ignores ? nothing : failWith(conditions.result.message);
  const activation = compiled.compiler.activate(input);
  const checked = await inTurn(work, activation, compiled.validations, celObjectCostMax);
  if (checked.left < 0) return failWith(spent);
  const isAdmitted = checked.results.every((result) => result?.value === true);
  // Messages are only needed if the request is denied.
  const messages = isAdmitted ? unused : await inTurn(work, compiled.compiler.activate(input), compiled.messages, checked.left);
  const decisions = checked.results.map((result, i): Decision => {
    const seconds = result?.seconds ?? 0;
    if (result === undefined || result.error === undefined && result.value === true) return { tag: "admit", error: undefined, seconds };
    if (result.error !== undefined) return failure(result.error, ignores, seconds);
    if (messages.left < 0) return failure(`failed messageExpression: ${spent}`, ignores, seconds);
    const { message = "", expression, reason } = policy.spec.validations![i]!;
    const shown = computedMessage(messages.results[i]) || goTrim(message) || `failed expression: ${goTrim(expression)}`;
    return { tag: "deny", message: shown, reason, seconds };
  });
  if (compiled.annotations.length === 0) return { decisions, annotations: [] };
  const annotated = await inTurn(work, compiled.compiler.activate(input), compiled.annotations, celObjectCostMax);
  if (annotated.left < 0) return failWith(spent);
  const annotations = annotated.results.flatMap((result, i) => annotation(compiled.annotations[i]!.key, result, ignores));
  return { decisions, annotations };
}

function failure(message: string, ignores: boolean, seconds: number): Decision {
  return ignores ? { tag: "admit", error: message, seconds } : { tag: "deny", message, reason: undefined, seconds };
}

const unused: Results = Object.freeze({ results: [], left: 0 });

/** Returns the computed message; "" if it cannot be used, because it is too long or has several lines. */
function computedMessage(result: EvaluationResult | undefined): string {
  if (typeof result?.value !== "string") return "";
  const message = goTrim(result.value);
  return utf8Length(message) > celMessageBytesMax || message.includes("\n") ? "" : message;
}

function annotation(key: string, result: EvaluationResult | undefined, ignores: boolean): readonly Annotation[] {
  if (result?.error !== undefined) return ignores ? [] : [{ tag: "error", message: result.error }];
  const value = typeof result?.value === "string" ? goTrim(result.value) : "";
  return value === "" ? [] : [{ tag: "value", key, value }];
}
