import type { Plugin } from "../../plugin.ts";
import { podSpecGates } from "../shared/pod/gates.ts";

export const gates = {
  limitPerIndex: "JobBackoffLimitPerIndex",
  managedBy: "JobManagedBy",
  replacementPolicy: "JobPodReplacementPolicy",
  successPolicy: "JobSuccessPolicy",
  mutableResources: "MutablePodResourcesForSuspendedJobs",
  mutableScheduling: "MutableSchedulingDirectivesForSuspendedJobs",
} as const;

export const batchGates: NonNullable<Plugin["featureGates"]> = {
  ...podSpecGates,
  [gates.limitPerIndex]: [
    { since: "1.28", stage: "Alpha", default: false },
    { since: "1.29", stage: "Beta", default: true },
    { since: "1.33", stage: "GA", default: true, locked: true },
  ],
  [gates.managedBy]: [
    { since: "1.30", stage: "Alpha", default: false },
    { since: "1.32", stage: "Beta", default: true },
    { since: "1.35", stage: "GA", default: true, locked: true },
  ],
  [gates.replacementPolicy]: [
    { since: "1.28", stage: "Alpha", default: false },
    { since: "1.29", stage: "Beta", default: true },
    { since: "1.34", stage: "GA", default: true, locked: true },
  ],
  [gates.successPolicy]: [
    { since: "1.30", stage: "Alpha", default: false },
    { since: "1.31", stage: "Beta", default: true },
    { since: "1.33", stage: "GA", default: true, locked: true },
  ],
  [gates.mutableResources]: [{ since: "1.35", stage: "Alpha", default: false }],
  [gates.mutableScheduling]: [{ since: "1.35", stage: "Alpha", default: false }],
};
