/** How many pods the replica sets of a deployment may have: numbers only (upstream: pkg/controller/deployment/util). */
import type { Deployment, ReplicaSet } from "./types.ts";

/** A number, or a percentage of `total`, which is rounded up or down. */
function amountOf(value: number | string | undefined, total: number, round: (value: number) => number): number {
  if (typeof value === "number") return value;
  if (value === undefined) return 0;
  return round(parseInt(value, 10) * total / 100);
}

/** The wanted number of pods. */
export const replicasOf = ({ spec }: Deployment | ReplicaSet): number => spec.replicas ?? 1;

/** How many pods may exist beyond the wanted number. */
export function surgeOf({ spec }: Deployment): number {
  return spec.strategy.type === "RollingUpdate" ? amountOf(spec.strategy.rollingUpdate?.maxSurge, spec.replicas ?? 1, Math.ceil) : 0;
}

/** How many of the wanted pods may be unavailable. With no surge and nothing that may be unavailable nothing could move: then it is one. */
export function unavailableMaxOf(deployment: Deployment): number {
  const { strategy } = deployment.spec, replicas = replicasOf(deployment);
  if (strategy.type !== "RollingUpdate" || replicas === 0) return 0;
  const max = amountOf(strategy.rollingUpdate?.maxUnavailable, replicas, Math.floor);
  return Math.min(replicas, max === 0 && surgeOf(deployment) === 0 ? 1 : max);
}

/** The sum of the wanted numbers of replica sets. */
export const wantedOf = (sets: readonly ReplicaSet[]): number => sets.reduce((sum, set) => sum + replicasOf(set), 0);
/** The sum of a number in the status of replica sets. */
export function statusSum(
  sets: readonly ReplicaSet[],
  name: "replicas" | "readyReplicas" | "availableReplicas" | "terminatingReplicas",
): number {
  return sets.reduce((sum, { status }) => sum + Number(status[name] ?? 0), 0);
}

/** The size of the new replica set in the next step. `all` includes it, if it is there. */
export function newSizeOf(deployment: Deployment, all: readonly ReplicaSet[], current: number): number {
  const wanted = replicasOf(deployment);
  if (deployment.spec.strategy.type !== "RollingUpdate" || current > wanted) return wanted;
  const room = wanted + surgeOf(deployment) - wantedOf(all);
  return room <= 0 ? current : current + Math.min(room, wanted - current);
}

/** A replica set with another size. */
export interface Resized {
  readonly set: ReplicaSet;
  readonly to: number;
}

const byAge = (a: ReplicaSet, b: ReplicaSet): number =>
  Date.parse(a.metadata.creationTimestamp ?? "") - Date.parse(b.metadata.creationTimestamp ?? "") ||
  ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1);

/** The replica sets, the oldest first. */
export const oldestFirst = (sets: readonly ReplicaSet[]): readonly ReplicaSet[] => sets.toSorted(byAge);

/**
 * The old replica sets that shrink in the next step of a rolling update: first by pods that are not available, as far as it leaves the
 * wanted pods that may not be missing; then by available ones, as far as there are more than that.
 */
export function shrunkOldSets(deployment: Deployment, old: readonly ReplicaSet[], next: ReplicaSet | undefined): readonly Resized[] {
  const all = next === undefined ? old : [...old, next], leastAvailable = replicasOf(deployment) - unavailableMaxOf(deployment);
  const nextMissing = next === undefined ? 0 : replicasOf(next) - Number(next.status.availableReplicas ?? 0);
  let spare = wantedOf(all) - leastAvailable - nextMissing;
  if (spare <= 0) return [];
  const sizes = new Map(oldestFirst(old).map((set) => [set, replicasOf(set)]));
  for (const [set, size] of sizes) {
    const cleaned = Math.min(spare, Math.max(0, size - Number(set.status.availableReplicas ?? 0)));
    spare -= cleaned;
    sizes.set(set, size - cleaned);
  }
  let more = statusSum(all, "availableReplicas") - leastAvailable;
  for (const [set, size] of sizes) {
    const removed = Math.min(size, Math.max(0, more));
    more -= removed;
    sizes.set(set, size - removed);
  }
  return [...sizes].filter(([set, to]) => to !== replicasOf(set)).map(([set, to]) => ({ set, to }));
}

/** The largest size that a deployment had when a replica set was last scaled, from its annotation. */
const maxAnnotation = "deployment.kubernetes.io/max-replicas";

/**
 * Shares a changed number of pods among the replica sets of an update that has not ended, by their sizes. What is left over goes to the
 * largest of them.
 */
export function sharedSizes(deployment: Deployment, active: readonly ReplicaSet[]): readonly Resized[] {
  const wanted = replicasOf(deployment), allowed = wanted > 0 ? wanted + surgeOf(deployment) : 0;
  const total = allowed - wantedOf(active);
  if (total === 0) return [];
  // Sets of one size: growing prefers the newer, shrinking the older.
  const aged = total > 0 ? oldestFirst(active).toReversed() : oldestFirst(active);
  const sorted = aged.toSorted((a, b) => replicasOf(b) - replicasOf(a));
  let added = 0;
  const sizes = sorted.map((set) => {
    const before = Number(set.metadata.annotations?.[maxAnnotation] ?? 0) || wanted;
    const share = Math.round(replicasOf(set) * allowed / before) - replicasOf(set);
    const rest = total - added;
    const step = total > 0 ? Math.min(Math.max(share, 0), rest) : Math.max(Math.min(share, 0), rest);
    added += step;
    return { set, to: replicasOf(set) + step };
  });
  return sizes.map(({ set, to }, at) => ({ set, to: Math.max(0, at === 0 ? to + total - added : to) }));
}
