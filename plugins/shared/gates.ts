/** Gates that several families declare. */
import type { Plugin } from "../../plugin.ts";

/** Extended resources that are backed by claims (KEP-5004): fields of pods and of device classes. */
export const extendedResourceGate: NonNullable<Plugin["featureGates"]> = Object.freeze({
  DRAExtendedResource: [{ since: "1.34", stage: "Alpha", default: false }],
});

/** Trust bundles, and their projection into pods. */
export const trustBundleGate: NonNullable<Plugin["featureGates"]> = Object.freeze({
  ClusterTrustBundle: [
    { since: "1.27", stage: "Alpha", default: false },
    { since: "1.33", stage: "Beta", default: false },
  ],
});

/** Requests for certificates of pods, and their projection into pods. */
export const podCertificateGate: NonNullable<Plugin["featureGates"]> = Object.freeze({
  PodCertificateRequest: [
    { since: "1.34", stage: "Alpha", default: false },
    { since: "1.35", stage: "Beta", default: false },
  ],
});
