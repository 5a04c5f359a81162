/** Binds pods to nodes. */
import { objectKey } from "../../../plugin.ts";
import { withCondition } from "../nodes/pod-condition.ts";
import { conditionOf, hasEnded } from "../workloads/pod-state.ts";
import type { AddKey, Reconciler } from "../world/reconciler.ts";
import type { Pod, World } from "../world/world.ts";
import { type Candidate, candidateOf } from "./candidate.ts";
import { chooseNode, type Refusal, refusalText } from "./choose-node.ts";
import { ClusterRoom } from "./cluster-room.ts";
import { claimsOf, selectNode } from "./claims.ts";
import { priorityOf } from "./node-room.ts";
import { preempt } from "./preempt.ts";
import { planPreemption } from "./preemption.ts";
import { WaitingPods } from "./waiting-pods.ts";

/** The scheduler that this one stands for. */
const schedulerName = "default-scheduler";

/** Changes of this many milliseconds are looked at together. */
const retryMs = 20;

/** A pod that could not be bound because of an error is looked at again after so many milliseconds. */
const failedMs = 1_000;

const isWaiting = ({ spec, metadata, status }: Pod): boolean =>
  (spec.nodeName ?? "") === "" && (spec.schedulerName ?? schedulerName) === schedulerName && metadata.deletionTimestamp === undefined &&
  !hasEnded(status) && (spec.schedulingGates ?? []).length === 0;

/**
 * Binds each pod that waits for the default scheduler, the highest priority first. Pods that fit nowhere are tried again when something on the nodes
 * changes. A key of the queue is only an occasion: which pod is looked at, the priorities decide.
 */
export function schedulerReconciler(world: World): Reconciler {
  const cluster = new ClusterRoom(world), waiting = new WaitingPods(), refused = new Set<string>();
  let addKey: AddKey = () => {};
  const look = (key: string) => {
    const pod = world.pods.at(key);
    if (pod === undefined) return;
    waiting.add(key, priorityOf(pod));
    addKey(key);
  };
  return {
    name: "scheduler",
    follow(_world, add) {
      addKey = add;
      follow(world, look, refused);
    },
    async reconcile() {
      const key = waiting.take();
      if (key === undefined) return;
      refused.delete(key);
      let hasFailed = true;
      try {
        await schedule(world, key, { cluster, refused });
        hasFailed = false;
      } finally {
        if (waiting.done(key)) addKey(key);
        else if (hasFailed) {
          // Each key that waits needs an occasion of its own. The queue may not try again after each error.
          waiting.add(key, priorityOf(world.pods.at(key) ?? { spec: {} }));
          addKey(key, failedMs);
        }
      }
    },
  };
}

interface State {
  readonly cluster: ClusterRoom;
  /** The keys of the pods that fit nowhere. */
  readonly refused: Set<string>;
}

async function schedule(world: World, key: string, { cluster, refused }: State): Promise<void> {
  const pod = world.pods.at(key);
  if (pod === undefined || !isWaiting(pod)) return;
  const claims = claimsOf(world, pod);
  if (claims.problem !== undefined) {
    refused.add(key);
    return await refuse(world, pod, claims.problem);
  }
  const labelsOf = (namespace: string) => world.namespaces.get("", namespace)?.metadata.labels ?? {};
  const candidate = candidateOf(pod, cluster, labelsOf, claims.checks), choice = chooseNode(candidate, cluster);
  if (!("node" in choice)) {
    refused.add(key);
    return await makeRoom(world, candidate, choice.refusals, cluster);
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
}

/** Preempts pods of lower priorities if that helps, and writes why the pod waits. */
async function makeRoom(world: World, candidate: Candidate, refusals: readonly Refusal[], cluster: ClusterRoom): Promise<void> {
  const { pod } = candidate, made = planPreemption(candidate, cluster, refusals, [...world.podDisruptionBudgets.all()]);
  if (!("plan" in made)) {
    return await refuse(world, pod, refusalText(refusals, made.why), made.keepsNomination ? pod.status.nominatedNodeName : "");
  }
  const node = made.plan.room.node!.metadata.name ?? "";
  // Nothing has waited since the plan: the next choice leaves this pod its room.
  cluster.nominate(pod, node);
  await refuse(world, pod, refusalText(refusals, undefined), node);
  await preempt(world, pod, made.plan, cluster);
}

function follow(world: World, look: (key: string) => void, refused: Set<string>): void {
  let isDue = false;
  const retry = () => {
    if (isDue || refused.size === 0) return;
    isDue = true;
    world.clock.after(retryMs, () => {
      isDue = false;
      for (const key of refused) look(key);
    });
  };
  for (const pod of world.pods.all()) if (isWaiting(pod)) look(objectKey(pod));
  world.pods.listen((next, before) => {
    if (next === undefined) refused.delete(objectKey(before!));
    else if (isWaiting(next) && before?.metadata.generation !== next.metadata.generation) look(objectKey(next));
    // A pod that ends or goes leaves its place to others; one that comes may be what others want to be near to.
    const had = (before?.spec?.nodeName ?? "") !== "", has = (next?.spec.nodeName ?? "") !== "" && !hasEnded(next!.status);
    const nominated = next?.status.nominatedNodeName ?? "", isFreed = (before?.status?.nominatedNodeName ?? "") !== nominated && !has;
    if (had !== has || isFreed) retry();
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

/** Writes why the pod waits into its status and an event, and the node that it waits for, unless the status has both. */
async function refuse(world: World, pod: Pod, message: string, nominatedNodeName = ""): Promise<void> {
  const known = conditionOf(pod, "PodScheduled"), { nominatedNodeName: before = "", ...status } = pod.status;
  const isKnown = known?.status === "False" && known.message === message;
  if (isKnown && before === nominatedNodeName) return;
  if (!isKnown) {
    world.context.events.record(pod, { type: "Warning", reason: "FailedScheduling", action: "Scheduling", note: message });
  }
  const condition = { type: "PodScheduled", status: "False", reason: "Unschedulable", message };
  const next = withCondition({ ...pod, status }, condition, world.clock.now());
  await world.pods.updateStatus({ ...pod, status: nominatedNodeName === "" ? next : { ...next, nominatedNodeName } });
}
