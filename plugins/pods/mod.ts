import { definePlugin } from "../../plugin.ts";
import { alwaysPullImages } from "./admission/always-pull-images.ts";
import { defaultTolerationSeconds } from "./admission/default-tolerations.ts";
import { extendedResourceToleration } from "./admission/extended-resource-toleration.ts";
import { limitHardAntiAffinity } from "./admission/hard-anti-affinity.ts";
import { imagePolicy } from "./admission/image-policy/image-policy.ts";
import { podNodeSelector } from "./admission/pod-node-selector.ts";
import { serviceAccountStep } from "./admission/service-account.ts";
import { podTolerationRestriction } from "./admission/toleration-restriction.ts";
import { bindings } from "./binding.ts";
import { connectionMetrics } from "./connections/metrics.ts";
import { podGateDependencies, podGates } from "./gates.ts";
import { podTemplates } from "./pod-template.ts";
import { pods } from "./pod.ts";
import { replicationControllers } from "./replication-controller.ts";
import { podSecurityMetrics } from "./security/metrics.ts";
import { podSecurity } from "./security/step.ts";

export { bindings, pods, podTemplates, replicationControllers };

export const podsPlugin = definePlugin({
  name: "pods",
  presets: ["kubernetes"],
  summary: "Pods and their templates: Pod, PodTemplate, ReplicationController, Binding.",
  featureGates: podGates,
  gateDependencies: podGateDependencies,
  resources: [pods, podTemplates, replicationControllers, bindings],
  metrics: [...podSecurityMetrics, ...connectionMetrics],
  admission: [
    limitHardAntiAffinity,
    serviceAccountStep,
    alwaysPullImages,
    imagePolicy,
    podSecurity,
    podNodeSelector,
    defaultTolerationSeconds,
    podTolerationRestriction,
    extendedResourceToleration,
  ],
});
