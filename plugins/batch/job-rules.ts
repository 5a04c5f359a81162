/** Rules of the spec of a job, with upstream's order and texts (pkg/apis/batch/validation). */
import { type FieldError, invalid, type LabelSelector, notSupported, required, tooLong } from "../../plugin.ts";
import { dns1123Label, type Names, selectsLabels, utf8Length, validateLabelSelector } from "../../toolbox.ts";
import { validateDomainPath } from "../../core/meta/domain-path.ts";
import { notNegative, validateEnum } from "../shared/pod/rules.ts";
import { validatePodTemplateSpec } from "../shared/pod/validate-pod.ts";
import type { ValidationOptions } from "../shared/pod/validation-options.ts";
import { completionsSoftMax, indexedParallelismMax, managedByBytesMax, parallelismWithManyCompletionsMax } from "./bounds.ts";
import { generatedLabels } from "./generated-selector.ts";
import type { Job, JobSpec } from "./job-schema.ts";
import { validateFailurePolicy, validateSuccessPolicy } from "./policy-rules.ts";

export interface JobOptions {
  readonly template: ValidationOptions;
  /** Whether the labels with a prefix must be there. Jobs of old releases have only those without one. */
  readonly prefixedLabels: boolean;
}

/** Checks a whole job but its metadata. */
export function validateJob(job: Job, options: JobOptions, names: Names): readonly FieldError[] {
  return [
    ...validateGenerated(job, options.prefixedLabels, names),
    ...validateSelectedSpec(job.spec, options.template, names),
    ...validateHostnames(job),
  ];
}

type Labels = Readonly<Record<string, string>>;

/** Whether a selector is valid and does not select these labels. An absent one selects nothing. */
function misses(selector: LabelSelector | undefined, labels: Labels): boolean {
  return selector === undefined || (validateLabelSelector(selector, "").length === 0 && !selectsLabels(selector, labels));
}

/** Checks that a selector and labels which the server generates are not contradicted. */
function validateGenerated({ metadata, spec }: Job, prefixed: boolean, names: Names): readonly FieldError[] {
  const { selector, template } = spec, labels = template.metadata.labels ?? {};
  if (spec.manualSelector === true || selector === undefined) return [];
  const expected = generatedLabels(metadata, names).filter(({ isPrefixed }) => prefixed || !isPrefixed);
  const wrong = expected.filter(({ key, value }) => !Object.hasOwn(labels, key) || labels[key] !== value);
  return [
    ...wrong.map(({ key, value }) => {
      const path = `spec.template.metadata.labels[${key}]`, text = `must be '${value}'`;
      return Object.hasOwn(labels, key) ? invalid(path, labels, text) : required(path, text);
    }),
    ...(misses(selector, Object.fromEntries(expected.map(({ key, value }) => [key, value])))
      ? [invalid("spec.selector", selector, "`selector` not auto-generated")]
      : []),
  ];
}

/** Checks the spec of a Job, which has a selector. */
export function validateSelectedSpec(spec: JobSpec, options: ValidationOptions, names: Names): readonly FieldError[] {
  const { selector, template: { metadata: { labels } } } = spec;
  return [
    ...validateJobSpec(spec, "spec", options, names),
    ...(selector === undefined
      ? [required("spec.selector", "")]
      : validateLabelSelector(selector, "spec.selector", { storedValues: options.podLabels })),
    ...(misses(selector, labels ?? {})
      ? [invalid("spec.template.metadata.labels", labels, "`selector` does not match template `labels`")]
      : []),
  ];
}

/** Checks that the host name of the last pod of an indexed job is a label. */
function validateHostnames({ metadata: { name = "" }, spec: { completionMode, completions = 0 } }: Job): readonly FieldError[] {
  const last = `${name}-${completions - 1}`;
  if (completionMode !== "Indexed" || completions <= 0 || dns1123Label(last).length === 0) return [];
  return [invalid("metadata.name", name, `will not able to create pod with invalid DNS label: ${last}`)];
}

/** Checks the spec of a Job or of the template of a CronJob. */
export function validateJobSpec(spec: JobSpec, path: string, options: ValidationOptions, names: Names): readonly FieldError[] {
  return [
    ...notNegative(spec.parallelism, `${path}.parallelism`),
    ...notNegative(spec.completions, `${path}.completions`),
    ...notNegative(spec.activeDeadlineSeconds, `${path}.activeDeadlineSeconds`),
    ...notNegative(spec.backoffLimit, `${path}.backoffLimit`),
    ...notNegative(spec.ttlSecondsAfterFinished, `${path}.ttlSecondsAfterFinished`),
    ...notNegative(spec.backoffLimitPerIndex, `${path}.backoffLimitPerIndex`),
    ...notNegative(spec.maxFailedIndexes, `${path}.maxFailedIndexes`),
    ...(spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined
      ? [required(`${path}.backoffLimitPerIndex`, "when maxFailedIndexes is specified")]
      : []),
    ...validateManagedBy(spec.managedBy, `${path}.managedBy`),
    ...validateEnum(spec.completionMode, ["NonIndexed", "Indexed"], `${path}.completionMode`),
    ...(spec.completionMode === "Indexed" ? validateIndexed(spec, path) : []),
    ...((spec.completionMode ?? "NonIndexed") === "NonIndexed" ? rejectIndexed(spec, path) : []),
    ...validateFailurePolicy(spec, `${path}.podFailurePolicy`),
    ...validateSuccessPolicy(spec, `${path}.successPolicy`),
    ...validateEnum(
      spec.podReplacementPolicy,
      spec.podFailurePolicy === undefined ? ["Failed", "TerminatingOrFailed"] : ["Failed"],
      `${path}.podReplacementPolicy`,
    ),
    ...validatePodTemplateSpec(spec.template, `${path}.template`, names, options),
    ...validateRestarts(spec, `${path}.template.spec.restartPolicy`),
  ];
}

function validateManagedBy(managedBy: string | undefined, path: string): readonly FieldError[] {
  if (managedBy === undefined) return [];
  return [...validateDomainPath(managedBy, path), ...(utf8Length(managedBy) > managedByBytesMax ? [tooLong(path, managedByBytesMax)] : [])];
}

function validateIndexed(spec: JobSpec, path: string): readonly FieldError[] {
  const { completions, parallelism = 0, maxFailedIndexes = 0 } = spec;
  const atMost = (field: string, value: number, max: number, when = "") =>
    value > max ? [invalid(`${path}.${field}`, value, `must be less than or equal to ${max}${when}`)] : [];
  const hasMany = completions !== undefined && completions > completionsSoftMax && spec.backoffLimitPerIndex !== undefined;
  const whenMany = ` when completions are above ${completionsSoftMax} and used with backoff limit per index`;
  return [
    ...(completions === undefined ? [required(`${path}.completions`, "when completion mode is Indexed")] : []),
    ...atMost("parallelism", parallelism, indexedParallelismMax, " when completion mode is Indexed"),
    ...(completions !== undefined && maxFailedIndexes > completions && spec.maxFailedIndexes !== undefined
      ? [invalid(`${path}.maxFailedIndexes`, maxFailedIndexes, "must be less than or equal to completions")]
      : []),
    ...atMost("maxFailedIndexes", maxFailedIndexes, indexedParallelismMax),
    ...(hasMany && spec.maxFailedIndexes === undefined
      ? [required(`${path}.maxFailedIndexes`, `must be specified when completions is above ${completionsSoftMax}`)]
      : []),
    ...(hasMany ? atMost("parallelism", parallelism, parallelismWithManyCompletionsMax, whenMany) : []),
    ...(hasMany ? atMost("maxFailedIndexes", maxFailedIndexes, parallelismWithManyCompletionsMax, whenMany) : []),
  ];
}

/** Rejects what only indexed jobs have. */
function rejectIndexed({ backoffLimitPerIndex, maxFailedIndexes }: JobSpec, path: string): readonly FieldError[] {
  const text = "requires indexed completion mode";
  return [
    ...(backoffLimitPerIndex === undefined ? [] : [invalid(`${path}.backoffLimitPerIndex`, backoffLimitPerIndex, text)]),
    ...(maxFailedIndexes === undefined ? [] : [invalid(`${path}.maxFailedIndexes`, maxFailedIndexes, text)]),
  ];
}

/** Checks that the pods do not always restart, which is the default of a pod. */
function validateRestarts({ template, podFailurePolicy }: JobSpec, path: string): readonly FieldError[] {
  const { restartPolicy = "" } = template.spec;
  if (restartPolicy === "" || restartPolicy === "Always") return [required(path, 'valid values: "OnFailure", "Never"')];
  if (restartPolicy !== "OnFailure" && restartPolicy !== "Never") return [notSupported(path, restartPolicy, ["OnFailure", "Never"])];
  if (podFailurePolicy === undefined || restartPolicy === "Never") return [];
  return [invalid(path, restartPolicy, 'only "Never" is supported when podFailurePolicy is specified')];
}
