/** Rules for updates of a pod, with upstream's order and texts (pkg/apis/core/validation). */
import { type FieldError, forbidden, invalid, required } from "../../plugin.ts";
import { append, type Names, sameValue, spell } from "../../toolbox.ts";
import type { NodeAffinity, Toleration } from "../shared/pod/affinity.ts";
import type { Container } from "../shared/pod/container.ts";
import type { PodSpec } from "../shared/pod/pod-spec.ts";
import { rejectBlanks } from "../shared/pod/validate-containers.ts";
import { podAnnotations } from "../shared/pod/validate-pod-annotations.ts";
import { validateTolerations } from "../shared/pod/validate-scheduling.ts";
import type { NodeSelectorTerm } from "../shared/volumes/mod.ts";

type Annotations = Readonly<Record<string, string>>;

/** Checks that annotations for AppArmor and for mirror pods are neither added, changed nor removed. */
export function validateAnnotationsKept(next: Annotations = {}, prior: Annotations = {}, names: Names): readonly FieldError[] {
  const appArmor = spell(names, podAnnotations.appArmorOf), mirror = spell(names, podAnnotations.mirror);
  const wordsOf = (key: string) => key.startsWith(appArmor) ? "AppArmor annotations" : key === mirror ? "mirror pod annotation" : undefined;
  const refuse = (key: string, what: string) => {
    const words = wordsOf(key);
    return words === undefined ? [] : [forbidden(`metadata.annotations[${key}]`, `may not ${what} ${words}`)];
  };
  const changed = Object.keys(prior).filter((key) => !Object.hasOwn(next, key) || next[key] !== prior[key]);
  const added = Object.keys(next).filter((key) => !Object.hasOwn(prior, key));
  return [...changed.flatMap((key) => refuse(key, "remove or update")), ...added.flatMap((key) => refuse(key, "add"))];
}

const secondsMax = 2 ** 31 - 1;
const mutableFields = [
  "`spec.containers[*].image`",
  "`spec.initContainers[*].image`",
  "`spec.activeDeadlineSeconds`",
  "`spec.tolerations` (only additions to existing tolerations)",
  "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
];

/** Checks that only images, the deadline, new tolerations and the removal of scheduling gates change; while the pod is gated, node constraints too. */
export function validateSpecUpdate(next: PodSpec, prior: PodSpec): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const key of ["containers", "initContainers"] as const) {
    const containers = next[key] ?? [];
    if (containers.length !== (prior[key] ?? []).length) {
      return [...errors, forbidden(`spec.${key}`, "pod updates may not add or remove containers")];
    }
    const ofImages = containers.flatMap(({ image = "" }, i) => [
      ...(image === "" ? [required(`spec.${key}[${i}].image`, "")] : []),
      ...rejectBlanks(image, `spec.${key}[${i}].image`),
    ]);
    append(errors, ofImages);
  }
  const deadline = validateDeadline(next.activeDeadlineSeconds, prior.activeDeadlineSeconds);
  if (deadline.length > 0 && next.activeDeadlineSeconds !== undefined) return [...errors, ...deadline];
  append(errors, deadline);
  append(errors, validateTolerationsKept(next.tolerations ?? [], prior.tolerations ?? []));
  append(errors, validateGatesRemoved(next, prior));
  if (sameValue(next, prior)) return errors;
  const isGated = (prior.schedulingGates ?? []).length > 0;
  if (isGated) append(errors, validateNodeConstraints(next, prior));
  if (!sameValue(withoutMutable(next, prior, isGated), prior)) {
    errors.push(forbidden("spec", `pod updates may not change fields other than ${mutableFields.join(",")}`));
  }
  return errors;
}

/** Checks the deadline: it can be set, and then be lowered. */
function validateDeadline(next: number | bigint | undefined, prior: number | bigint | undefined): readonly FieldError[] {
  const path = "spec.activeDeadlineSeconds";
  if (next === undefined) return prior === undefined ? [] : [invalid(path, null, "must not update from a positive integer to nil value")];
  if (next < 0 || next > secondsMax) return [invalid(path, next, `must be between 0 and ${secondsMax}, inclusive`)];
  return prior !== undefined && prior < next ? [invalid(path, next, "must be less than or equal to previous value")] : [];
}

function validateTolerationsKept(next: readonly Toleration[], prior: readonly Toleration[]): readonly FieldError[] {
  const withoutSeconds = ({ tolerationSeconds: _seconds, ...rest }: Toleration) => rest;
  const isKept = (old: Toleration) => next.some((each) => sameValue(withoutSeconds(each), withoutSeconds(old)));
  return prior.every(isKept)
    ? validateTolerations(next, "spec.tolerations")
    : [forbidden("spec.tolerations", "existing toleration can not be modified except its tolerationSeconds")];
}

function validateGatesRemoved({ schedulingGates: next = [] }: PodSpec, { schedulingGates: prior = [] }: PodSpec): readonly FieldError[] {
  return next.flatMap(({ name }, i) =>
    prior.some((each) => each.name === name)
      ? []
      : [forbidden(`spec.schedulingGates[${i}].name`, `only deletion is allowed, but found new scheduling gate '${name}'`)]
  );
}

/** Checks that a gated pod gets further constraints on its node only. */
function validateNodeConstraints(next: PodSpec, prior: PodSpec): readonly FieldError[] {
  const selector = next.nodeSelector ?? {};
  const isKept = Object.entries(prior.nodeSelector ?? {}).every(([key, value]) => Object.hasOwn(selector, key) && selector[key] === value);
  return [
    ...(isKept ? [] : [
      invalid("spec.nodeSelector", selector, "only additions to spec.nodeSelector are allowed (no mutations or deletions)"),
    ]),
    ...validateNodeAffinityUpdate(next.affinity?.nodeAffinity, prior.affinity?.nodeAffinity),
  ];
}

function validateNodeAffinityUpdate(next: NodeAffinity | undefined, prior: NodeAffinity | undefined): readonly FieldError[] {
  const path = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
  const termsOf = (affinity: NodeAffinity | undefined) => affinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const terms = termsOf(next), old = termsOf(prior);
  if (old.length === 0) return [];
  if (terms.length !== old.length) {
    return [invalid(path, terms, "no additions/deletions to non-empty NodeSelectorTerms list are allowed")];
  }
  return terms.flatMap((term, i) =>
    onlyAdds(term, old[i]!) ? [] : [invalid(`${path}[${i}]`, term, "only additions are allowed (no mutations or deletions)")]
  );
}

/** Whether a term has all requirements of the old one, in their places. A term without any selects no node and stays so. */
function onlyAdds(next: NodeSelectorTerm, prior: NodeSelectorTerm): boolean {
  const keys = ["matchExpressions", "matchFields"] as const;
  const isEmpty = (term: NodeSelectorTerm) => keys.every((key) => (term[key] ?? []).length === 0);
  if (isEmpty(prior) && !isEmpty(next)) return false;
  return keys.every((key) => sameValue((next[key] ?? []).slice(0, (prior[key] ?? []).length), prior[key] ?? []));
}

/** The new spec with the stored values of the fields that may change. */
function withoutMutable(next: PodSpec, prior: PodSpec, isGated: boolean): PodSpec {
  const withImages = (containers: readonly Container[] | undefined, old: readonly Container[] | undefined) =>
    containers?.map((container, i) => ({ ...container, image: old?.[i]?.image }) as Container); // `as`: the type of an absent member
  const { terminationGracePeriodSeconds: seconds } = prior;
  const graceIsMended = seconds !== undefined && seconds < 0 && Number(next.terminationGracePeriodSeconds) === 1;
  const kept: Partial<PodSpec> = {
    containers: withImages(next.containers, prior.containers),
    initContainers: withImages(next.initContainers, prior.initContainers),
    activeDeadlineSeconds: prior.activeDeadlineSeconds,
    schedulingGates: prior.schedulingGates,
    tolerations: prior.tolerations,
    ...(graceIsMended ? { terminationGracePeriodSeconds: seconds } : {}),
    ...(isGated ? { nodeSelector: prior.nodeSelector, affinity: affinityWithout(next, prior) } : {}),
  } as Partial<PodSpec>; // `as`: absent members are left out below
  const merged = { ...next, ...kept };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== undefined)) as unknown as PodSpec; // the same members
}

function affinityWithout({ affinity: next }: PodSpec, { affinity: prior }: PodSpec): PodSpec["affinity"] {
  const { nodeAffinity: _next, ...rest } = next ?? {}, old = prior?.nodeAffinity;
  if (old !== undefined) return { ...rest, nodeAffinity: old };
  return prior === undefined && Object.keys(rest).length === 0 ? undefined : rest;
}
