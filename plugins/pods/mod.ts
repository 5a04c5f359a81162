import { definePlugin } from "../../plugin.ts";
import { defaultTolerationSeconds } from "./admission/default-tolerations.ts";
import { serviceAccountStep } from "./admission/service-account.ts";
import { bindings } from "./binding.ts";
import { podGateDependencies, podGates } from "./gates.ts";
import { podTemplates } from "./pod-template.ts";
import { pods } from "./pod.ts";
import { replicationControllers } from "./replication-controller.ts";
import { podSecurity } from "./security/step.ts";

export { bindings, pods, podTemplates, replicationControllers };

export const podsPlugin = definePlugin({
  name: "pods",
  presets: ["kubernetes"],
  summary: "Pods and their templates: Pod, PodTemplate, ReplicationController, Binding.",
  featureGates: podGates,
  gateDependencies: podGateDependencies,
  resources: [pods, podTemplates, replicationControllers, bindings],
  admission: [serviceAccountStep, podSecurity, defaultTolerationSeconds],
});
