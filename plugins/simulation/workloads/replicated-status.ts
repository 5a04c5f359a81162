/** What the status of ReplicaSets and ReplicationControllers have in common. */
import type { ApiObject } from "../../../plugin.ts";
import { timestampOf } from "../world/time.ts";
import type { Replication } from "./replicate.ts";

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
}

/** An object with the status of a number of pods. */
type WithConditions = Pick<ApiObject, "metadata"> & { readonly status: { readonly conditions?: readonly Condition[] } };

/** The numbers of pods, and the condition of a pod that could not be created or deleted. */
export function replicatedStatus({ metadata, status }: WithConditions, result: Replication, now: number) {
  const { active, ready, available, fullyLabeled, failure } = result, before = status.conditions ?? [];
  const others = before.filter(({ type }) => type !== "ReplicaFailure"), known = before.find(({ type }) => type === "ReplicaFailure");
  const failed = failure === undefined ? [] : [
    known?.reason === failure.reason ? known : { type: "ReplicaFailure", status: "True", lastTransitionTime: timestampOf(now), ...failure },
  ];
  const conditions = [...others, ...failed];
  return {
    replicas: active,
    fullyLabeledReplicas: fullyLabeled,
    readyReplicas: ready,
    availableReplicas: available,
    observedGeneration: metadata.generation,
    ...(before.length === 0 && conditions.length === 0 ? {} : { conditions }),
  };
}
