/** DaemonSets: a pod on each node that fits (upstream: pkg/controller/daemon). */
import { objectKey } from "../../../plugin.ts";
import { append, reasonOf, sameValue, selectsLabels } from "../../../toolbox.ts";
import { isNamespaceEnding, type Reconciler } from "../world/reconciler.ts";
import { sameStatus } from "../world/same-status.ts";
import type { Node, Pod, World } from "../world/world.ts";
import { controlledPods } from "./controlled-pods.ts";
import { createDaemonPod, fitOf, nodeNameOf } from "./daemon-set/node-pods.ts";
import { type Amounts, amountsOf, deletedForUpdate } from "./daemon-set/update.ts";
import type { DaemonSet } from "./daemon-set/types.ts";
import { inParallel } from "./in-parallel.ts";
import { followAll, followOwned } from "./owner-keys.ts";
import { hasEnded, isActive, isReady, msUntilAvailable } from "./pod-state.ts";
import { presentRevision, removeRevisions, revisionLabel } from "./revisions.ts";

/** Keeps the pods of DaemonSets. */
export const daemonSetReconciler: Reconciler = {
  name: "daemonset",
  follow(world, add) {
    followAll(world.daemonSets, add);
    followOwned(world.pods, "DaemonSet", add, function* ({ metadata: { namespace = "", labels = {} } }) {
      for (const each of world.daemonSets.in(namespace)) if (selectsLabels(each.spec.selector ?? {}, labels)) yield objectKey(each);
    });
    world.nodes.listen((next, before) => {
      if (next !== undefined && before !== undefined && hasSamePlace(next, before)) return;
      for (const each of world.daemonSets.all()) add(objectKey(each));
    });
  },
  async reconcile(world, key) {
    const set = world.daemonSets.at(key);
    if (set === undefined) return;
    const pods = await controlledPods(world, set, set.spec.selector ?? {});
    const revision = await presentRevision(world, set, set.status.collisionCount ?? 0);
    const hash = revision.metadata.labels?.[revisionLabel] ?? "";
    const failure = set.metadata.deletionTimestamp === undefined ? await act(world, set, pods, hash) : undefined;
    const nextMs = await writeStatus(world, set, hash);
    const used = new Set([hash, ...pods.map(({ metadata }) => metadata.labels?.[revisionLabel])]);
    await removeRevisions(world, set, ({ metadata }) => used.has(metadata.labels?.[revisionLabel]));
    if (failure !== undefined) throw failure;
    return nextMs;
  },
};

/** Whether nothing has changed by which pods are placed. A heartbeat changes only the status. */
const hasSamePlace = (next: Node, before: Node): boolean =>
  sameValue(next.metadata.labels ?? {}, before.metadata.labels ?? {}) && sameValue(next.spec.taints ?? [], before.spec.taints ?? []);

const byNode = (pods: readonly Pod[]): ReadonlyMap<string, readonly Pod[]> => Map.groupBy(pods, nodeNameOf);

/** Adds missing pods and removes those that must not be there, then replaces old ones. Resolves with the error of a pod that could not be created. */
async function act(world: World, set: DaemonSet, pods: readonly Pod[], hash: string): Promise<unknown> {
  const placed = byNode(pods), missing: string[] = [], extra: Pod[] = [];
  for (const node of world.nodes.all()) {
    const here = placed.get(node.metadata.name ?? "") ?? [], { shouldRun, mayStay } = fitOf(set, node);
    const ended = here.filter((pod) => hasEnded(pod.status) && pod.metadata.deletionTimestamp === undefined);
    const active = here.filter(isActive);
    append(extra, ended);
    if (!mayStay) append(extra, active);
    else if (shouldRun && here.length === ended.length) missing.push(node.metadata.name ?? "");
    // During an update with surge a node has the old and the new pod.
    else append(extra, active.toSorted(byAge).slice(amountsOf(set, 0).surge > 0 ? 2 : 1));
  }
  const gone = pods.filter((pod) => isActive(pod) && world.nodes.get("", nodeNameOf(pod)) === undefined);
  await inParallel([...extra, ...gone], (pod) => world.pods.delete(pod));
  const wanted = [...world.nodes.all()].filter((node) => fitOf(set, node).shouldRun).length, amounts = amountsOf(set, wanted);
  try {
    await inParallel(missing, (node) => createDaemonPod(world, set, node, hash));
    if (set.spec.updateStrategy.type === "RollingUpdate") await update(world, set, hash, amounts);
  } catch (error) {
    if (!isNamespaceEnding(error)) {
      world.context.events.record(set, {
        type: "Warning",
        reason: "FailedCreate",
        action: "CreatingPod",
        note: `Error creating: ${reasonOf(error)}`,
      });
      return error;
    }
  }
  return undefined;
}

const byAge = (a: Pod, b: Pod): number => Date.parse(a.metadata.creationTimestamp ?? "") - Date.parse(b.metadata.creationTimestamp ?? "");

async function update(world: World, set: DaemonSet, hash: string, amounts: Amounts): Promise<void> {
  const pods = [...world.pods.controlledBy(set.metadata.uid ?? "")].filter((pod) => !hasEnded(pod.status));
  const isAvailable = (pod: Pod) => isActive(pod) && msUntilAvailable(pod, set.spec.minReadySeconds ?? 0, world.clock.now()) === 0;
  const isNew = (pod: Pod) => pod.metadata.labels?.[revisionLabel] === hash;
  const { deleted, surged } = deletedForUpdate({ pods: byNode(pods), isAvailable, isNew, amounts });
  await inParallel(deleted, (pod) => world.pods.delete(pod));
  await inParallel(surged, (node) => createDaemonPod(world, set, node, hash));
}

async function writeStatus(world: World, set: DaemonSet, hash: string): Promise<number | undefined> {
  const placed = byNode([...world.pods.controlledBy(set.metadata.uid ?? "")].filter((pod) => pod.metadata.deletionTimestamp === undefined));
  let desired = 0, current = 0, misscheduled = 0, ready = 0, available = 0, updated = 0, nextMs: number | undefined;
  for (const node of world.nodes.all()) {
    const here = (placed.get(node.metadata.name ?? "") ?? []).toSorted(byAge), { shouldRun } = fitOf(set, node);
    if (!shouldRun) {
      if (here.length > 0) misscheduled++;
      continue;
    }
    desired++;
    const [pod] = here;
    if (pod === undefined) continue;
    current++;
    const waits = here.map((each) => msUntilAvailable(each, set.spec.minReadySeconds ?? 0, world.clock.now()));
    if (isReady(pod)) ready++;
    if (waits[0] === 0) available++;
    // The second pod of an update with surge, too: the first goes when it is available.
    for (const ms of waits) if (ms !== undefined && ms > 0) nextMs = Math.min(ms, nextMs ?? Infinity);
    if (here.some(({ metadata }) => metadata.labels?.[revisionLabel] === hash)) updated++;
  }
  const status = {
    ...set.status,
    observedGeneration: set.metadata.generation,
    desiredNumberScheduled: desired,
    currentNumberScheduled: current,
    numberMisscheduled: misscheduled,
    numberReady: ready,
    numberAvailable: available,
    numberUnavailable: desired - available,
    updatedNumberScheduled: updated,
  } as DaemonSet["status"];
  const before = { numberAvailable: 0, numberUnavailable: 0, updatedNumberScheduled: 0, ...set.status };
  if (!sameStatus(status, before)) await world.daemonSets.updateStatus({ ...set, status });
  return nextMs;
}
