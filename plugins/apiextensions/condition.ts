/** The conditions of a definition. */
import type { DefinitionCondition } from "./schema.ts";

export type ConditionType =
  | "Established"
  | "NamesAccepted"
  | "NonStructuralSchema"
  | "Terminating"
  | "KubernetesAPIApprovalPolicyConformant";
/** A condition without its time. */
export type ConditionNews = Omit<DefinitionCondition, "lastTransitionTime">;

/** The condition of a type. */
export function conditionOf(conditions: readonly DefinitionCondition[] | undefined, type: ConditionType): DefinitionCondition | undefined {
  return conditions?.find((each) => each.type === type);
}
/** Whether the definition has the condition with the status True. */
export function isTrue(conditions: readonly DefinitionCondition[] | undefined, type: ConditionType): boolean {
  return conditionOf(conditions, type)?.status === "True";
}
/** Whether two conditions differ in their time only. `observed`: whether the observed generation is compared, too. */
export function isEquivalent(a: ConditionNews | undefined, b: ConditionNews | undefined, observed = false): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.type === b.type && a.status === b.status && (a.reason ?? "") === (b.reason ?? "") && (a.message ?? "") === (b.message ?? "") &&
    (!observed || Number(a.observedGeneration ?? 0) === Number(b.observedGeneration ?? 0));
}

/** The conditions with `news` in place of the condition of its type, or at the end. The time changes with the status only. */
export function withCondition(
  conditions: readonly DefinitionCondition[],
  news: ConditionNews,
  now: string,
): readonly DefinitionCondition[] {
  const prior = conditions.find(({ type }) => type === news.type);
  const since = prior !== undefined && prior.status === news.status && prior.lastTransitionTime !== null ? prior.lastTransitionTime : now;
  const next: DefinitionCondition = { ...news, lastTransitionTime: since };
  return prior === undefined ? [...conditions, next] : conditions.map((each) => each === prior ? next : each);
}
/** The conditions without the one of a type. */
export function withoutCondition(conditions: readonly DefinitionCondition[], type: ConditionType): readonly DefinitionCondition[] {
  return conditions.filter((each) => each.type !== type);
}
