/** The rules of budgets, with upstream's texts and order. */
import { type FieldError, invalid } from "../../plugin.ts";
import { validateConditions, validateLabelSelector } from "../../toolbox.ts";
import { type Amount, validateAmount, validateAtMostAll } from "../shared/amounts.ts";
import { notNegative, validateEnum } from "../shared/pod/rules.ts";
import { evictionPolicies, type PodDisruptionBudgetSpec, type PodDisruptionBudgetStatus } from "./schema.ts";

/** Checks an amount of pods, or a percentage of them. */
function validateLimit(amount: Amount | undefined, path: string): readonly FieldError[] {
  return [...validateAmount(amount, path), ...validateAtMostAll(amount, path)];
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
    ...validateLimit(minAvailable, "spec.minAvailable"),
    ...validateLimit(maxUnavailable, "spec.maxUnavailable"),
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
