/** Keeps a number of equal pods, for ReplicaSets and ReplicationControllers. */
import { reasonOf } from "../../../toolbox.ts";
import type { ApiObject } from "../../../plugin.ts";
import type { Pod, PodTemplate, World } from "../world/world.ts";
import { isNamespaceEnding } from "../world/reconciler.ts";
import { controlledPods, podOfTemplate, type Selector } from "./controlled-pods.ts";
import { countPods, type Counts } from "./counts.ts";
import { inParallel } from "./in-parallel.ts";
import { isActive } from "./pod-state.ts";
import { victims } from "./victims.ts";

/** What is replicated. */
export interface Replicated {
  readonly owner: ApiObject;
  /** The wanted number of pods. */
  readonly replicas: number;
  readonly selector: Selector;
  readonly template: PodTemplate;
  readonly minReadySeconds: number;
}

/** What became of it. */
export interface Replication extends Counts {
  /** Pods that have all labels of the template. */
  readonly fullyLabeled: number;
  /** Why a pod could not be created or deleted; undefined if all could. */
  readonly failure: { readonly reason: "FailedCreate" | "FailedDelete"; readonly message: string } | undefined;
}

/** Creates the pods that are missing, or deletes those that are too many, and counts what is there then. */
export async function replicate(world: World, replicated: Replicated): Promise<Replication> {
  const { owner, replicas, selector, template, minReadySeconds } = replicated, { uid = "" } = owner.metadata;
  const active = (await controlledPods(world, owner, selector)).filter(isActive);
  const failure = owner.metadata.deletionTimestamp === undefined ? await resize(world, owner, template, active, replicas) : undefined;
  const labels = Object.entries(template.metadata?.labels ?? {});
  const now = [...world.pods.controlledBy(uid)];
  return {
    ...countPods(now, minReadySeconds, world.clock.now()),
    fullyLabeled: now.filter((pod) => isActive(pod) && labels.every(([key, value]) => pod.metadata.labels?.[key] === value)).length,
    failure,
  };
}

async function resize(
  world: World,
  owner: ApiObject,
  template: PodTemplate,
  active: readonly Pod[],
  replicas: number,
): Promise<Replication["failure"]> {
  const missing = replicas - active.length;
  try {
    await inParallel(Array.from({ length: Math.max(0, missing) }), () => addPod(world, owner, template));
  } catch (error) {
    if (isNamespaceEnding(error)) return undefined;
    return { reason: "FailedCreate", message: reasonOf(error) };
  }
  try {
    await inParallel(victims(active, active, Math.max(0, -missing)), (pod) => removePod(world, owner, pod));
  } catch (error) {
    return { reason: "FailedDelete", message: reasonOf(error) };
  }
  return undefined;
}

async function addPod(world: World, owner: ApiObject, template: PodTemplate): Promise<void> {
  const { name = "", namespace = "" } = owner.metadata, { events } = world.context;
  try {
    const pod = await world.pods.create(namespace, podOfTemplate(template, owner, { generateName: `${name}-` }));
    const note = `Created pod: ${pod.metadata.name}`;
    events.record(owner, { type: "Normal", reason: "SuccessfulCreate", action: "CreatingPod", note });
  } catch (error) {
    if (!isNamespaceEnding(error)) {
      events.record(owner, { type: "Warning", reason: "FailedCreate", action: "CreatingPod", note: `Error creating: ${reasonOf(error)}` });
    }
    throw error;
  }
}

async function removePod(world: World, owner: ApiObject, pod: Pod): Promise<void> {
  await world.pods.delete(pod);
  const note = `Deleted pod: ${pod.metadata.name}`;
  world.context.events.record(owner, { type: "Normal", reason: "SuccessfulDelete", action: "DeletingPod", note });
}
