import type { PodCondition, PodStatus } from "./status-schema.ts";

/** The status with this condition in the place of the one of its type. The time of the transition stays while the status of the condition does. */
export function withCondition(
  status: PodStatus,
  condition: Omit<PodCondition, "lastProbeTime" | "lastTransitionTime">,
  now: string,
): PodStatus {
  const { conditions = [] } = status, prior = conditions.find(({ type }) => type === condition.type);
  const next: PodCondition = {
    lastProbeTime: null,
    lastTransitionTime: prior !== undefined && prior.status === condition.status ? prior.lastTransitionTime : now,
    ...condition,
  };
  return {
    ...status,
    conditions: prior === undefined ? [...conditions, next] : conditions.map((each) => each === prior ? next : each),
  };
}
