/** ReplicationControllers: a number of equal pods, as ReplicaSets of the first API. */
import { objectKey } from "../../../plugin.ts";
import { selectsLabels } from "../../../toolbox.ts";
import type { Reconciler } from "../world/reconciler.ts";
import { sameStatus } from "../world/same-status.ts";
import { followAll, followOwned } from "./owner-keys.ts";
import { replicate } from "./replicate.ts";
import { replicatedStatus } from "./replicated-status.ts";

/** Keeps the pods of ReplicationControllers. */
export const replicationControllerReconciler: Reconciler = {
  name: "replicationcontroller",
  follow(world, add) {
    followAll(world.replicationControllers, add);
    followOwned(world.pods, "ReplicationController", add, function* ({ metadata: { namespace = "", labels = {} } }) {
      for (const each of world.replicationControllers.in(namespace)) {
        if (selectsLabels({ matchLabels: each.spec.selector ?? {} }, labels)) yield objectKey(each);
      }
    });
  },
  async reconcile(world, key) {
    const controller = world.replicationControllers.at(key);
    if (controller?.spec.template === undefined) return;
    const { replicas, selector = {}, template, minReadySeconds = 0 } = controller.spec;
    const result = await replicate(world, {
      owner: controller,
      replicas: replicas ?? 1,
      selector: { matchLabels: selector },
      template,
      minReadySeconds,
    });
    const status = { ...controller.status, ...replicatedStatus(controller, result, world.clock.now()) } as typeof controller.status;
    if (!sameStatus(status, controller.status)) await world.replicationControllers.updateStatus({ ...controller, status });
    if (result.failure !== undefined) throw new Error(result.failure.message);
    return result.nextMs;
  },
};
