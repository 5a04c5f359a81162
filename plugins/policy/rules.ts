/** The rules of budgets, with upstream's texts and order. */
import { type FieldError, invalid } from "../../plugin.ts";
import { validateConditions, validateLabelSelector } from "../../toolbox.ts";
import { notNegative, validateEnum } from "../shared/pod/rules.ts";
import { evictionPolicies, type PodDisruptionBudgetSpec, type PodDisruptionBudgetStatus } from "./schema.ts";

const percentText =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

/** Checks an amount of pods, or a percentage of them. */
function validateAmount(amount: number | string | undefined, path: string): readonly FieldError[] {
  if (typeof amount !== "string") return notNegative(amount, path);
  if (!/^[0-9]+%$/.test(amount)) return [invalid(path, amount, percentText)];
  return Number(amount.slice(0, -1)) > 100 ? [invalid(path, amount, "must not be greater than 100%")] : [];
}

/** The value in an error about the whole spec has the names and the order of upstream's internal type. */
function internalSpec({ minAvailable, selector, maxUnavailable, unhealthyPodEvictionPolicy }: PodDisruptionBudgetSpec) {
  return {
    MinAvailable: minAvailable ?? null,
    Selector: selector ?? null,
    MaxUnavailable: maxUnavailable ?? null,
    UnhealthyPodEvictionPolicy: unhealthyPodEvictionPolicy ?? null,
  };
}

export function validateBudgetSpec(spec: PodDisruptionBudgetSpec, storedValues = false): readonly FieldError[] {
  const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy } = spec;
  return [
    ...(minAvailable === undefined || maxUnavailable === undefined
      ? []
      : [invalid("spec", internalSpec(spec), "minAvailable and maxUnavailable cannot be both set")]),
    ...validateAmount(minAvailable, "spec.minAvailable"),
    ...validateAmount(maxUnavailable, "spec.maxUnavailable"),
    ...(selector === undefined ? [] : validateLabelSelector(selector, "spec.selector", { storedValues })),
    ...validateEnum(unhealthyPodEvictionPolicy, evictionPolicies, "spec.unhealthyPodEvictionPolicy"),
  ];
}

export function validateBudgetStatus(status: PodDisruptionBudgetStatus): readonly FieldError[] {
  return [
    ...validateConditions(status.conditions, "status.conditions"),
    ...notNegative(status.disruptionsAllowed, "status.disruptionsAllowed"),
    ...notNegative(status.currentHealthy, "status.currentHealthy"),
    ...notNegative(status.desiredHealthy, "status.desiredHealthy"),
    ...notNegative(status.expectedPods, "status.expectedPods"),
  ];
}
