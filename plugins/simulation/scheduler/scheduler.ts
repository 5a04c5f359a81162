/** Binds pods to nodes. */
import { objectKey } from "../../../plugin.ts";
import { withCondition } from "../nodes/pod-condition.ts";
import { conditionOf, hasEnded } from "../workloads/pod-state.ts";
import type { AddKey, Reconciler } from "../world/reconciler.ts";
import type { Pod, World } from "../world/world.ts";
import { candidateOf, chooseNode, refusalText } from "./choose-node.ts";
import { ClusterRoom } from "./cluster-room.ts";
import { claimsOf, selectNode } from "./claims.ts";

/** The scheduler that this one stands for. */
const schedulerName = "default-scheduler";

/** Changes of this many milliseconds are looked at together. */
const retryMs = 20;

const isWaiting = ({ spec, metadata, status }: Pod): boolean =>
  (spec.nodeName ?? "") === "" && (spec.schedulerName ?? schedulerName) === schedulerName && metadata.deletionTimestamp === undefined &&
  !hasEnded(status) && (spec.schedulingGates ?? []).length === 0;

/** Binds each pod that waits for the default scheduler. Pods that fit nowhere are tried again when something on the nodes changes. */
export function schedulerReconciler(world: World): Reconciler {
  const cluster = new ClusterRoom(world), refused = new Set<string>();
  const labelsOf = (namespace: string) => world.namespaces.get("", namespace)?.metadata.labels ?? {};
  return {
    name: "scheduler",
    follow: (_world, add) => follow(world, add, refused),
    async reconcile(_world, key) {
      refused.delete(key);
      const pod = world.pods.at(key);
      if (pod === undefined || !isWaiting(pod)) return;
      const claims = claimsOf(world, pod);
      if (claims.problem !== undefined) {
        refused.add(key);
        return await refuse(world, pod, claims.problem);
      }
      const choice = chooseNode(candidateOf(pod, cluster, labelsOf, claims.checks), cluster);
      if (!("node" in choice)) {
        refused.add(key);
        return await refuse(world, pod, refusalText(choice.refusals));
      }
      const node = choice.node.metadata.name ?? "";
      // Nothing has waited since the choice: the next one counts this pod already.
      cluster.place(pod, node);
      try {
        if (claims.waiting.length === 0) return await bind(world, pod, node);
        // The pod is bound when its claims are.
        cluster.remove(pod, node);
        refused.add(key);
        await selectNode(world, claims.waiting, node);
      } catch (error) {
        cluster.remove(pod, node);
        throw error;
      }
    },
  };
}

function follow(world: World, add: AddKey, refused: Set<string>): void {
  let isDue = false;
  const retry = () => {
    if (isDue || refused.size === 0) return;
    isDue = true;
    world.clock.after(retryMs, () => {
      isDue = false;
      for (const key of refused) add(key);
    });
  };
  for (const pod of world.pods.all()) if (isWaiting(pod)) add(objectKey(pod));
  world.pods.listen((next, before) => {
    if (next === undefined) refused.delete(objectKey(before!));
    else if (isWaiting(next) && before?.metadata.generation !== next.metadata.generation) add(objectKey(next));
    // A pod that ends or goes leaves its place to others; one that comes may be what others want to be near to.
    const had = (before?.spec?.nodeName ?? "") !== "", has = (next?.spec.nodeName ?? "") !== "" && !hasEnded(next!.status);
    if (had !== has) retry();
  });
  for (const store of [world.nodes, world.persistentVolumeClaims, world.persistentVolumes]) store.listen(retry);
}

async function bind({ context: { api, events } }: World, pod: Pod, node: string): Promise<void> {
  const { namespace = "", name = "", uid } = pod.metadata;
  const binding = { metadata: { name, namespace, uid }, target: { kind: "Node", name: node } };
  await api.create("v1", "pods", namespace, binding, { name, subresource: "binding" });
  const note = `Successfully assigned ${namespace}/${name} to ${node}`;
  events.record(pod, { type: "Normal", reason: "Scheduled", action: "Binding", note });
}

/** Writes why the pod waits into its status and an event, unless the status has it. */
async function refuse(world: World, pod: Pod, message: string): Promise<void> {
  const known = conditionOf(pod, "PodScheduled");
  if (known?.status === "False" && known.message === message) return;
  world.context.events.record(pod, { type: "Warning", reason: "FailedScheduling", action: "Scheduling", note: message });
  const condition = { type: "PodScheduled", status: "False", reason: "Unschedulable", message };
  await world.pods.updateStatus({ ...pod, status: withCondition(pod, condition, world.clock.now()) });
}
