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

/** Returns the condition of a type; undefined if there is none. */
export function conditionOf(conditions: readonly DefinitionCondition[] | undefined, type: ConditionType): DefinitionCondition | undefined {
  return conditions?.find((each) => each.type === type);
}
/** Whether the definition has this condition with the status True. */
export function isTrue(conditions: readonly DefinitionCondition[] | undefined, type: ConditionType): boolean {
  return conditionOf(conditions, type)?.status === "True";
}
/** Whether two conditions are equal apart from their time. `observed`: whether the observed generations must be equal, too. */
export function isEquivalent(a: ConditionNews | undefined, b: ConditionNews | undefined, observed = false): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.type === b.type && a.status === b.status && (a.reason ?? "") === (b.reason ?? "") && (a.message ?? "") === (b.message ?? "") &&
    (!observed || Number(a.observedGeneration ?? 0) === Number(b.observedGeneration ?? 0));
}

/** Returns the conditions with `news` in place of the condition of its type, or at the end. Its time changes only if its status changes. */
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
/** Returns the conditions without the one of this type. */
export function withoutCondition(conditions: readonly DefinitionCondition[], type: ConditionType): readonly DefinitionCondition[] {
  return conditions.filter((each) => each.type !== type);
}
