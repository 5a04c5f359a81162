import { spendSteps } from "../../../core/budget.ts";
import type { Toleration } from "./affinity.ts";

/** Steps of comparing two tolerations. */
const pairSteps = 10;

/**
 * The tolerations without those that another one includes. Of equal ones the first stays. It charges the budget in force for each pair that is
 * compared.
 */
export function mergeTolerations(all: readonly Toleration[]): readonly Toleration[] {
  const merged: Toleration[] = [];
  all.forEach((each, i) => {
    spendSteps((merged.length + all.length - i) * pairSteps);
    if (merged.some((other) => includes(other, each))) return;
    for (let later = i + 1; later < all.length; later++) {
      if (!isSame(all[later]!, each) && includes(all[later]!, each)) return;
    }
    merged.push(each);
  });
  return merged;
}

/** Whether each toleration is included in one of `allowed`. It charges the budget in force for each pair that is compared. */
export function areIncluded(tolerations: readonly Toleration[], allowed: readonly Toleration[]): boolean {
  return tolerations.every((each) => {
    spendSteps(allowed.length * pairSteps);
    return allowed.some((wide) => includes(wide, each));
  });
}

function isSame(a: Toleration, b: Toleration): boolean {
  return (["key", "operator", "value", "effect"] as const).every((name) => (a[name] ?? "") === (b[name] ?? "")) &&
    a.tolerationSeconds === b.tolerationSeconds;
}

/** Whether the first toleration tolerates all that the second one does. */
function includes(wide: Toleration, narrow: Toleration): boolean {
  if (isSame(wide, narrow)) return true;
  const { key = "", operator = "", value = "", effect = "" } = wide;
  if (key !== (narrow.key ?? "") && (key !== "" || operator !== "Exists")) return false;
  if (effect !== "" && effect !== narrow.effect) return false;
  if (effect === "NoExecute" && wide.tolerationSeconds !== undefined) {
    if (narrow.tolerationSeconds === undefined || narrow.tolerationSeconds > wide.tolerationSeconds) return false;
  }
  return operator === "Exists" ||
    ((operator === "Equal" || operator === "") && narrow.operator === "Equal" && value === (narrow.value ?? ""));
}
