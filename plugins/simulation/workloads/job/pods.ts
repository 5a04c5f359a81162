/** The pods of a job: their index, their end, and what they are made of. */
import type { Pod, World } from "../../world/world.ts";
import { podOfTemplate } from "../controlled-pods.ts";
import { isIndexed, type Job } from "./types.ts";

/** The finalizer of pods that are not counted yet. */
export const trackingFinalizer = "batch.kubernetes.io/job-tracking";
const indexName = "batch.kubernetes.io/job-completion-index";
const failuresAnnotation = "batch.kubernetes.io/job-index-failure-count";

/** The index of a pod; undefined without one. */
export function indexOf({ metadata }: Pod): number | undefined {
  const text = metadata.annotations?.[indexName];
  return text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : undefined;
}

/** How often pods of the index had failed before this one was created. */
export const failuresBefore = ({ metadata }: Pod): number => Number(metadata.annotations?.[failuresAnnotation] ?? 0) || 0;

/** When the pod ended, in milliseconds since 1970. */
export function endOf(pod: Pod): number {
  const ends = (pod.status.containerStatuses ?? []).map(({ state }) => Date.parse(state?.terminated?.finishedAt ?? ""));
  const known = ends.filter((end) => !Number.isNaN(end)), { deletionTimestamp, creationTimestamp } = pod.metadata;
  return known.length > 0 ? known.reduce((a, b) => Math.max(a, b)) : Date.parse(deletionTimestamp ?? creationTimestamp ?? "");
}

/** Creates a pod, for an index if the job has them. `failures`: how often pods of the index have failed. */
export async function createJobPod(world: World, job: Job, index: number | undefined, failures: number): Promise<void> {
  const { name = "", namespace = "" } = job.metadata, isLimited = (job.spec.backoffLimitPerIndex ?? undefined) !== undefined;
  const suffix = index === undefined ? "" : `${index}-`;
  const pod = podOfTemplate(job.spec.template, job, {
    generateName: `${name}-${suffix}`,
    ...(index === undefined ? {} : { labels: { [indexName]: `${index}` } }),
    annotations: {
      ...(index === undefined ? {} : { [indexName]: `${index}` }),
      ...(index !== undefined && isLimited ? { [failuresAnnotation]: `${failures}` } : {}),
    },
  });
  const finalizers = [...(pod.metadata.finalizers ?? []), trackingFinalizer];
  const made = {
    ...pod,
    metadata: { ...pod.metadata, finalizers },
    spec: index === undefined ? pod.spec : withIndex(pod.spec, name, index),
  };
  const { metadata } = await world.pods.create(namespace, made as Pod);
  const note = `Created pod: ${metadata.name}`;
  world.context.events.record(job, { type: "Normal", reason: "SuccessfulCreate", action: "CreatingPod", note });
}

/** The spec of a pod that learns its index from its environment and its host name. */
function withIndex(spec: Pod["spec"], name: string, index: number): Pod["spec"] {
  const variable = {
    name: "JOB_COMPLETION_INDEX",
    valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: `metadata.labels['${indexName}']` } },
  };
  const told = <C extends { readonly env?: readonly { readonly name: string }[] }>(container: C) =>
    (container.env ?? []).some((each) => each.name === variable.name)
      ? container
      : { ...container, env: [...container.env ?? [], variable] };
  return {
    ...spec,
    hostname: `${name}-${index}`,
    containers: spec.containers.map(told),
    ...(spec.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(told) }),
  } as Pod["spec"];
}

/** Lets a counted pod go. */
export async function releasePod(world: World, pod: Pod): Promise<void> {
  const finalizers = (pod.metadata.finalizers ?? []).filter((each) => each !== trackingFinalizer);
  await world.pods.patch(pod, { merge: { metadata: { uid: pod.metadata.uid, finalizers: finalizers.length === 0 ? null : finalizers } } });
}

/** Indexes from 0 that have neither ended nor an active pod, at most `count`. */
export function missingIndexes(job: Job, taken: ReadonlySet<number>, count: number): readonly number[] {
  const found: number[] = [], completions = job.spec.completions ?? 0;
  for (let index = 0; isIndexed(job) && index < completions && found.length < count; index++) if (!taken.has(index)) found.push(index);
  return found;
}
