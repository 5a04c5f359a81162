/** Binds pods to nodes. */
import { objectKey } from "../../../plugin.ts";
import { withCondition } from "../nodes/pod-condition.ts";
import { conditionOf, hasEnded } from "../workloads/pod-state.ts";
import type { AddKey, Reconciler } from "../world/reconciler.ts";
import type { Store } from "../world/store.ts";
import type { Node, Pod, World } from "../world/world.ts";
import { type Candidate, candidateOf } from "./candidate.ts";
import { chooseNode, type Refusal, refusalText } from "./choose-node.ts";
import { ClusterRoom } from "./cluster-room.ts";
import { claimsOf, selectNode, unavailable } from "./claims.ts";
import { DeviceBook } from "../devices/device-book.ts";
import { Selection } from "../devices/selection.ts";
import { priorityOf } from "./node-room.ts";
import { devicesOf, type DeviceState, type PodDevices } from "./pod-devices.ts";
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
  const devices = world.devices === undefined ? undefined : { book: new DeviceBook(world.devices), selection: new Selection() };
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
        await schedule(world, key, { cluster, refused, devices });
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
  /** Undefined if the server serves no devices. */
  readonly devices: DeviceState | undefined;
}

async function schedule(world: World, key: string, { cluster, refused, devices: known }: State): Promise<void> {
  const pod = world.pods.at(key);
  if (pod === undefined || !isWaiting(pod)) return;
  const claims = claimsOf(world, pod), devices = devicesOf(world, pod, known);
  const problem = claims.problem ?? (devices.problem === undefined ? undefined : unavailable(world, devices.problem));
  if (problem !== undefined || devices.waits) {
    refused.add(key);
    return problem === undefined ? undefined : await refuse(world, pod, problem);
  }
  const labelsOf = (namespace: string) => world.namespaces.get("", namespace)?.metadata.labels ?? {};
  const checks = devices.check === undefined ? claims.checks : [...claims.checks, devices.check];
  const candidate = candidateOf(pod, cluster, labelsOf, checks), choice = chooseNode(candidate, cluster), failure = devices.failure();
  if (failure !== undefined) {
    refused.add(key);
    return await refuse(world, pod, failure, { reason: "SchedulerError" });
  }
  if (!("node" in choice)) {
    refused.add(key);
    return await devices.deallocate() ? undefined : await makeRoom(world, candidate, choice.refusals, cluster);
  }
  await place(world, choice.node, { pod, claims: claims.waiting, devices, cluster, refused });
}

interface Placement extends Pick<State, "cluster" | "refused"> {
  readonly pod: Pod;
  /** The claims to volumes that are not bound yet. */
  readonly claims: ReturnType<typeof claimsOf>["waiting"];
  readonly devices: PodDevices;
}

/** Binds the pod to the chosen node, with its devices. */
async function place(world: World, chosen: Node, { pod, claims, devices, cluster, refused }: Placement): Promise<void> {
  const node = chosen.metadata.name ?? "";
  // Nothing has waited since the choice: the next one counts this pod already.
  cluster.place(pod, node);
  try {
    if (claims.length === 0) {
      await devices.take(chosen)();
      return await bind(world, pod, node);
    }
    // The pod is bound when its claims are.
    cluster.remove(pod, node);
    refused.add(objectKey(pod));
    await selectNode(world, claims, node);
  } catch (error) {
    cluster.remove(pod, node);
    throw error;
  }
}

/** Preempts pods of lower priorities if that helps, and writes why the pod waits. */
async function makeRoom(world: World, candidate: Candidate, refusals: readonly Refusal[], cluster: ClusterRoom): Promise<void> {
  const { pod } = candidate, made = planPreemption(candidate, cluster, refusals, [...world.podDisruptionBudgets.all()]);
  if (!("plan" in made)) {
    const node = made.keepsNomination ? pod.status.nominatedNodeName : "";
    return await refuse(world, pod, refusalText(refusals, made.why, areHeld(pod)), { node });
  }
  const node = made.plan.room.node!.metadata.name ?? "";
  // Nothing has waited since the plan: the next choice leaves this pod its room.
  cluster.nominate(pod, node);
  await refuse(world, pod, refusalText(refusals, undefined), { node });
  await preempt(world, pod, made.plan, cluster);
}

const hasNewClaims = (next: Pod, before: Pod | undefined): boolean =>
  (next.status.resourceClaimStatuses ?? []).length !== (before?.status.resourceClaimStatuses ?? []).length;

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
    else if (isWaiting(next) && (before?.metadata.generation !== next.metadata.generation || hasNewClaims(next, before))) {
      look(objectKey(next));
    }
    // A pod that ends or goes leaves its place to others; one that comes may be what others want to be near to.
    const had = (before?.spec?.nodeName ?? "") !== "", has = (next?.spec.nodeName ?? "") !== "" && !hasEnded(next!.status);
    const nominated = next?.status.nominatedNodeName ?? "", isFreed = (before?.status?.nominatedNodeName ?? "") !== nominated && !has;
    if (had !== has || isFreed) retry();
  });
  for (const store of [world.nodes, world.persistentVolumeClaims, world.persistentVolumes]) store.listen(retry);
  for (const store of Object.values(world.devices ?? {})) (store as Pick<Store<any>, "listen">).listen(retry); // no matter of what kind
}

async function bind({ context: { api, events } }: World, pod: Pod, node: string): Promise<void> {
  const { namespace = "", name = "", uid } = pod.metadata;
  const binding = { metadata: { name, namespace, uid }, target: { kind: "Node", name: node } };
  await api.create("v1", "pods", namespace, binding, { name, subresource: "binding" });
  const note = `Successfully assigned ${namespace}/${name} to ${node}`;
  events.record(pod, { type: "Normal", reason: "Scheduled", action: "Binding", note });
}

/** Whether the pod has claims to devices. */
const areHeld = ({ spec }: Pod): boolean => (spec.resourceClaims ?? []).length > 0;

interface Why {
  /** The node for which the pod is nominated. */
  readonly node?: string | undefined;
  readonly reason?: "Unschedulable" | "SchedulerError";
}

/** Writes why the pod waits into its status and an event, and the node that it waits for, unless the status has both. */
async function refuse(
  world: World,
  pod: Pod,
  message: string,
  { node: nominatedNodeName = "", reason = "Unschedulable" }: Why = {},
): Promise<void> {
  const known = conditionOf(pod, "PodScheduled"), { nominatedNodeName: before = "", ...status } = pod.status;
  const isKnown = known?.status === "False" && known.message === message;
  if (isKnown && before === nominatedNodeName) return;
  if (!isKnown) {
    world.context.events.record(pod, { type: "Warning", reason: "FailedScheduling", action: "Scheduling", note: message });
  }
  const condition = { type: "PodScheduled", status: "False", reason, message };
  const next = withCondition({ ...pod, status }, condition, world.clock.now());
  await world.pods.updateStatus({ ...pod, status: nominatedNodeName === "" ? next : { ...next, nominatedNodeName } });
}
