/** Which pods a node keeps away by its taints. */
import type { Node, Pod } from "../world/world.ts";

/** A taint of a node. */
export type Taint = NonNullable<Node["spec"]["taints"]>[number];
/** A toleration of a pod. */
export type Toleration = NonNullable<Pod["spec"]["tolerations"]>[number];

/** Whether a toleration covers a taint. An empty effect or key covers all of them. Gt and Lt compare numbers (KEP-5471). */
export function tolerates({ key, operator = "Equal", value = "", effect }: Toleration, taint: Taint): boolean {
  if (effect && effect !== taint.effect) return false;
  if (key && key !== taint.key) return false;
  if (operator === "Exists") return true;
  if (operator === "Equal") return value === (taint.value ?? "");
  const asked = Number(value), given = Number(taint.value ?? "NaN");
  return operator === "Gt" ? given > asked : given < asked;
}

/** The first taint with one of these effects that no toleration covers; undefined if there is none. */
export function untoleratedTaint(
  taints: readonly Taint[],
  tolerations: readonly Toleration[],
  effects: readonly string[],
): Taint | undefined {
  return taints.find((taint) => effects.includes(taint.effect) && !tolerations.some((each) => tolerates(each, taint)));
}

/** The effects that keep a pod from being scheduled. */
export const schedulingEffects: readonly string[] = Object.freeze(["NoSchedule", "NoExecute"]);
