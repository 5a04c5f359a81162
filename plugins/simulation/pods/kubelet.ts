/** Simulated kubelets, as far as they run pods: from the binding to a node to the removal. */
import { objectKey } from "../../../plugin.ts";
import { bound } from "../../../core/bound.ts";
import { hasKubelet } from "../nodes/fate.ts";
import type { BuiltInStages } from "../nodes/built-in-stages.ts";
import type { ClusterAddresses } from "../nodes/cluster-addresses.ts";
import { hasEnded } from "../workloads/pod-state.ts";
import { deletionRequested } from "../world/last-change.ts";
import type { AddKey, Reconciler } from "../world/reconciler.ts";
import type { Node, Pod, World } from "../world/world.ts";
import type { ContainerStatus } from "./container-life.ts";
import { fateOf } from "./fate.ts";
import { isChanged, podStatus, type Since, stopped } from "./pod-status.ts";

/** The longest time between two looks at a pod, in milliseconds. */
const lookMsMax = bound(86_400_000);
/** The key of the time at which a kubelet began to stop a pod. No container has this name. */
const stopping = "";

/** Runs the pods that are bound to nodes. */
export function kubeletReconciler(addresses: ClusterAddresses, stages: BuiltInStages): Reconciler {
  const lives = new Map<string, Since>();
  return {
    name: "kubelet",
    follow(world, add) {
      followPods(world, add, lives);
      stages.listen(() => {
        for (const pod of world.pods.all()) add(objectKey(pod));
      });
    },
    async reconcile(world, key) {
      const pod = world.pods.at(key), { nodeName = "" } = pod?.spec ?? {};
      const node = nodeName === "" ? undefined : world.nodes.get("", nodeName);
      if (pod === undefined || node === undefined || !hasKubelet(node)) return;
      if (stages.replaces("Pod", builtInStageOf(pod), pod)) return;
      const { uid = "" } = pod.metadata, since = lives.get(uid) ?? new Map<string, number>();
      lives.set(uid, since);
      if (pod.metadata.deletionTimestamp !== undefined) return await stop(world, pod, since);
      if (!hasEnded(pod.status)) return await live(world, pod, node, { addresses, since });
    },
  };
}

/** The name that the stage has in kwok which does what is due for the pod. */
function builtInStageOf({ metadata, status, spec }: Pod): string {
  if (metadata.deletionTimestamp !== undefined) return "pod-delete";
  return status.phase === "Running" && spec.restartPolicy !== "Always" ? "pod-complete" : "pod-ready";
}

function followPods(world: World, add: AddKey, lives: Map<string, Since>): void {
  for (const pod of world.pods.all()) add(objectKey(pod));
  world.pods.listen((next, before) => {
    if (next === undefined) lives.delete(before!.metadata.uid ?? "");
    else if ((next.spec.nodeName ?? "") !== "") add(objectKey(next));
  });
  world.nodes.listen((next, before) => {
    if (next === undefined || hasKubelet(next) === hasKubelet(before)) return;
    for (const pod of world.podsByNode.on(next.metadata.name ?? "")) add(objectKey(pod));
  });
}

interface Place {
  readonly addresses: ClusterAddresses;
  readonly since: Since;
}

async function live(world: World, pod: Pod, node: Node, { addresses, since }: Place): Promise<number | void> {
  const now = world.clock.now(), hostIP = addresses.hostOf(node);
  const podIP = pod.spec.hostNetwork === true ? hostIP : pod.status.podIP || addresses.ofPod(pod);
  const { status, until } = podStatus(pod, { hostIP, podIP }, since, now);
  if (isChanged(pod, status)) {
    tellFaults(world, pod, status);
    await world.pods.updateStatus({ ...pod, status });
  }
  if (until !== Infinity) return Math.min(lookMsMax, Math.max(1, until - now));
}

/** Records what an operator should look at: containers that wait for a reason of their own. */
function tellFaults({ context: { events } }: World, pod: Pod, status: Pod["status"]): void {
  const all = (of: Pod["status"]) => [...of.initContainerStatuses ?? [], ...of.containerStatuses ?? []];
  const before = new Map(all(pod.status).map((each) => [each.name, waitingOf(each)]));
  for (const each of all(status)) {
    const reason = waitingOf(each);
    if (reason === undefined || reason === before.get(each.name)) continue;
    const note = each.state.waiting?.message ?? reason, isBackOff = reason.endsWith("BackOff");
    events.record(pod, { type: "Warning", reason: isBackOff ? "BackOff" : "Failed", action: isBackOff ? "BackOff" : "Starting", note });
  }
}

function waitingOf({ state: { waiting } }: ContainerStatus): string | undefined {
  return waiting?.reason === "PodInitializing" || waiting?.reason === "ContainerCreating" ? undefined : waiting?.reason;
}

/** Stops the containers of a pod that is being deleted, and removes it. Resolves with the milliseconds until they have stopped. */
async function stop(world: World, pod: Pod, since: Since): Promise<number | void> {
  const now = world.clock.now(), { deletionTimestamp = "", deletionGracePeriodSeconds, finalizers = [] } = pod.metadata;
  const from = since.get(stopping) ?? Math.min(now, deletionRequested(pod) ?? now);
  since.set(stopping, from);
  const longest = pod.spec.containers.reduce((most, { name }) => Math.max(most, fateOf(pod, name).stopAfterMs), 0);
  const grace = Date.parse(deletionTimestamp ?? ""), at = Math.min(from + longest, Number.isNaN(grace) ? now : grace);
  if (!hasEnded(pod.status) && at > now) return at - now;
  // Whoever waits for the pod with a finalizer reads how it ended.
  const isRead = finalizers.length > 0 && !hasEnded(pod.status);
  const last = isRead ? await world.pods.updateStatus({ ...pod, status: stopped(pod, { now }) }) : pod;
  if (Number(deletionGracePeriodSeconds ?? 1) > 0) await world.pods.delete(last, { gracePeriodSeconds: 0 });
}
