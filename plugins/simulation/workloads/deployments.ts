/** Deployments: replica sets by revision, and how one replaces another. */
import { objectKey } from "../../../plugin.ts";
import { selectsLabels } from "../../../toolbox.ts";
import type { Reconciler } from "../world/reconciler.ts";
import { sameStatus } from "../world/same-status.ts";
import type { World } from "../world/world.ts";
import { controllerReference } from "./controlled-pods.ts";
import {
  createdSet,
  isOfOtherSize,
  presentSet,
  removeHistory,
  revisionOf,
  scaleSet,
  updatedSet,
  withRevision,
} from "./deployment/revisions.ts";
import { newSizeOf, oldestFirst, replicasOf, sharedSizes, shrunkOldSets } from "./deployment/sizes.ts";
import { isComplete, msUntilDeadline, statusOf } from "./deployment/status.ts";
import type { Deployment, ReplicaSet } from "./deployment/types.ts";
import { followAll, followOwned } from "./owner-keys.ts";
import { hasEnded } from "./pod-state.ts";

/** Keeps the replica sets of Deployments. */
export const deploymentReconciler: Reconciler = {
  name: "deployment",
  follow(world, add) {
    followAll(world.deployments, add);
    followOwned(world.replicaSets, "Deployment", add, function* ({ metadata: { namespace = "", labels = {} } }) {
      for (const each of world.deployments.in(namespace)) if (selectsLabels(each.spec.selector ?? {}, labels)) yield objectKey(each);
    });
    // Recreate waits until the last old pod has gone.
    world.pods.listen((next, before) => {
      if (next !== undefined && !hasEnded(next.status)) return;
      const owner = before?.metadata.ownerReferences?.find(({ controller, kind }) => controller && kind === "ReplicaSet");
      const set = owner && world.replicaSets.get(before?.metadata.namespace ?? "", owner.name);
      const deployment = set?.metadata.ownerReferences?.find(({ controller, kind }) => controller && kind === "Deployment");
      if (deployment !== undefined) add(objectKey({ metadata: { namespace: set?.metadata.namespace ?? "", name: deployment.name } }));
    });
  },
  async reconcile(world, key) {
    const deployment = world.deployments.at(key);
    if (deployment === undefined) return;
    const sets = await controlledSets(world, deployment);
    const isKept = deployment.metadata.deletionTimestamp === undefined;
    const acted = isKept ? await act(world, deployment, sets) : deployment;
    return acted === undefined ? undefined : await writeStatus(world, acted);
  },
};

/** The replica sets that the deployment controls, with those that it adopts. */
async function controlledSets(world: World, deployment: Deployment): Promise<readonly ReplicaSet[]> {
  const { uid = "", namespace = "", deletionTimestamp } = deployment.metadata, found = [...world.replicaSets.controlledBy(uid)];
  if (deletionTimestamp !== undefined) return found;
  for (const set of [...world.replicaSets.uncontrolled(namespace)]) {
    if (set.metadata.deletionTimestamp !== undefined || !selectsLabels(deployment.spec.selector ?? {}, set.metadata.labels ?? {})) continue;
    found.push(
      await world.replicaSets.patch(set, {
        strategic: { metadata: { uid: set.metadata.uid, ownerReferences: [controllerReference(deployment)] } },
      }),
    );
  }
  return found;
}

/** Does the next step. Returns the deployment with its revision; undefined if it is to be looked at again first. */
async function act(world: World, deployment: Deployment, sets: readonly ReplicaSet[]): Promise<Deployment | undefined> {
  const found = presentSet(deployment, sets), old = sets.filter((set) => set !== found);
  const present = found === undefined ? undefined : await updatedSet(world, deployment, found, old);
  const revised = present === undefined ? deployment : await withRevision(world, deployment, revisionOf(present));
  const all = present === undefined ? old : [...old, present];
  const isScaled = all.some((set) => replicasOf(set) > 0 && isOfOtherSize(revised, set));
  if (revised.spec.paused || isScaled) {
    await scale(world, revised, present, old);
    return revised;
  }
  return revised.spec.strategy.type === "Recreate"
    ? await recreate(world, revised, present, old)
    : await roll(world, revised, present, old);
}

/** The deployment has another size, and the template is as it was: every replica set in use gets its share. */
async function scale(world: World, deployment: Deployment, present: ReplicaSet | undefined, old: readonly ReplicaSet[]): Promise<void> {
  const all = present === undefined ? old : [...old, present], active = all.filter((set) => replicasOf(set) > 0);
  const only = active.length > 1 ? undefined : active[0] ?? present ?? oldestFirst(old).at(-1);
  const wanted = replicasOf(deployment);
  if (only !== undefined) {
    await scaleSet(world, deployment, only, wanted);
    return;
  }
  if (present !== undefined && replicasOf(present) === wanted && (present.status.availableReplicas ?? 0) === wanted) {
    for (const set of active) if (set !== present) await scaleSet(world, deployment, set, 0);
    return;
  }
  if (deployment.spec.strategy.type !== "RollingUpdate") return;
  const sizes = new Map(active.map((set) => [set, replicasOf(set)]));
  for (const { set, to } of sharedSizes(deployment, active)) sizes.set(set, to);
  for (const [set, to] of sizes) await scaleSet(world, deployment, set, to);
}

async function begun(world: World, deployment: Deployment, old: readonly ReplicaSet[]): Promise<Deployment | undefined> {
  const made = await createdSet(world, deployment, old);
  return made === undefined ? undefined : await withRevision(world, deployment, revisionOf(made));
}

/** A rolling update: the new replica set grows, and old ones shrink. */
async function roll(
  world: World,
  deployment: Deployment,
  present: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
): Promise<Deployment | undefined> {
  if (present === undefined) return await begun(world, deployment, old);
  const grown = await scaleSet(world, deployment, present, newSizeOf(deployment, [...old, present], replicasOf(present)));
  // A step at a time: what shrinks is decided when the replica set has seen its new size.
  if (grown === present) { for (const { set, to } of shrunkOldSets(deployment, old, present)) await scaleSet(world, deployment, set, to); }
  await tidy(world, deployment, old);
  return deployment;
}

/** All old pods go before the first new one comes. */
async function recreate(
  world: World,
  deployment: Deployment,
  present: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
): Promise<Deployment | undefined> {
  const active = old.filter((set) => replicasOf(set) > 0);
  for (const set of active) await scaleSet(world, deployment, set, 0);
  const isRunning = old.some((set) => [...world.pods.controlledBy(set.metadata.uid ?? "")].some(({ status }) => !hasEnded(status)));
  if (active.length > 0 || isRunning) return deployment;
  if (present === undefined) return await begun(world, deployment, old);
  await scaleSet(world, deployment, present, replicasOf(deployment));
  await tidy(world, deployment, old);
  return deployment;
}

async function tidy(world: World, deployment: Deployment, old: readonly ReplicaSet[]): Promise<void> {
  if (isComplete(deployment, deployment.status)) await removeHistory(world, deployment, old);
}

async function writeStatus(world: World, deployment: Deployment): Promise<number | undefined> {
  const all = [...world.replicaSets.controlledBy(deployment.metadata.uid ?? "")];
  const status = statusOf(world, deployment, all, presentSet(deployment, all));
  if (!sameStatus(status, deployment.status)) await world.deployments.updateStatus({ ...deployment, status });
  return msUntilDeadline(deployment, status, world.clock.now());
}
