import { ageColumn, type Column, defineResource, type FieldError, type HookContext, nameColumn, type Resource } from "../../plugin.ts";
import {
  Age,
  age,
  type Gates,
  goQuote,
  hasInvalidLabelValue,
  metaRulesOf,
  spell,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../../toolbox.ts";
import { withoutStopSignals } from "../shared/pod/stop-signals.ts";
import { optionsForUpdate } from "../shared/pod/stored-options.ts";
import { optionsForCreate } from "../shared/pod/validation-options.ts";
import { selectorCell } from "../shared/selector-text.ts";
import { containerColumns, selectorColumn } from "../shared/workloads/columns.ts";
import { withTemplateLabels } from "./job-defaults.ts";
import { isTrue } from "./conditions.ts";
import { gates as gateNames } from "./gates.ts";
import { withGeneratedSelector, withoutDefaultLabels } from "./generated-selector.ts";
import { type JobOptions, validateJob, validateSelectedSpec } from "./job-rules.ts";
import { Job, type JobSpec } from "./job-schema.ts";
import { warnOfJobSpec, warnOfName } from "./job-warnings.ts";
import { validateJobStatus } from "./status-rules.ts";
import { validateSpecUpdate } from "./update-rules.ts";

const groupVersion = "batch/v1";

/** What the table shows as status: the first that applies. */
function statusOf({ metadata, status }: Job): string {
  if (isTrue(status, "Complete")) return "Complete";
  if (isTrue(status, "Failed")) return "Failed";
  if (metadata.deletionTimestamp !== undefined) return "Terminating";
  return ["Suspended", "FailureTarget", "SuccessCriteriaMet"].find((type) => isTrue(status, type)) ?? "Running";
}

function completionsOf({ spec: { completions, parallelism = 0 }, status: { succeeded = 0 } }: Job): string {
  if (completions !== undefined) return `${succeeded}/${completions}`;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function durationOf({ status: { startTime, completionTime } }: Job): string | Age {
  if (startTime == null) return "";
  return completionTime == null ? age(startTime) : new Age(Date.parse(startTime)).at(Date.parse(completionTime));
}

const columns: readonly Column<Job>[] = [
  nameColumn,
  { name: "Status", type: "string", description: "What the job does, or how it has ended.", cell: statusOf },
  { name: "Completions", type: "string", description: "How many pods have succeeded, and how many must.", cell: completionsOf },
  { name: "Duration", type: "string", description: "The time from the start to the end, or until now.", cell: durationOf },
  ageColumn,
  ...containerColumns<Job>(({ spec }) => spec.template.spec),
  selectorColumn<Job>(({ spec }) => selectorCell(spec.selector)),
];

/** Drops the stop signals of the pods if their gate is disabled. */
export function withoutDisabled(next: JobSpec, prior: JobSpec | undefined, gates: Gates): JobSpec {
  const spec = withoutStopSignals(next.template.spec, prior?.template.spec, gates);
  return spec === next.template.spec ? next : { ...next, template: { ...next.template, spec } };
}

type GatedField = "backoffLimitPerIndex" | "managedBy" | "maxFailedIndexes" | "podReplacementPolicy" | "successPolicy";
const gatedFields: readonly (readonly [field: GatedField, gate: string])[] = [
  ["backoffLimitPerIndex", gateNames.limitPerIndex],
  ["maxFailedIndexes", gateNames.limitPerIndex],
  ["managedBy", gateNames.managedBy],
  ["podReplacementPolicy", gateNames.replacementPolicy],
  ["successPolicy", gateNames.successPolicy],
];

/** Drops the fields of a job whose gates are disabled, unless they are stored. The templates of cron jobs keep them. */
function withoutGated(next: JobSpec, prior: JobSpec | undefined, gates: Gates): JobSpec {
  const dropped = gatedFields.filter(([field, gate]) => next[field] !== undefined && prior?.[field] === undefined && !gates(gate));
  const hasRules = prior === undefined && next.podFailurePolicy !== undefined && !gates(gateNames.limitPerIndex);
  if (dropped.length === 0 && !hasRules) return next;
  const spec: { -readonly [K in keyof JobSpec]: JobSpec[K] } = { ...next };
  for (const [field] of dropped) delete spec[field];
  // Without the gate, no index can fail.
  if (hasRules) spec.podFailurePolicy = { rules: next.podFailurePolicy.rules.filter(({ action }) => action !== "FailIndex") };
  return spec;
}

function prepare(next: Job, prior: Job | undefined, { names, gates }: HookContext): Job {
  const made = prior === undefined && next.spec.manualSelector !== true ? withGeneratedSelector(next, names) : next;
  const spec = withoutGated(withoutDisabled(made.spec, prior?.spec, gates), prior?.spec, gates);
  return spec === made.spec ? made : { ...made, spec };
}

/** An update accepts what the stored job already has. */
function optionsOf(prior: Job | undefined, { names, gates }: HookContext): JobOptions {
  if (prior === undefined) return { template: optionsForCreate(gates), prefixedLabels: true };
  const { selector, template } = prior.spec, stored = optionsForUpdate(template, names, gates);
  const prefix = spell(names, "batch.{platform}.io/"), labels = template.metadata.labels ?? {};
  return {
    template: { ...stored, podLabels: stored.podLabels || hasInvalidLabelValue(selector) },
    prefixedLabels: Object.hasOwn(labels, `${prefix}job-name`) && Object.hasOwn(labels, `${prefix}controller-uid`),
  };
}

/** As upstream, the rules of the spec run twice, so causes of errors are there twice. */
function validateUpdate(next: Job, prior: Job, context: HookContext): readonly FieldError[] {
  const { names, gates } = context, options = optionsOf(prior, context), rules = metaRulesOf(jobs, names);
  return [
    ...validateObjectMeta(next.metadata, rules),
    ...validateJob(next, options, names),
    ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", rules),
    ...validateSelectedSpec(next.spec, options.template, names),
    ...validateSpecUpdate(next.spec, prior, gates),
  ];
}

export const jobs: Resource<Job> = defineResource({
  kind: "Job",
  scope: "Namespaced",
  categories: ["all"],
  summary: "Pods that run until a number of them has succeeded.",
  storedAs: groupVersion,
  storedUnder: "jobs",
  served: {
    [groupVersion]: {
      schema: Job,
      introduced: "1.2",
      columns,
      selectableFields: { "status.successful": ({ status }) => String(status.succeeded ?? 0) },
      unselectableText: (field) => `field label ${goQuote(field)} not supported for Job`,
      subresources: {
        status: {
          // Upstream applies the defaults to the stored object, so labels that a status leaves out come back.
          write: (next, prior) => withTemplateLabels({ ...next, spec: prior.spec }),
          update: (next, prior, { names, gates }) => [
            ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", metaRulesOf(jobs, names)),
            ...validateJobStatus(next, prior, gates),
          ],
          leaves: ["spec"],
        },
      },
    },
  },
  strategy: { generation: true, coreFinalizers: true, ownMetaRules: true, orphansDependents: true },
  prepare,
  create: (next, context) => [
    ...validateObjectMeta(withoutDefaultLabels(next.metadata, context.names), metaRulesOf(jobs, context.names)),
    ...validateJob(next, optionsOf(undefined, context), context.names),
  ],
  update: validateUpdate,
  warn({ metadata, spec }, prior, { names }) {
    if (prior !== undefined && metadata.generation === prior.metadata.generation) return [];
    return [...(prior === undefined ? warnOfName(metadata.name) : []), ...warnOfJobSpec(spec, "spec", names)];
  },
});
