/** ReplicaSets: a number of equal pods. */
import { objectKey } from "../../../plugin.ts";
import { selectsLabels } from "../../../toolbox.ts";
import type { Reconciler } from "../world/reconciler.ts";
import { sameStatus } from "../world/same-status.ts";
import type { World } from "../world/world.ts";
import { followAll, followOwned } from "./owner-keys.ts";
import { replicate, type Replication } from "./replicate.ts";
import { replicatedStatus } from "./replicated-status.ts";

type ReplicaSet = NonNullable<ReturnType<World["replicaSets"]["at"]>>;

/** Keeps the pods of ReplicaSets. */
export const replicaSetReconciler: Reconciler = {
  name: "replicaset",
  follow(world, add) {
    followAll(world.replicaSets, add);
    followOwned(world.pods, "ReplicaSet", add, function* ({ metadata: { namespace = "", labels = {} } }) {
      for (const set of world.replicaSets.in(namespace)) if (selectsLabels(set.spec.selector ?? {}, labels)) yield objectKey(set);
    });
  },
  async reconcile(world, key) {
    const set = world.replicaSets.at(key);
    if (set === undefined) return;
    const { replicas, selector, template, minReadySeconds = 0 } = set.spec;
    const result = await replicate(world, { owner: set, replicas: replicas ?? 1, selector: selector ?? {}, template, minReadySeconds });
    const status = statusOf(set, result, world);
    if (!sameStatus(status, set.status)) await world.replicaSets.updateStatus({ ...set, status });
    if (result.failure !== undefined) throw new Error(result.failure.message);
    return result.nextMs;
  },
};

function statusOf(set: ReplicaSet, result: Replication, { clock, context }: World): ReplicaSet["status"] {
  const isCounted = context.gates("DeploymentReplicaSetTerminatingReplicas");
  return {
    ...set.status,
    ...replicatedStatus(set, result, clock.now()),
    ...(isCounted ? { terminatingReplicas: result.terminating } : {}),
  } as ReplicaSet["status"];
}
