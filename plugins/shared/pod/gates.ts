/** The feature gates of fields of PodSpec. Each family with such a field declares them. */
import type { Plugin } from "../../../plugin.ts";
import { podCertificateGate, strictAddressesGate, trustBundleGate, workloadGate } from "../gates.ts";

export const podSpecGates: NonNullable<Plugin["featureGates"]> = {
  ImageVolume: [
    { since: "1.31", stage: "Alpha", default: false },
    { since: "1.33", stage: "Beta", default: false },
    { since: "1.35", stage: "Beta", default: true },
  ],
  ...trustBundleGate,
  ClusterTrustBundleProjection: [
    { since: "1.29", stage: "Alpha", default: false },
    { since: "1.33", stage: "Beta", default: false },
  ],
  ...podCertificateGate,
  ...strictAddressesGate,
  SELinuxChangePolicy: [
    { since: "1.32", stage: "Alpha", default: false },
    { since: "1.33", stage: "Beta", default: true },
  ],
  SELinuxMount: [
    { since: "1.30", stage: "Alpha", default: false },
    { since: "1.33", stage: "Beta", default: false },
  ],
  EnvFiles: [
    { since: "1.34", stage: "Alpha", default: false },
    { since: "1.35", stage: "Beta", default: true },
  ],
  HostnameOverride: [
    { since: "1.34", stage: "Alpha", default: false },
    { since: "1.35", stage: "Beta", default: true },
  ],
  PodLevelResources: [
    { since: "1.32", stage: "Alpha", default: false },
    { since: "1.34", stage: "Beta", default: true },
  ],
  ContainerStopSignals: [{ since: "1.33", stage: "Alpha", default: false }],
  ...workloadGate,
};
