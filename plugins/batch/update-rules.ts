/** Rules for updates of a job, with upstream's order and texts. */
import { type FieldError, invalid } from "../../plugin.ts";
import { type Gates, sameValue } from "../../toolbox.ts";
import type { Container } from "../shared/pod/container.ts";
import { type PodSpec, type PodTemplateSpec, templateWithoutEmpty } from "../shared/pod/pod-spec.ts";
import { isTrue } from "./conditions.ts";
import { gates as gateNames } from "./gates.ts";
import type { Job, JobSpec } from "./job-schema.ts";

function validateKept(next: unknown, prior: unknown, path: string): readonly FieldError[] {
  return sameValue(next, prior) ? [] : [invalid(path, next, "field is immutable")];
}

/** Checks what an update changes. `prior` is the stored job. */
export function validateSpecUpdate(next: JobSpec, prior: Job, gates: Gates): readonly FieldError[] {
  return [
    ...validateCompletions(next, prior.spec),
    ...validateKept(next.selector, prior.spec.selector, "spec.selector"),
    ...validateTemplateUpdate(templateWithoutEmpty(next.template), prior, gates),
    ...(["completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy"] as const).flatMap((key) =>
      validateKept(next[key], prior.spec[key], `spec.${key}`)
    ),
  ];
}

/** The completions of an indexed job change together with its parallelism. */
function validateCompletions({ completionMode, completions, parallelism }: JobSpec, prior: JobSpec): readonly FieldError[] {
  if (completionMode !== "Indexed") return validateKept(completions, prior.completions, "spec.completions");
  if (completions === prior.completions || completions === undefined || completions === parallelism) return [];
  return [invalid("spec.completions", completions, "can only be modified in tandem with spec.parallelism")];
}

/**
 * The template of a suspended job may change where its pods run, as long as it has not started. With the gates it may also change later,
 * and the resources of the containers with it, once the job has no active pods.
 */
function validateTemplateUpdate(next: PodTemplateSpec, { spec, status }: Job, gates: Gates): readonly FieldError[] {
  const isSuspended = spec.suspend === true, hasNotStarted = status.startTime === undefined;
  const isIdle = isSuspended && (hasNotStarted || isTrue(status, "Suspended")) && (status.active ?? 0) === 0;
  const canBeScheduled = gates(gateNames.mutableScheduling) ? isIdle : isSuspended && hasNotStarted;
  const prior = canBeScheduled ? withSchedulingOf(next, spec.template) : spec.template;
  if (!isSuspended || !gates(gateNames.mutableResources) || !isIdle) return validateKept(next, prior, "spec.template");
  return validateKept(next.spec, withResourcesOf(next.spec, prior.spec), "spec.template.spec");
}

/** The stored template with the labels, annotations and constraints of nodes of the next one. */
function withSchedulingOf(next: PodTemplateSpec, prior: PodTemplateSpec): PodTemplateSpec {
  const { labels, annotations } = next.metadata, { nodeSelector, tolerations, schedulingGates } = next.spec;
  return replaced(prior, {
    metadata: replaced(prior.metadata, { labels, annotations }),
    spec: replaced(prior.spec, { nodeSelector, tolerations, schedulingGates, affinity: affinityOf(next.spec, prior.spec) }),
  });
}

/** The stored affinity with the affinity to nodes of the next one. */
function affinityOf({ affinity: next }: PodSpec, { affinity: prior }: PodSpec): PodSpec["affinity"] {
  if (next === undefined && prior === undefined) return undefined;
  const affinity = replaced(prior ?? {}, { nodeAffinity: next?.nodeAffinity });
  return next === undefined && Object.keys(affinity).length === 0 ? undefined : affinity;
}

/** The stored spec with the resources of the next one, for containers with the same name at the same place. */
function withResourcesOf(next: PodSpec, prior: PodSpec): PodSpec {
  const merged = (key: "containers" | "initContainers"): readonly Container[] | undefined => {
    const after = next[key] ?? [], before = prior[key] ?? [];
    if (after.length !== before.length) return prior[key];
    return prior[key]?.map((each, i) => each.name === after[i]!.name ? replaced(each, { resources: after[i]!.resources }) : each);
  };
  return replaced(prior, { containers: merged("containers"), initContainers: merged("initContainers") });
}

/** A copy with other members. Those that are undefined are removed. */
function replaced<T extends object>(object: T, members: { readonly [K in keyof T]?: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries({ ...object, ...members }).filter(([, value]) => value !== undefined)) as T;
}
