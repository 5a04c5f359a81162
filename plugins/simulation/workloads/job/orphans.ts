/** Pods whose job does not exist any more: no other controller removes the finalizer by which a job counts its pods. */
import { objectKey, StatusError } from "../../../../plugin.ts";
import type { Reconciler } from "../../world/reconciler.ts";
import { controllerOf } from "../../world/store.ts";
import type { Pod, World } from "../../world/world.ts";
import { releasePod, trackingFinalizer } from "./pods.ts";

const isTracked = ({ metadata }: Pod): boolean => metadata.finalizers?.includes(trackingFinalizer) === true;

/** Takes the finalizer from pods whose job does not exist, so that they can be deleted. */
export const jobOrphanReconciler: Reconciler = {
  name: "job-orphans",
  follow(world, add) {
    const look = (pod: Pod) => {
      if (isTracked(pod) && !hasKnownJob(world, pod)) add(objectKey(pod));
    };
    for (const pod of world.pods.all()) look(pod);
    world.pods.listen((next) => next === undefined ? undefined : look(next));
    world.jobs.listen((next, before) => {
      if (next === undefined) { for (const pod of world.pods.controlledBy(before?.metadata.uid ?? "")) look(pod); }
    });
  },
  async reconcile(world, key) {
    const pod = world.pods.at(key);
    if (pod === undefined || !isTracked(pod) || hasKnownJob(world, pod)) return;
    if (!await hasJob(world, pod)) await releasePod(world, pod);
  },
};

function ownerOf({ metadata }: Pod) {
  return metadata.ownerReferences?.find(({ controller, kind }) => controller && kind === "Job");
}

function hasKnownJob(world: World, pod: Pod): boolean {
  const owner = ownerOf(pod);
  return owner !== undefined && world.jobs.get(pod.metadata.namespace ?? "", owner.name)?.metadata.uid === controllerOf(pod);
}

/** Asks the server: the job may be newer than what the watch has delivered. */
async function hasJob({ context: { api } }: World, pod: Pod): Promise<boolean> {
  const owner = ownerOf(pod);
  if (owner === undefined) return false;
  try {
    return (await api.get("batch/v1", "jobs", pod.metadata.namespace ?? "", owner.name)).metadata.uid === owner.uid;
  } catch (error) {
    if (error instanceof StatusError && error.reason === "NotFound") return false;
    throw error;
  }
}
