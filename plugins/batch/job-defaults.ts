/** Defaults of a Job. The template of a CronJob does not get them: the jobs that are made of it do. */

/** A job in any version, before its defaults. */
interface Undefaulted {
  readonly metadata?: { readonly labels?: Readonly<Record<string, string>> };
  readonly spec?: Spec;
}
interface Spec {
  readonly parallelism?: number | null;
  readonly completions?: number | null;
  readonly backoffLimit?: number | null;
  readonly backoffLimitPerIndex?: number | null;
  readonly completionMode?: string | null;
  readonly suspend?: boolean | null;
  readonly manualSelector?: boolean | null;
  readonly podReplacementPolicy?: string | null;
  readonly podFailurePolicy?: unknown;
  readonly template?: { readonly metadata?: { readonly labels?: Readonly<Record<string, string>> } };
}

const limit = 6, noLimit = 2 ** 31 - 1;

function isComplete(spec: Spec): boolean {
  const { parallelism, backoffLimit, completionMode, suspend, manualSelector } = spec;
  return [parallelism, backoffLimit, completionMode, suspend, manualSelector].every((each) => (each ?? null) !== null);
}

/** Applies the defaults, and takes the labels of the template for a job without labels. */
export function jobDefaults(job: Undefaulted): Undefaulted {
  const { spec = {} } = job;
  return withTemplateLabels(isComplete(spec) ? job : { ...job, spec: completed(spec) });
}

/** A job without labels gets those of its template. */
export function withTemplateLabels<T extends Undefaulted>(job: T): T {
  const labels = job.spec?.template?.metadata?.labels;
  if (labels === undefined || Object.keys(labels).length === 0) return job;
  if (Object.keys(job.metadata?.labels ?? {}).length > 0) return job;
  // The same record, so that labels that the server adds to the template are added to these, too (`withGeneratedLabels`).
  return { ...job, metadata: { ...job.metadata, labels } };
}

function completed(spec: Spec): Spec {
  const isAbsent = (value: unknown) => (value ?? null) === null;
  return {
    ...spec,
    ...(isAbsent(spec.completions) && isAbsent(spec.parallelism) ? { completions: 1 } : {}),
    parallelism: spec.parallelism ?? 1,
    backoffLimit: spec.backoffLimit ?? (isAbsent(spec.backoffLimitPerIndex) ? limit : noLimit),
    completionMode: spec.completionMode ?? "NonIndexed",
    suspend: spec.suspend ?? false,
    manualSelector: spec.manualSelector ?? false,
  };
}

/** Applies the default of the policy of replacement, which depends on the policy of failures. */
export function withReplacementPolicy(job: Undefaulted): Undefaulted {
  const { spec = {} } = job;
  if ((spec.podReplacementPolicy ?? null) !== null) return job;
  const podReplacementPolicy = (spec.podFailurePolicy ?? null) === null ? "TerminatingOrFailed" : "Failed";
  return { ...job, spec: { ...spec, podReplacementPolicy } };
}
