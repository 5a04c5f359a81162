/** Gates that several families declare. */
import type { Plugin } from "../../plugin.ts";
import type { Gates } from "../../toolbox.ts";

/** Extended resources that are backed by claims (KEP-5004): fields of pods and of device classes. */
export const extendedResourceGate: NonNullable<Plugin["featureGates"]> = Object.freeze({
  DRAExtendedResource: [{ since: "1.34", stage: "Alpha", default: false }],
});

/** Addresses and ranges of older fields must be strict (KEP-4858): without leading zeros, IPv4-mapped addresses, and bits beyond the prefix. */
export const strictAddressesGate: NonNullable<Plugin["featureGates"]> = Object.freeze({
  StrictIPCIDRValidation: [{ since: "1.33", stage: "Alpha", default: false }],
});
export const isStrict = (gates: Gates): boolean => gates("StrictIPCIDRValidation");

/** Names of services may begin with a digit (KEP-5311). */
export const relaxedServicesGate: NonNullable<Plugin["featureGates"]> = Object.freeze({
  RelaxedServiceNameValidation: [{ since: "1.34", stage: "Alpha", default: false }],
});
export const isRelaxed = (gates: Gates): boolean => gates("RelaxedServiceNameValidation");

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

/** Workloads, and the reference to one of a pod. */
export const workloadGate: NonNullable<Plugin["featureGates"]> = Object.freeze({
  GenericWorkload: [{ since: "1.35", stage: "Alpha", default: false }],
});
