/** Rules of where a pod may be placed, in upstream's order and words. */
import { duplicate, type FieldError, invalid, notSupported, required } from "../../../core/field-error.ts";
import { validateLabelSelector } from "../../../core/meta/label-selector.ts";
import { dns1123Label, labelValue } from "../../../core/meta/names.ts";
import type { NodeSelectorTerm } from "../../../core/volumes/mod.ts";
import { validateNodeSelector } from "../../../core/volumes/validate-node-selector.ts";
import type { Affinity, PodAffinity, PodAffinityTerm, Toleration, TopologySpreadConstraint } from "./affinity.ts";
import { named, oneOfWords, qualified } from "./rules.ts";

const required_ = "requiredDuringSchedulingIgnoredDuringExecution", preferred_ = "preferredDuringSchedulingIgnoredDuringExecution";

export function validateAffinity({ nodeAffinity, podAffinity, podAntiAffinity }: Affinity, path: string): readonly FieldError[] {
  const needed = nodeAffinity?.[required_];
  return [
    ...(needed === undefined ? [] : validateNodeSelector(needed, `${path}.nodeAffinity.${required_}`)),
    ...(nodeAffinity?.[preferred_] ?? []).flatMap(({ weight, preference }, i) => {
      const at = `${path}.nodeAffinity.${preferred_}[${i}]`;
      return [...validateWeight(weight, at), ...validateTerm(preference, `${at}.preference`)];
    }),
    ...(podAffinity === undefined ? [] : validatePodAffinity(podAffinity, `${path}.podAffinity`)),
    ...(podAntiAffinity === undefined ? [] : validatePodAffinity(podAntiAffinity, `${path}.podAntiAffinity`)),
  ];
}

function validateWeight(weight: number, path: string): readonly FieldError[] {
  return weight >= 1 && weight <= 100 ? [] : [invalid(`${path}.weight`, weight, "must be in the range 1-100")];
}
/** One term has the rules that it has in a selector, and is told without one. */
function validateTerm(term: NodeSelectorTerm, path: string): readonly FieldError[] {
  const inSelector = `${path}.nodeSelectorTerms[0]`;
  return validateNodeSelector({ nodeSelectorTerms: [term] }, path).map((error) =>
    error.path.startsWith(inSelector) ? { ...error, path: `${path}${error.path.slice(inSelector.length)}` } : error
  );
}

function validatePodAffinity(affinity: PodAffinity, path: string): readonly FieldError[] {
  return [
    ...(affinity[required_] ?? []).flatMap((term, i) => validatePodTerm(term, `${path}.${required_}[${i}]`)),
    ...(affinity[preferred_] ?? []).flatMap(({ weight, podAffinityTerm }, i) => {
      const at = `${path}.${preferred_}[${i}]`;
      return [...validateWeight(weight, at), ...validatePodTerm(podAffinityTerm, `${at}.podAffinityTerm`)];
    }),
  ];
}

function validatePodTerm(term: PodAffinityTerm, path: string): readonly FieldError[] {
  const { topologyKey, namespaces = [], matchLabelKeys = [], mismatchLabelKeys = [] } = term;
  return [
    ...validateLabelSelector(term.labelSelector, `${path}.labelSelector`),
    ...validateLabelSelector(term.namespaceSelector, `${path}.namespaceSelector`),
    ...namespaces.flatMap((namespace) => named(dns1123Label, namespace, `${path}.namespace`)),
    ...validateLabelKeys(matchLabelKeys, term, `${path}.matchLabelKeys`),
    ...validateLabelKeys(mismatchLabelKeys, term, `${path}.mismatchLabelKeys`),
    ...matchLabelKeys.flatMap((key, i) =>
      mismatchLabelKeys.includes(key)
        ? [invalid(`${path}.matchLabelKeys[${i}]`, key, "exists in both matchLabelKeys and mismatchLabelKeys")]
        : []
    ),
    ...(topologyKey === "" ? [required(`${path}.topologyKey`, "can not be empty")] : []),
    ...qualified(topologyKey, `${path}.topologyKey`),
  ];
}
function validateLabelKeys(
  keys: readonly string[],
  { labelSelector }: Pick<PodAffinityTerm, "labelSelector">,
  path: string,
): readonly FieldError[] {
  if (keys.length > 0 && labelSelector === undefined) {
    return [{ type: "Forbidden", path, detail: "must not be specified when labelSelector is not set" }];
  }
  return keys.flatMap((key, i) => qualified(key, `${path}[${i}]`));
}

const operators = ["Equal", "Exists"], effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

export function validateTolerations(tolerations: readonly Toleration[], path: string): readonly FieldError[] {
  return tolerations.flatMap((toleration, i) => validateToleration(toleration, `${path}[${i}]`));
}
function validateToleration(toleration: Toleration, path: string): readonly FieldError[] {
  const { key = "", value = "", tolerationSeconds } = toleration;
  const operator: string = toleration.operator ?? "", effect: string = toleration.effect ?? "";
  const errors: FieldError[] = key === "" ? [] : [...qualified(key, `${path}.key`)];
  if (key === "" && operator !== "Exists") {
    errors.push(
      invalid(`${path}.operator`, operator, 'operator must be Exists when `key` is empty, which means "match all values and all keys"'),
    );
  }
  if (tolerationSeconds !== undefined && effect !== "NoExecute") {
    errors.push(invalid(`${path}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"));
  }
  if (operator === "Exists") {
    if (value !== "") errors.push(invalid(`${path}.operator`, value, "value must be empty when `operator` is 'Exists'"));
  } else if (operator === "Equal" || operator === "") {
    const wrong = labelValue(value);
    if (wrong.length > 0) errors.push(invalid(`${path}.operator`, value, wrong.join(";")));
  } else errors.push(notSupported(`${path}.operator`, operator, operators));
  return effect === "" ? errors : [...errors, ...oneOfWords(effect, effects, `${path}.effect`)];
}

export function validateSpread(constraints: readonly TopologySpreadConstraint[], path: string): readonly FieldError[] {
  return constraints.flatMap((constraint, i) => {
    const at = `${path}[${i}]`, { maxSkew, topologyKey, minDomains, labelSelector, matchLabelKeys = [] } = constraint;
    const same = (other: TopologySpreadConstraint) =>
      other.topologyKey === topologyKey && other.whenUnsatisfiable === constraint.whenUnsatisfiable;
    const again = constraints.slice(0, i).some(same);
    return [
      ...(maxSkew > 0 ? [] : [invalid(`${at}.maxSkew`, maxSkew, "must be greater than zero")]),
      ...(topologyKey === "" ? [required(`${at}.topologyKey`, "can not be empty")] : qualified(topologyKey, `${at}.topologyKey`)),
      ...oneOfWords(constraint.whenUnsatisfiable, ["DoNotSchedule", "ScheduleAnyway"], `${at}.whenUnsatisfiable`),
      ...(again ? [duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, `{${topologyKey}, ${constraint.whenUnsatisfiable}}`)] : []),
      ...validateMinDomains(minDomains, constraint.whenUnsatisfiable, `${at}.minDomains`),
      ...oneOfWords(constraint.nodeAffinityPolicy, ["Honor", "Ignore"], `${at}.nodeAffinityPolicy`),
      ...oneOfWords(constraint.nodeTaintsPolicy, ["Honor", "Ignore"], `${at}.nodeTaintsPolicy`),
      ...validateLabelKeys(matchLabelKeys, constraint, `${at}.matchLabelKeys`),
      ...validateLabelSelector(labelSelector, `${at}.labelSelector`),
    ];
  });
}
function validateMinDomains(domains: number | undefined, unsatisfiable: string, path: string): readonly FieldError[] {
  if (domains === undefined) return [];
  return [
    ...(domains > 0 ? [] : [invalid(path, domains, "must be greater than zero")]),
    ...(unsatisfiable === "DoNotSchedule"
      ? []
      : [invalid(path, domains, `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${unsatisfiable}`)]),
  ];
}
