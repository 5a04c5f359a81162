import { definePlugin } from "../../plugin.ts";
import { defaultTolerationSeconds } from "./admission/default-tolerations.ts";
import { serviceAccountStep } from "./admission/service-account.ts";
import { podTemplateGateDependencies, podTemplateGates, podTemplates } from "./pod-template.ts";
import { pods } from "./pod.ts";

export { pods, podTemplates };

export const podsPlugin = definePlugin({
  name: "pods",
  summary: "Pods and their templates: Pod, PodTemplate.",
  featureGates: podTemplateGates,
  gateDependencies: podTemplateGateDependencies,
  resources: [pods, podTemplates],
  admission: [serviceAccountStep, defaultTolerationSeconds],
});
