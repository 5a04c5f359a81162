/** The feature gates that the family declares. */
import type { Plugin } from "../../plugin.ts";
import { extendedResourceGate } from "../shared/gates.ts";
import { connectionGates } from "./connections/gates.ts";
import { podSpecGates } from "../shared/pod/gates.ts";

export const podGates: NonNullable<Plugin["featureGates"]> = {
  ...podSpecGates,
  ...connectionGates,
  ...extendedResourceGate,
  InPlacePodLevelResourcesVerticalScaling: [{ since: "1.35", stage: "Alpha", default: false }],
  MatchLabelKeysInPodTopologySpreadSelectorMerge: [{ since: "1.34", stage: "Beta", default: true }],
  ResourceHealthStatus: [{ since: "1.31", stage: "Alpha", default: false }],
};

export const podGateDependencies: NonNullable<Plugin["gateDependencies"]> = {
  ClusterTrustBundleProjection: ["ClusterTrustBundle"],
  PodCertificateRequest: ["AuthorizeNodeWithSelectors"],
  DRAExtendedResource: ["DynamicResourceAllocation"],
  InPlacePodLevelResourcesVerticalScaling: ["InPlacePodVerticalScaling", "PodLevelResources", "NodeDeclaredFeatures"],
  MatchLabelKeysInPodTopologySpreadSelectorMerge: ["MatchLabelKeysInPodTopologySpread"],
  ResourceHealthStatus: ["DynamicResourceAllocation"],
};
