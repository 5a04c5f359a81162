/** The feature gates of the family. */
import type { Plugin } from "../../plugin.ts";
import { podSpecGates } from "../shared/pod/gates.ts";

/** The gate of the counts of pods that are being deleted. */
export const terminatingGate = "DeploymentReplicaSetTerminatingReplicas";

/** The gate of the amount of pods of a stateful set that may be unavailable. */
export const unavailableGate = "MaxUnavailableStatefulSet";

export const featureGates: NonNullable<Plugin["featureGates"]> = {
  ...podSpecGates,
  [terminatingGate]: [
    { since: "1.33", stage: "Alpha", default: false },
    { since: "1.35", stage: "Beta", default: true },
  ],
  [unavailableGate]: [
    { since: "1.24", stage: "Alpha", default: false },
    { since: "1.35", stage: "Beta", default: false },
  ],
};
