/** What a persistent volume is (core/v1): also a part of attachments. */
import { ObjectReference } from "../../../core/meta/references.ts";
import { field, type Infer, list, named, oneOf, string, structsOf } from "../../../core/schema.ts";
import { AccessMode, inMillis, VolumeMode } from "./modes.ts";
import { VolumeNodeAffinity } from "./node-selector.ts";
import { PersistentVolumeSource } from "./persistent-sources.ts";
import { ResourceList } from "./resources.ts";

const struct = structsOf("core/v1");

export const PersistentVolumeSpec = struct("PersistentVolumeSpec", {
  capacity: field(1, ResourceList, "How much it holds; storage is the one key.", { keepsEmpty: true }),
  source: field(2, PersistentVolumeSource, "What the volume is made of; exactly one member is set.", { inline: true }),
  accessModes: field(3, list(AccessMode), "All ways in which it can be mounted."),
  claimRef: field(4, ObjectReference, "The claim that it is bound to; the binder writes it, and it may be written before.", {
    pointer: true,
    granular: true,
  }),
  persistentVolumeReclaimPolicy: field(
    5,
    named("v1.PersistentVolumeReclaimPolicy", oneOf("Delete", "Recycle", "Retain")),
    "What becomes of it when its claim goes: Retain (the default), Delete or Recycle.",
  ),
  storageClassName: field(6, string, "Class that it belongs to; empty for none."),
  mountOptions: field(7, list(string), "Options for mounting, checked by nobody before."),
  volumeMode: field(8, VolumeMode, "Whether it has a file system (the default) or is a raw block device.", { pointer: true }),
  nodeAffinity: field(9, VolumeNodeAffinity, "Nodes from which it can be reached; the scheduler keeps to it.", { pointer: true }),
  volumeAttributesClassName: field(10, string, "Attributes class of the volume as it is; the binder and the driver change it.", {
    pointer: true,
  }),
}, { doc: "What a volume is, and whom it is for.", fill: inMillis("capacity") });
export type PersistentVolumeSpec = Infer<typeof PersistentVolumeSpec>;
