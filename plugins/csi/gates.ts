import type { Plugin } from "../../plugin.ts";

/** The gate that makes `allocatable.count` of CSINode mutable (KEP-4876). */
export const nodeCountGate = "MutableCSINodeAllocatableCount";

export const nodeCountGates: NonNullable<Plugin["featureGates"]> = {
  [nodeCountGate]: [
    { since: "1.33", stage: "Alpha", default: false },
    { since: "1.34", stage: "Beta", default: false },
    { since: "1.35", stage: "Beta", default: true },
  ],
};
