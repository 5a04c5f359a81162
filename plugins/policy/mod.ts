import { definePlugin } from "../../plugin.ts";
import { podDisruptionBudgets } from "./pod-disruption-budget.ts";

export { podDisruptionBudgets };

export const policyPlugin = definePlugin({
  name: "policy",
  presets: ["kubernetes"],
  summary: "Limits of evictions of pods: PodDisruptionBudget.",
  groupPriorities: { policy: 17_100 },
  resources: [podDisruptionBudgets],
});
