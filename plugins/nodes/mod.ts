import { definePlugin } from "../../plugin.ts";
import { strictAddressesGate } from "../shared/gates.ts";
import { nodeAuthorizer } from "./authorizer/authorizer.ts";
import { nodeDeclaredFeatureValidator } from "./declared-features-admission.ts";
import { taintNodesByCondition } from "./node-admission.ts";
import { declaredFeaturesGate, nodes } from "./node.ts";
import { componentStatuses } from "./component-status.ts";
import { nodeRestriction } from "./restriction/admission.ts";
import { runtimeClassAdmission } from "./runtime-class-admission.ts";
import { runtimeClasses } from "./runtime-class.ts";
import { podTopologyLabels, topologyLabelsGate } from "./topology-admission.ts";

export { nodes, runtimeClasses };

export const nodesPlugin = definePlugin({
  name: "nodes",
  presets: ["kubernetes"],
  summary: "Nodes, and what they offer to pods: Node, RuntimeClass; and the health of a control plane: ComponentStatus.",
  featureGates: {
    ...strictAddressesGate,
    [declaredFeaturesGate]: [{ since: "1.35", stage: "Alpha", default: false }],
    [topologyLabelsGate]: [{ since: "1.33", stage: "Alpha", default: false }, { since: "1.35", stage: "Beta", default: true }],
  },
  groupPriorities: { "node.{domain}": 16_300 },
  resources: [nodes, runtimeClasses, componentStatuses],
  authorizers: [nodeAuthorizer],
  admission: [nodeRestriction, taintNodesByCondition, runtimeClassAdmission, podTopologyLabels, nodeDeclaredFeatureValidator],
});
