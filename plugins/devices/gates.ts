import type { Plugin } from "../../plugin.ts";
import { extendedResourceGate } from "../shared/gates.ts";

/** The feature gates of the family, by short names. */
export const gates = Object.freeze({
  adminAccess: "DRAAdminAccess",
  bindingConditions: "DRADeviceBindingConditions",
  consumableCapacity: "DRAConsumableCapacity",
  deviceStatus: "DRAResourceClaimDeviceStatus",
  extendedResource: "DRAExtendedResource",
  partitionableDevices: "DRAPartitionableDevices",
  prioritizedList: "DRAPrioritizedList",
  taintRules: "DRADeviceTaintRules",
  taints: "DRADeviceTaints",
});

/** The gate of the whole API. It is locked, and the server knows it without this family. */
const allocation = "DynamicResourceAllocation";

export const deviceGates: NonNullable<Plugin["featureGates"]> = {
  ...extendedResourceGate,
  [gates.adminAccess]: [
    { since: "1.32", stage: "Alpha", default: false },
    { since: "1.34", stage: "Beta", default: true },
  ],
  [gates.consumableCapacity]: [{ since: "1.34", stage: "Alpha", default: false }],
  [gates.bindingConditions]: [{ since: "1.34", stage: "Alpha", default: false }],
  [gates.taintRules]: [{ since: "1.35", stage: "Alpha", default: false }],
  [gates.taints]: [{ since: "1.33", stage: "Alpha", default: false }],
  [gates.partitionableDevices]: [{ since: "1.33", stage: "Alpha", default: false }],
  [gates.prioritizedList]: [
    { since: "1.33", stage: "Alpha", default: false },
    { since: "1.34", stage: "Beta", default: true },
  ],
  [gates.deviceStatus]: [
    { since: "1.32", stage: "Alpha", default: false },
    { since: "1.33", stage: "Beta", default: true },
  ],
};

/** Gates that need others. */
export const gateDependencies: NonNullable<Plugin["gateDependencies"]> = {
  [gates.adminAccess]: [allocation],
  [gates.bindingConditions]: [allocation, gates.deviceStatus],
  [gates.consumableCapacity]: [allocation],
  [gates.extendedResource]: [allocation],
  [gates.partitionableDevices]: [allocation],
  [gates.prioritizedList]: [allocation],
  [gates.taintRules]: [gates.taints],
  [gates.taints]: [allocation],
};
