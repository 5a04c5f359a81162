/** What becomes of the pods of a node that is not ready, or gone. */
import { objectKey } from "../../../plugin.ts";
import { inParallel } from "../workloads/in-parallel.ts";
import { conditionOf, hasEnded } from "../workloads/pod-state.ts";
import { withCondition } from "./pod-condition.ts";
import type { Reconciler } from "../world/reconciler.ts";
import type { Node, Pod, World } from "../world/world.ts";
import { nodeCondition } from "./fate.ts";
import { evictedAt } from "./taints.ts";

/** How long pods of a node that does not exist are kept, in milliseconds: it may be about to register. */
const orphanMs = 40_000;

const outOfService = "node.kubernetes.io/out-of-service";

/** Marks and evicts the pods of nodes that are not ready, and removes those of nodes that are gone. */
export function nodeLifecycleReconciler(): Reconciler {
  /** Since when pods name a node that does not exist, by the key of the node. */
  const missingSince = new Map<string, number>();
  return {
    name: "node-lifecycle",
    follow(world, add) {
      const look = (node = "") => node === "" ? undefined : add(objectKey({ metadata: { name: node } }));
      for (const node of world.nodes.all()) add(objectKey(node));
      for (const pod of world.pods.all()) look(pod.spec.nodeName);
      world.nodes.listen((next, before) => add(objectKey((next ?? before)!)));
      // What matters of a pod here is that it came to a node, or changed its tolerations.
      world.pods.listen((next, before) => {
        if (next === undefined || (before?.spec.nodeName === next.spec.nodeName && before?.spec.tolerations === next.spec.tolerations)) {
          return;
        }
        const { nodeName = "" } = next.spec, node = nodeName === "" ? undefined : world.nodes.get("", nodeName);
        if (node === undefined || isTroubled(node)) look(nodeName);
      });
    },
    async reconcile(world, key) {
      const node = world.nodes.at(key), name = key.slice(key.lastIndexOf("/") + 1), pods = [...world.podsByNode.on(name)];
      if (node === undefined) return await removeOrphans(world, key, pods, missingSince);
      missingSince.delete(key);
      if (isTroubled(node)) return await treat(world, node, pods);
    },
  };
}

function isTroubled(node: Node): boolean {
  return (node.spec.taints ?? []).some(({ effect }) => effect === "NoExecute") ||
    (nodeCondition(node, "Ready")?.status ?? "True") !== "True";
}

async function removeOrphans(world: World, key: string, pods: readonly Pod[], missingSince: Map<string, number>): Promise<number | void> {
  if (pods.length === 0) return void missingSince.delete(key);
  const now = world.clock.now(), since = missingSince.get(key) ?? now;
  missingSince.set(key, since);
  if (now - since < orphanMs) return since + orphanMs - now;
  await inParallel(pods, async (pod) => {
    const disrupted = { reason: "DeletionByPodGC", message: "PodGC: node no longer exists" };
    const next = hasEnded(pod.status) ? pod : await world.pods.updateStatus({
      ...pod,
      status: { ...withCondition(pod, { type: "DisruptionTarget", status: "True", ...disrupted }, now), phase: "Failed" },
    });
    await world.pods.delete(next, { gracePeriodSeconds: 0 });
  });
}

async function treat(world: World, node: Node, pods: readonly Pod[]): Promise<number | void> {
  const now = world.clock.now(), { taints = [] } = node.spec, isReady = nodeCondition(node, "Ready")?.status === "True";
  const mustGo = taints.some(({ key, effect }) => key === outOfService && effect === "NoExecute");
  let next = Infinity;
  await inParallel(pods, async (pod) => {
    if (hasEnded(pod.status)) return;
    if (pod.metadata.deletionTimestamp !== undefined) return mustGo ? await world.pods.delete(pod, { gracePeriodSeconds: 0 }) : undefined;
    const at = evictedAt(pod, taints, now);
    if (at !== undefined && at <= now) return await evict(world, pod, now);
    if (at !== undefined) next = Math.min(next, at - now);
    if (!isReady && conditionOf(pod, "Ready")?.status === "True") {
      await world.pods.updateStatus({ ...pod, status: withCondition(pod, { type: "Ready", status: "False" }, now) });
    }
  });
  return next === Infinity ? undefined : next;
}

async function evict(world: World, pod: Pod, now: number): Promise<void> {
  const note = `Marking for deletion Pod ${pod.metadata.namespace}/${pod.metadata.name}`;
  world.context.events.record(pod, { type: "Normal", reason: "TaintManagerEviction", action: "Deleting", note });
  const condition = {
    type: "DisruptionTarget",
    status: "True",
    reason: "DeletionByTaintManager",
    message: "Taint manager: deleting due to NoExecute taint",
  };
  await world.pods.delete(await world.pods.updateStatus({ ...pod, status: withCondition(pod, condition, now) }));
}
