/** Conditions of pods that are not those of their kubelet. */
import { timestampOf } from "../world/time.ts";
import type { Pod } from "../world/world.ts";

/** The status with a condition in the place of that of its type. */
export function withCondition(
  { status }: Pod,
  condition: { readonly type: string; readonly status: string; readonly reason?: string; readonly message?: string },
  now: number,
): Pod["status"] {
  const { conditions = [] } = status, known = conditions.find(({ type }) => type === condition.type);
  const lastTransitionTime = known?.status === condition.status ? known.lastTransitionTime : timestampOf(now);
  const next = { lastProbeTime: null, ...condition, lastTransitionTime };
  return { ...status, conditions: known === undefined ? [...conditions, next] : conditions.map((each) => each === known ? next : each) };
}
