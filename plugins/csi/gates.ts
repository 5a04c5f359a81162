import type { Plugin } from "../../core/plugin.ts";

/** Lets the number of volumes that a node can take change while the node runs. */
export const nodeCountGate = "MutableCSINodeAllocatableCount";

export const nodeCountGates: NonNullable<Plugin["featureGates"]> = {
  [nodeCountGate]: [
    { since: "1.33", stage: "Alpha", default: false },
    { since: "1.34", stage: "Beta", default: false },
    { since: "1.35", stage: "Beta", default: true },
  ],
};
