import { definePlugin } from "../../plugin.ts";
import { defaultTolerationSeconds } from "./admission/default-tolerations.ts";
import { serviceAccountStep } from "./admission/service-account.ts";
import { bindings } from "./binding.ts";
import { podTemplateGateDependencies, podTemplateGates, podTemplates } from "./pod-template.ts";
import { pods } from "./pod.ts";
import { podSecurity } from "./security/step.ts";

export { bindings, pods, podTemplates };

export const podsPlugin = definePlugin({
  name: "pods",
  presets: ["kubernetes"],
  summary: "Pods and their templates: Pod, PodTemplate, Binding.",
  featureGates: podTemplateGates,
  gateDependencies: podTemplateGateDependencies,
  resources: [pods, podTemplates, bindings],
  admission: [serviceAccountStep, podSecurity, defaultTolerationSeconds],
});
