import { definePlugin } from "../../plugin.ts";
import { storageAdmission } from "./admission.ts";
import { storageGates } from "./gates.ts";
import { persistentVolumeClaims } from "./persistent-volume-claim.ts";
import { persistentVolumes } from "./persistent-volume.ts";
import { attributesClassProtection, claimProtection, volumeProtection } from "./protection-controller.ts";
import { storageClasses } from "./storage-class.ts";
import { volumeAttributesClasses } from "./volume-attributes-class.ts";

export { persistentVolumeClaims, persistentVolumes, storageClasses, volumeAttributesClasses };

export const storagePlugin = definePlugin({
  name: "storage",
  summary: "Volumes, claims and their classes: PersistentVolume, PersistentVolumeClaim, StorageClass, VolumeAttributesClass.",
  featureGates: storageGates,
  groupPriorities: { "storage.{domain}": 16_800 },
  resources: [persistentVolumes, persistentVolumeClaims, storageClasses, volumeAttributesClasses],
  admission: storageAdmission,
  controllers: [claimProtection, volumeProtection, attributesClassProtection],
});
