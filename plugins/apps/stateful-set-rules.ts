/** The rules of stateful sets, with upstream's texts and order. */
import { type FieldError, forbidden, type HookContext, invalid, notSupported } from "../../plugin.ts";
import { sameValue, validateAnnotations, validateLabels, validateLabelSelector } from "../../toolbox.ts";
import { isNothing, validateAmount, validateAtMostAll } from "../shared/amounts.ts";
import type { PodTemplateSpec } from "../shared/pod/pod-spec.ts";
import { label, notNegative } from "../shared/pod/rules.ts";
import { validatePodAnnotations } from "../shared/pod/validate-pod-annotations.ts";
import { validatePodTemplateSpec } from "../shared/pod/validate-pod.ts";
import { validateClaimSpec } from "../shared/volumes/mod.ts";
import {
  invalidSelector,
  templateOptions,
  validateRestarts,
  validateSelected,
  validateSelector,
} from "../shared/workloads/template-rules.ts";
import type { StatefulSetSpec, StatefulSetUpdateStrategy } from "./stateful-set-schema.ts";

/** What an update does not check again. */
interface Skipped {
  /** Claims and the name of the service, which cannot change. */
  readonly fixed?: boolean;
  /** The template, because the stored spec is invalid. */
  readonly template?: boolean;
}

export function validateStatefulSetSpec(
  spec: StatefulSetSpec,
  prior: PodTemplateSpec | undefined,
  context: HookContext,
  skipped: Skipped = {},
): readonly FieldError[] {
  const { podManagementPolicy = "", persistentVolumeClaimRetentionPolicy: retention, serviceName = "" } = spec;
  return [
    ...(["OrderedReady", "Parallel"].includes(podManagementPolicy)
      ? []
      : [invalid("spec.podManagementPolicy", podManagementPolicy, "must be 'OrderedReady' or 'Parallel'")]),
    ...validateStrategy(spec.updateStrategy),
    ...validateRetention(retention?.whenDeleted, "whenDeleted"),
    ...validateRetention(retention?.whenScaled, "whenScaled"),
    ...(skipped.fixed ? [] : validateClaims(spec, context)),
    ...notNegative(spec.replicas, "spec.replicas"),
    ...notNegative(spec.minReadySeconds, "spec.minReadySeconds"),
    ...notNegative(spec.ordinals?.start, "spec.ordinals.start"),
    ...(skipped.fixed || serviceName === "" ? [] : label(serviceName, "spec.serviceName")),
    ...validateSelector(spec.selector, "spec.selector", "statefulset"),
    ...validateTemplate(spec, prior, context, skipped),
    ...validateRestarts(spec.template.spec, "spec.template.spec", "StatefulSet"),
  ];
}

function validateRetention(policy: string | undefined, name: string): readonly FieldError[] {
  if (policy === undefined || ["Retain", "Delete"].includes(policy)) return [];
  return [notSupported(`spec.persistentVolumeClaimRetentionPolicy.${name}`, policy, ["Retain", "Delete"])];
}

function validateStrategy({ type, rollingUpdate }: StatefulSetUpdateStrategy): readonly FieldError[] {
  const at = "spec.updateStrategy", { partition = 0, maxUnavailable } = rollingUpdate ?? {};
  // The values have the names of upstream's internal types.
  const internal = rollingUpdate === undefined ? null : { Partition: partition, MaxUnavailable: maxUnavailable ?? null };
  if (type === "OnDelete") {
    return rollingUpdate === undefined ? [] : [invalid(`${at}.rollingUpdate`, internal, "only allowed for updateStrategy 'RollingUpdate'")];
  }
  if (type !== "RollingUpdate") {
    return [invalid(at, { Type: type ?? "", RollingUpdate: internal }, "must be 'RollingUpdate' or 'OnDelete'")];
  }
  const path = `${at}.rollingUpdate.maxUnavailable`;
  return [
    ...notNegative(partition, `${at}.rollingUpdate.partition`),
    ...validateAmount(maxUnavailable, path),
    ...(maxUnavailable !== undefined && isNothing(maxUnavailable) ? [invalid(path, maxUnavailable, "cannot be 0")] : []),
    ...validateAtMostAll(maxUnavailable, path),
  ];
}

function validateClaims({ volumeClaimTemplates = [] }: StatefulSetSpec, { gates }: HookContext): readonly FieldError[] {
  const rules = { attributesClass: gates("VolumeAttributesClass") };
  return volumeClaimTemplates.flatMap(({ spec }, i) => validateClaimSpec(spec, `spec.volumeClaimTemplates[${i}].spec`, rules));
}

/** Checks the template as the pods get it. As upstream, wrong labels and annotations are reported twice. */
function validateTemplate(
  spec: StatefulSetSpec,
  prior: PodTemplateSpec | undefined,
  context: HookContext,
  skipped: Skipped,
): readonly FieldError[] {
  const selector = spec.selector ?? undefined, path = "spec.template";
  if (validateLabelSelector(selector, "").length > 0) return [invalidSelector(selector, "spec.selector", "")];
  const template = templateOfPods(spec), { labels, annotations } = template.metadata;
  const { names } = context, options = templateOptions(prior, context);
  const isAny = selector !== undefined && Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions ?? []).length === 0;
  return [
    ...(isAny ? [] : validateSelected(selector, template, path)),
    ...(skipped.template ? [] : validatePodTemplateSpec(template, path, names, options)),
    ...validateLabels(labels, `${path}.labels`),
    ...validateAnnotations(annotations, `${path}.annotations`),
    ...validatePodAnnotations(template, names, options, `${path}.annotations`),
  ];
}

/** The template with a volume for each claim, and without the names that a controller sets. */
function templateOfPods({ template, volumeClaimTemplates = [] }: StatefulSetSpec): PodTemplateSpec {
  const { hostname: _hostname, subdomain: _subdomain, volumes = [], ...rest } = template.spec;
  const claims = new Map(
    volumeClaimTemplates.map(({ metadata: { name = "" } }) => [name, { name, persistentVolumeClaim: { claimName: name } }]),
  );
  const all = [...claims.values(), ...volumes.filter(({ name }) => !claims.has(name))];
  return { ...template, spec: all.length === 0 ? rest : { ...rest, volumes: all } };
}

export function validateStatefulSetUpdate(next: StatefulSetSpec, prior: StatefulSetSpec, context: HookContext): readonly FieldError[] {
  const isValid = validateStatefulSetSpec(prior, prior.template, context, { fixed: true }).length === 0;
  return [
    ...validateStatefulSetSpec(next, prior.template, context, { fixed: true, template: !isValid }),
    ...(sameValue(fixedPart(next), fixedPart(prior)) ? [] : [forbidden("spec", fixedText)]),
  ];
}

const fixedText = "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', " +
  "'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

/** The part of a spec that cannot change. */
function fixedPart({ selector, volumeClaimTemplates = [], serviceName = "", podManagementPolicy }: StatefulSetSpec): object {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  return { matchLabels, matchExpressions, volumeClaimTemplates, serviceName, podManagementPolicy };
}
