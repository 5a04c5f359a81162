import { definePlugin } from "../../plugin.ts";
import { csiDriverGates, csiDrivers } from "./csi-driver.ts";
import { csiNodes } from "./csi-node.ts";
import { csiStorageCapacities } from "./csi-storage-capacity.ts";
import { nodeCountGates } from "./gates.ts";
import { volumeAttachments } from "./volume-attachment.ts";

export { csiDrivers, csiNodes, csiStorageCapacities, volumeAttachments };

export const csiPlugin = definePlugin({
  name: "csi",
  summary: "CSI drivers: CSIDriver, CSINode, CSIStorageCapacity and VolumeAttachment.",
  featureGates: { ...csiDriverGates, ...nodeCountGates },
  groupPriorities: { "storage.{domain}": 16_800 },
  resources: [csiDrivers, csiNodes, csiStorageCapacities, volumeAttachments],
});
