import { definePlugin } from "../../plugin.ts";
import { autoscalingGates } from "./gates.ts";
import { autoscalers } from "./horizontal-pod-autoscaler.ts";

export { autoscalers };

export const autoscalingPlugin = definePlugin({
  name: "autoscaling",
  presets: ["kubernetes"],
  summary: "Replicas by metrics: HorizontalPodAutoscaler.",
  featureGates: autoscalingGates,
  groupPriorities: { autoscaling: 17_500 },
  resources: [autoscalers],
});
