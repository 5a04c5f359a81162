/** Builders of jobs for tests. */
import { defaulter } from "../../core/derive/apply-defaults.ts";
import { type FieldError, fieldErrorText } from "../../core/field-error.ts";
import type { HookContext } from "../../core/hook-context.ts";
import { defaultNames } from "../../core/names.ts";
import { noMetric } from "../../core/test-context.ts";
import { jobs } from "./job.ts";
import { Job } from "./job-schema.ts";

/** The gates that are off by default. */
const off = ["MutablePodResourcesForSuspendedJobs", "MutableSchedulingDirectivesForSuspendedJobs"];
export function contextWith(gates: (gate: string) => boolean = (gate) => !off.includes(gate)): HookContext {
  return {
    names: defaultNames,
    gates,
    now: "2024-01-02T03:04:05Z",
    subresource: "",
    requestVersion: "batch/v1",
    minCompatibility: "1.34",
    metric: noMetric,
    caller: { name: "alice", groups: [] },
  };
}

export const pod = { restartPolicy: "Never", containers: [{ name: "c", image: "a", resources: {} }] };

/** A job as it is stored. `any`: the spec is partial, and may be wrong. */
export function make(spec: object = {}, { name = "one", labels, status = {}, context = contextWith() }: any = {}): any {
  const metadata = { name, namespace: "demo", uid: "u", creationTimestamp: "2024-01-02T03:04:05Z", ...(labels && { labels }) };
  const sent: any = { kind: "Job", apiVersion: "batch/v1", metadata, spec: { template: { metadata: {}, spec: pod }, ...spec }, status };
  const complete = defaulter(Job)(sent, context.gates);
  return jobs.prepare!(complete, undefined, context);
}

export const texts = (errors: readonly FieldError[] | undefined) => errors?.map(fieldErrorText);
/** The errors of a create. */
export const errorsOf = (spec: object, more: object = {}) => texts(jobs.create!(make(spec, more), contextWith()));
