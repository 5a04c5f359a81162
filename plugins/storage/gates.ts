import type { Plugin } from "../../plugin.ts";
import type { Gates } from "../../toolbox.ts";

export const attributesClassGate = "VolumeAttributesClass";

/** The feature gates of the storage family. */
export const storageGates: NonNullable<Plugin["featureGates"]> = {
  [attributesClassGate]: [
    { since: "1.29", stage: "Alpha", default: false },
    { since: "1.31", stage: "Beta", default: false },
    { since: "1.34", stage: "GA", default: true },
    { since: "1.36", stage: "GA", default: true, locked: true },
  ],
  CrossNamespaceVolumeDataSource: [{ since: "1.26", stage: "Alpha", default: false }],
  MutablePVNodeAffinity: [{ since: "1.35", stage: "Alpha", default: false }],
};

/** Whether volume attributes classes are validated: the gate is enabled, or the stored object has one. */
export function attributesClassInUse(stored: string | undefined, gates: Gates): boolean {
  return stored !== undefined || gates(attributesClassGate);
}
