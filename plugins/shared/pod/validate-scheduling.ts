/** Validation of scheduling constraints, with upstream's order and texts. */
import { duplicate, type FieldError, forbidden, invalid, notSupported, required } from "../../../plugin.ts";
import { dns1123Label, labelValue, validateLabelSelector } from "../../../toolbox.ts";
import type { NodeSelectorTerm } from "../volumes/mod.ts";
import { validateNodeSelector } from "../volumes/validate-node-selector.ts";
import type { Affinity, PodAffinity, PodAffinityTerm, Toleration, TopologySpreadConstraint } from "./affinity.ts";
import type { ValidationOptions } from "./validation-options.ts";
import { validateByRule, validateEnum, validateQualifiedName } from "./rules.ts";

const required_ = "requiredDuringSchedulingIgnoredDuringExecution", preferred_ = "preferredDuringSchedulingIgnoredDuringExecution";

export function validateAffinity(affinity: Affinity, options: ValidationOptions, path: string): readonly FieldError[] {
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity;
  const needed = nodeAffinity?.[required_];
  return [
    ...(needed === undefined ? [] : validateNodeSelector(needed, `${path}.nodeAffinity.${required_}`, options.nodeLabels)),
    ...(nodeAffinity?.[preferred_] ?? []).flatMap(({ weight, preference }, i) => {
      const at = `${path}.nodeAffinity.${preferred_}[${i}]`;
      return [...validateWeight(weight, at), ...validateTerm(preference, `${at}.preference`)];
    }),
    ...(podAffinity === undefined ? [] : validatePodAffinity(podAffinity, options, `${path}.podAffinity`)),
    ...(podAntiAffinity === undefined ? [] : validatePodAffinity(podAntiAffinity, options, `${path}.podAntiAffinity`)),
  ];
}

function validateWeight(weight: number, path: string): readonly FieldError[] {
  return weight >= 1 && weight <= 100 ? [] : [invalid(`${path}.weight`, weight, "must be in the range 1-100")];
}
/** Validates a preferred term like a term of a selector, but without the selector in the path. Label values are not validated. */
function validateTerm(term: NodeSelectorTerm, path: string): readonly FieldError[] {
  const selectorPath = `${path}.nodeSelectorTerms[0]`;
  return validateNodeSelector({ nodeSelectorTerms: [term] }, path, true).map((error) =>
    error.path.startsWith(selectorPath) ? { ...error, path: `${path}${error.path.slice(selectorPath.length)}` } : error
  );
}

function validatePodAffinity(affinity: PodAffinity, options: ValidationOptions, path: string): readonly FieldError[] {
  return [
    ...(affinity[required_] ?? []).flatMap((term, i) => validatePodTerm(term, options, `${path}.${required_}[${i}]`)),
    ...(affinity[preferred_] ?? []).flatMap(({ weight, podAffinityTerm }, i) => {
      const at = `${path}.${preferred_}[${i}]`;
      return [...validateWeight(weight, at), ...validatePodTerm(podAffinityTerm, options, `${at}.podAffinityTerm`)];
    }),
  ];
}

function validatePodTerm(term: PodAffinityTerm, { podLabels: storedValues }: ValidationOptions, path: string): readonly FieldError[] {
  const { topologyKey, namespaces = [] } = term;
  return [
    ...validateLabelSelector(term.labelSelector, `${path}.labelSelector`, { storedValues }),
    ...validateLabelSelector(term.namespaceSelector, `${path}.namespaceSelector`, { storedValues }),
    ...namespaces.flatMap((namespace) => validateByRule(dns1123Label, namespace, `${path}.namespace`)),
    ...validateMatchLabelKeys(term, path),
    ...(topologyKey === "" ? [required(`${path}.topologyKey`, "can not be empty")] : []),
    ...validateQualifiedName(topologyKey, `${path}.topologyKey`),
  ];
}

/** The fields with label keys whose values are compared with those of the pod. */
type LabelKeys = Pick<PodAffinityTerm, "labelSelector" | "matchLabelKeys" | "mismatchLabelKeys">;

const inSelector = "exists in both matchLabelKeys and labelSelector";

/** Checks the label keys. A key may be in the selector once, because the server adds it. The path of a second one is upstream's. */
export function validateMatchLabelKeys(term: LabelKeys, path: string): readonly FieldError[] {
  const { labelSelector, matchLabelKeys = [], mismatchLabelKeys = [] } = term;
  const seen = new Set(Object.keys(labelSelector?.matchLabels ?? {}));
  return [
    ...validateLabelKeys(matchLabelKeys, term, `${path}.matchLabelKeys`),
    ...validateLabelKeys(mismatchLabelKeys, term, `${path}.mismatchLabelKeys`),
    ...(labelSelector?.matchExpressions ?? []).flatMap(({ key }) => {
      const i = matchLabelKeys.lastIndexOf(key), again = seen.has(key);
      seen.add(key);
      return i >= 0 && again ? [invalid(`${path}[${i}]`, key, inSelector)] : [];
    }),
    ...matchLabelKeys.flatMap((key, i) =>
      mismatchLabelKeys.includes(key)
        ? [invalid(`${path}.matchLabelKeys[${i}]`, key, "exists in both matchLabelKeys and mismatchLabelKeys")]
        : []
    ),
  ];
}

/** The older rule, which applies if the stored template breaks the newer one: no key may be in the selector. */
function validateStoredLabelKeys({ labelSelector, matchLabelKeys = [] }: LabelKeys, path: string): readonly FieldError[] {
  const { matchLabels = {}, matchExpressions = [] } = labelSelector ?? {};
  const selectorKeys = new Set([...Object.keys(matchLabels), ...matchExpressions.map(({ key }) => key)]);
  return [
    ...(matchLabelKeys.length > 0 && labelSelector === undefined
      ? [forbidden(path, "must not be specified when labelSelector is not set")]
      : []),
    ...matchLabelKeys.flatMap((key, i) => [
      ...validateQualifiedName(key, `${path}[${i}]`),
      ...(selectorKeys.has(key) ? [invalid(`${path}[${i}]`, key, inSelector)] : []),
    ]),
  ];
}

function validateLabelKeys(
  keys: readonly string[],
  { labelSelector }: Pick<PodAffinityTerm, "labelSelector">,
  path: string,
): readonly FieldError[] {
  if (keys.length > 0 && labelSelector === undefined) {
    return [forbidden(path, "must not be specified when labelSelector is not set")];
  }
  return keys.flatMap((key, i) => validateQualifiedName(key, `${path}[${i}]`));
}

const operators = ["Equal", "Exists"], comparisons = ["Lt", "Gt"], effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

export function validateTolerations(tolerations: readonly Toleration[], path: string): readonly FieldError[] {
  return tolerations.flatMap((toleration, i) => validateToleration(toleration, `${path}[${i}]`));
}
function validateToleration(toleration: Toleration, path: string): readonly FieldError[] {
  const { key = "", value = "", tolerationSeconds } = toleration;
  const operator: string = toleration.operator ?? "", effect: string = toleration.effect ?? "";
  const errors: FieldError[] = key === "" ? [] : [...validateQualifiedName(key, `${path}.key`)];
  if (key === "" && operator !== "Exists") {
    errors.push(
      invalid(`${path}.operator`, operator, 'operator must be Exists when `key` is empty, which means "match all values and all keys"'),
    );
  }
  if (tolerationSeconds !== undefined && effect !== "NoExecute") {
    errors.push({ ...invalid(`${path}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"), quoted: "json" });
  }
  if (operator === "Exists") {
    if (value !== "") errors.push(invalid(`${path}.operator`, value, "value must be empty when `operator` is 'Exists'"));
  } else if (operator === "Equal" || operator === "") {
    const wrong = labelValue(value);
    if (wrong.length > 0) errors.push(invalid(`${path}.operator`, value, wrong.join(";")));
    // The comparison operators are known, but their feature gate is disabled.
  } else {errors.push(
      notSupported(`${path}.operator`, operator, comparisons.includes(operator) ? [...operators, ...comparisons] : operators),
    );}
  return effect === "" ? errors : [...errors, ...validateEnum(effect, effects, `${path}.effect`)];
}

export function validateSpread(
  constraints: readonly TopologySpreadConstraint[],
  options: ValidationOptions,
  path: string,
): readonly FieldError[] {
  return constraints.flatMap((constraint, i) => {
    const at = `${path}[${i}]`, { maxSkew, topologyKey, minDomains, labelSelector } = constraint;
    const same = (other: TopologySpreadConstraint) =>
      other.topologyKey === topologyKey && other.whenUnsatisfiable === constraint.whenUnsatisfiable;
    const again = constraints.slice(i + 1).some(same);
    return [
      ...(maxSkew > 0 ? [] : [invalid(`${at}.maxSkew`, maxSkew, "must be greater than zero")]),
      ...(topologyKey === "" ? [required(`${at}.topologyKey`, "can not be empty")] : []),
      ...validateEnum(constraint.whenUnsatisfiable, ["DoNotSchedule", "ScheduleAnyway"], `${at}.whenUnsatisfiable`),
      ...(again ? [duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, `{${topologyKey}, ${constraint.whenUnsatisfiable}}`)] : []),
      ...validateMinDomains(minDomains, constraint.whenUnsatisfiable, `${at}.minDomains`),
      ...validateEnum(constraint.nodeAffinityPolicy, ["Honor", "Ignore"], `${at}.nodeAffinityPolicy`),
      ...validateEnum(constraint.nodeTaintsPolicy, ["Honor", "Ignore"], `${at}.nodeTaintsPolicy`),
      ...(options.spreadKeys ? validateStoredLabelKeys(constraint, `${at}.matchLabelKeys`) : validateMatchLabelKeys(constraint, at)),
      ...(options.spreadSelectors ? [] : validateLabelSelector(labelSelector, `${at}.labelSelector`)),
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
