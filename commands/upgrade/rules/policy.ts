/** PodDisruptionBudgets to `policy/v1`. */
import type { Rule } from "./rule.ts";

/** Servers wrote it into the selector of `v1beta1` for all pods. */
const emptySelectorKey = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match";

export const disruptionBudget: Rule = (object, { from }) => {
  const spec = object.fields("spec"), selector = spec?.fields("selector");
  if (spec === undefined || selector === undefined) return;
  const labels = selector.fields("matchLabels")?.names() ?? [], expressions = selector.items("matchExpressions");
  if (labels.length === 0 && expressions.length === 0) {
    spec.note(
      "selector",
      `removed: in ${from} an empty selector selects no pods, as none does now; write \`selector: {}\` for all pods of the namespace`,
    );
    spec.remove("selector");
  } else if (labels.length === 0 && expressions.length === 1 && expressions[0]!.text("key") === emptySelectorKey) {
    if (expressions[0]!.text("operator") === "DoesNotExist") spec.set("selector", {});
  }
};
