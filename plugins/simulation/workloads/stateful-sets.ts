/** StatefulSets: pods with numbers, each with its claims, one after the other (upstream: pkg/controller/statefulset). */
import { objectKey } from "../../../plugin.ts";
import { selectsLabels } from "../../../toolbox.ts";
import type { Reconciler } from "../world/reconciler.ts";
import { sameStatus } from "../world/same-status.ts";
import type { Pod, PodTemplate, World } from "../world/world.ts";
import { controlledPods } from "./controlled-pods.ts";
import { countPods } from "./counts.ts";
import { followAll, followOwned } from "./owner-keys.ts";
import { hasEnded, isActive, isReady, msUntilAvailable } from "./pod-state.ts";
import { presentRevision, removeRevisions, type Revision, revisionsOf, templateOf } from "./revisions.ts";
import { createMember, ordinalOf, removeMember, replicasOf, revisionOf, startOf } from "./stateful-set/members.ts";
import type { StatefulSet } from "./stateful-set/types.ts";

/** Keeps the pods of StatefulSets. */
export const statefulSetReconciler: Reconciler = {
  name: "statefulset",
  follow(world, add) {
    followAll(world.statefulSets, add);
    followOwned(world.pods, "StatefulSet", add, function* ({ metadata: { namespace = "", labels = {} } }) {
      for (const each of world.statefulSets.in(namespace)) if (selectsLabels(each.spec.selector ?? {}, labels)) yield objectKey(each);
    });
  },
  async reconcile(world, key) {
    const set = world.statefulSets.at(key);
    if (set === undefined) return;
    const pods = await controlledPods(world, set, set.spec.selector ?? {});
    const update = await presentRevision(world, set, set.status.collisionCount ?? 0);
    const revisions = revisionsOf(world, set), current = revisions.find((each) => labelOf(each) === set.status.currentRevision) ?? update;
    const members = { set, update, current, pods: pods.filter((pod) => ordinalOf(set, pod) !== undefined) };
    if (set.metadata.deletionTimestamp === undefined) await act(world, members);
    const nextMs = await writeStatus(world, set, update, current);
    const used = new Set([labelOf(update), labelOf(current), ...[...world.pods.controlledBy(set.metadata.uid ?? "")].map(revisionOf)]);
    await removeRevisions(world, set, (each) => used.has(labelOf(each)));
    return nextMs;
  },
};

/** Pods and the status name revisions by the name of the object. */
const labelOf = ({ metadata }: Revision): string => metadata.name ?? "";

interface Members {
  readonly set: StatefulSet;
  readonly pods: readonly Pod[];
  /** The revision of the present template, and that of pods that are not updated yet. */
  readonly update: Revision;
  readonly current: Revision;
}

/** Whether the pod takes requests, and has for long enough. */
const isAvailable = (world: World, { spec }: StatefulSet, pod: Pod): boolean =>
  pod.metadata.deletionTimestamp === undefined && pod.status.phase === "Running" &&
  msUntilAvailable(pod, spec.minReadySeconds ?? 0, world.clock.now()) === 0;

/** Does the next step: what is missing, then what is too many, then what is old. A set in order waits after each. */
async function act(world: World, members: Members): Promise<void> {
  const { set, pods } = members, isOrdered = set.spec.podManagementPolicy !== "Parallel";
  const start = startOf(set), end = start + replicasOf(set), byOrdinal = new Map(pods.map((pod) => [ordinalOf(set, pod) ?? -1, pod]));
  for (let ordinal = start; ordinal < end; ordinal++) {
    const pod = byOrdinal.get(ordinal);
    if (pod === undefined) {
      const [template, revision] = templateFor(members, ordinal);
      await createMember(world, set, ordinal, template, revision);
      if (isOrdered) return;
    } else if (hasEnded(pod.status) && pod.metadata.deletionTimestamp === undefined) {
      await world.pods.delete(pod, { gracePeriodSeconds: 0 });
      if (isOrdered) return;
    } else if (isOrdered && !isAvailable(world, set, pod)) return;
  }
  const condemned = pods.filter((pod) => !(ordinalOf(set, pod)! >= start && ordinalOf(set, pod)! < end))
    .toSorted((a, b) => ordinalOf(set, b)! - ordinalOf(set, a)!);
  for (const [at, pod] of condemned.entries()) {
    if (pod.metadata.deletionTimestamp !== undefined) {
      if (isOrdered) return;
      continue;
    }
    // In order: while a pod of a lower number is not available, none but that one goes.
    if (isOrdered && condemned.slice(at + 1).some((lower) => !isAvailable(world, set, lower)) && isAvailable(world, set, pod)) return;
    await removeMember(world, set, pod, true);
    if (isOrdered) return;
  }
  await replaceOld(world, members, byOrdinal);
}

/** Deletes pods of old revisions from the highest number down to the partition, as many at a time as may be unavailable. */
async function replaceOld(world: World, { set, update }: Members, byOrdinal: ReadonlyMap<number, Pod>): Promise<void> {
  const { type, rollingUpdate } = set.spec.updateStrategy;
  if (type !== "RollingUpdate") return;
  const start = startOf(set), last = start + (rollingUpdate?.partition ?? 0), max = unavailableMaxOf(set);
  let missing = [...byOrdinal].filter(([ordinal, pod]) => ordinal >= start && !isAvailable(world, set, pod)).length;
  for (let ordinal = start + replicasOf(set) - 1; ordinal >= last; ordinal--) {
    const pod = byOrdinal.get(ordinal);
    if (pod === undefined) continue;
    const isThere = isAvailable(world, set, pod), isOld = revisionOf(pod) !== labelOf(update);
    if (isOld && pod.metadata.deletionTimestamp === undefined && (missing < max || !isThere)) {
      await removeMember(world, set, pod, false);
      if (isThere) missing++;
      if (missing >= max) return;
    } else if (missing >= max) return;
  }
}

function unavailableMaxOf(set: StatefulSet): number {
  const max = set.spec.updateStrategy.rollingUpdate?.maxUnavailable ?? 1;
  return Math.max(1, typeof max === "number" ? max : Math.floor(parseInt(max, 10) * replicasOf(set) / 100));
}

/** The template of a pod that is created now, and its revision. */
function templateFor({ set, update, current }: Members, ordinal: number): readonly [PodTemplate, string] {
  const { type, rollingUpdate } = set.spec.updateStrategy;
  const isOld = type === "RollingUpdate" && ordinal < startOf(set) + (rollingUpdate?.partition ?? 0);
  const revision = isOld ? current : update;
  return [templateOf(revision), labelOf(revision)];
}

async function writeStatus(world: World, set: StatefulSet, update: Revision, current: Revision): Promise<number | undefined> {
  const pods = [...world.pods.controlledBy(set.metadata.uid ?? "")].filter((pod) => !hasEnded(pod.status));
  const minReadySeconds = set.spec.minReadySeconds ?? 0, { available, nextMs } = countPods(pods, minReadySeconds, world.clock.now());
  const of = (revision: Revision) => pods.filter((pod) => isActive(pod) && revisionOf(pod) === labelOf(revision)).length;
  const ready = pods.filter((pod) => isActive(pod) && isReady(pod)).length, updated = of(update), wanted = replicasOf(set);
  const isUpdated = set.spec.updateStrategy.type === "RollingUpdate" && updated === wanted && ready === wanted && pods.length === wanted;
  const status = {
    ...set.status,
    observedGeneration: set.metadata.generation,
    replicas: pods.length,
    readyReplicas: ready,
    availableReplicas: available,
    updatedReplicas: updated,
    updateRevision: labelOf(update),
    currentRevision: labelOf(isUpdated ? update : current),
    currentReplicas: isUpdated ? updated : of(current),
    collisionCount: set.status.collisionCount ?? 0,
  } as StatefulSet["status"];
  if (!sameStatus(status, set.status)) await world.statefulSets.updateStatus({ ...set, status });
  return nextMs;
}
