/** Rules of templates and selectors of workloads, with upstream's texts. */
import { type FieldError, forbidden, type HookContext, invalid, type LabelSelector, notSupported, required } from "../../../plugin.ts";
import { dns1123Label, type Gates, sameValue, selectsLabels, validateLabelSelector } from "../../../toolbox.ts";
import type { PodSpec, PodTemplateSpec } from "../pod/pod-spec.ts";
import type { RequiredSelector } from "../selector-text.ts";
import { withoutStopSignals } from "../pod/stop-signals.ts";
import { optionsForUpdate } from "../pod/stored-options.ts";
import { optionsForCreate, type ValidationOptions } from "../pod/validation-options.ts";
import { warnOfPodTemplate } from "../pod/warnings.ts";

/** The template without fields whose gate is disabled, unless they are stored. */
export function preparedTemplate(next: PodTemplateSpec, prior: PodTemplateSpec | undefined, gates: Gates): PodTemplateSpec {
  const spec = withoutStopSignals(next.spec, prior?.spec, gates);
  return spec === next.spec ? next : { ...next, spec };
}

/** What the validation of a template accepts. `prior` is the stored one. */
export function templateOptions(prior: PodTemplateSpec | undefined, { names, gates }: HookContext): ValidationOptions {
  return prior === undefined ? optionsForCreate(gates) : optionsForUpdate(prior, names, gates);
}

/** Checks a selector that must select something. `kind` is the word in upstream's text. */
export function validateSelector(selector: RequiredSelector, path: string, kind: string): readonly FieldError[] {
  if ((selector ?? undefined) === undefined) return [required(path, "")];
  return [...validateLabelSelector(selector!, path), ...rejectEmptySelector(selector, path, kind)];
}

/** Checks that a selector is not empty. An absent one is not. */
export function rejectEmptySelector(selector: RequiredSelector, path: string, kind: string): readonly FieldError[] {
  return (selector ?? undefined) === undefined || !isEmpty(selector!)
    ? []
    : [invalid(path, shown(selector), `empty selector is invalid for ${kind}`)];
}

/** The error of a selector that selects nothing because it is invalid. */
export function invalidSelector(selector: RequiredSelector, path: string, detail: string): FieldError {
  return invalid(path, shown(selector), detail);
}

/** A selector as errors show it, with labels by key. */
function shown(selector: RequiredSelector): unknown {
  const { matchLabels, ...rest } = selector ?? {};
  if (matchLabels === undefined) return selector;
  return { matchLabels: Object.fromEntries(Object.keys(matchLabels).sort().map((key) => [key, matchLabels[key]])), ...rest };
}

function isEmpty({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean {
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}

/** Checks that the selector selects the pods of the template. An empty one selects all, an absent one none. */
export function validateSelected(selector: RequiredSelector, template: PodTemplateSpec, path: string): readonly FieldError[] {
  const { labels } = template.metadata;
  if ((selector ?? undefined) !== undefined && selectsLabels(selector!, labels ?? {})) return [];
  return [notSelected(labels, path)];
}

export function notSelected(labels: Readonly<Record<string, string>> | undefined, path: string): FieldError {
  const sorted = labels && Object.fromEntries(Object.keys(labels).sort().map((key) => [key, labels[key]]));
  return invalid(`${path}.metadata.labels`, sorted, "`selector` does not match template `labels`");
}

/** Checks that the pods of a template restart always and have no deadline. `kind` is the word in upstream's text. */
export function validateRestarts({ restartPolicy, activeDeadlineSeconds }: PodSpec, path: string, kind: string): readonly FieldError[] {
  return [
    ...(restartPolicy === "Always" ? [] : [notSupported(`${path}.restartPolicy`, restartPolicy ?? "", ["Always"])]),
    ...(activeDeadlineSeconds === undefined
      ? []
      : [forbidden(`${path}.activeDeadlineSeconds`, `activeDeadlineSeconds in ${kind} is not Supported`)]),
  ];
}

/** Checks that a selector does not change. Empty parts equal absent ones. */
export function validateSelectorKept(next: RequiredSelector, prior: RequiredSelector): readonly FieldError[] {
  return sameValue(compact(next), compact(prior)) ? [] : [invalid("spec.selector", shown(next), "field is immutable")];
}

function compact(selector: RequiredSelector): object | undefined {
  if ((selector ?? undefined) === undefined) return undefined;
  const { matchLabels = {}, matchExpressions = [] } = selector!;
  return { matchLabels, matchExpressions: matchExpressions.map((each) => ({ ...each, values: each.values ?? [] })) };
}

/** The warnings of a new workload, whose name begins the names of its pods. */
export function warnOfPodNames(name: string | undefined): readonly string[] {
  const wrong = dns1123Label(name ?? "");
  const text = "this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended";
  return wrong.length === 0 ? [] : [`metadata.name: ${text}: [${wrong.join(" ")}]`];
}

interface Workload {
  readonly metadata: { readonly generation?: unknown };
  readonly spec: { readonly template: PodTemplateSpec };
}

/** The warnings of a template at its creation, and whenever the generation has changed. */
export function warnOfTemplate(next: Workload, prior: Workload | undefined, { names }: HookContext): readonly string[] {
  const isSame = prior !== undefined && next.metadata.generation === prior.metadata.generation;
  return isSame ? [] : warnOfPodTemplate(next.spec.template, "spec.template", names);
}
