/** The schema of PersistentVolumeSpec (core/v1), which attachments use too. */
import { field, type Infer, list, ObjectReference, oneOf, string, structsOf } from "../../../plugin.ts";
import { named } from "../../../toolbox.ts";
import { AccessMode, roundToMillis, VolumeMode } from "./modes.ts";
import { VolumeNodeAffinity } from "./node-selector.ts";
import { PersistentVolumeSource } from "./persistent-sources.ts";
import { ResourceList } from "./resources.ts";

const struct = structsOf("core/v1");

export const PersistentVolumeSpec = struct("PersistentVolumeSpec", {
  capacity: field(1, ResourceList, "The capacity of the volume. The only key is storage.", { keepsEmpty: true }),
  source: field(2, PersistentVolumeSource, "The source of the volume. Exactly one field must be set.", { inline: true }),
  accessModes: field(3, list(AccessMode), "The access modes that the volume supports."),
  claimRef: field(4, ObjectReference, "The bound claim. Set by the binder, or by the client to reserve the volume.", {
    pointer: true,
    granular: true,
  }),
  persistentVolumeReclaimPolicy: field(
    5,
    named("v1.PersistentVolumeReclaimPolicy", oneOf("Delete", "Recycle", "Retain")),
    "The policy after the deletion of the claim: Retain (the default), Delete or Recycle.",
  ),
  storageClassName: field(6, string, "The storage class of the volume. Empty: no class."),
  mountOptions: field(7, list(string), "Mount options. They are not validated before the mount."),
  volumeMode: field(8, VolumeMode, "The volume mode: Filesystem (the default) or Block.", { pointer: true }),
  nodeAffinity: field(9, VolumeNodeAffinity, "The nodes from which the volume is accessible. Used by the scheduler.", { pointer: true }),
  volumeAttributesClassName: field(10, string, "The current attributes class of the volume. Set by the binder and the driver.", {
    pointer: true,
  }),
}, { doc: "The specification of a volume.", applyDefaults: roundToMillis("capacity") });
export type PersistentVolumeSpec = Infer<typeof PersistentVolumeSpec>;
