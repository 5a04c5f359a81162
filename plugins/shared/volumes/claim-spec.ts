/** What a claim asks for (core/v1): also a part of pods. */
import { LabelSelector } from "../../../core/meta/label-selector.ts";
import { ObjectMeta } from "../../../core/meta/object-meta.ts";
import { field, type Infer, list, string, structsOf } from "../../../core/schema.ts";
import { AccessMode, VolumeMode, withVolumeMode } from "./modes.ts";
import { TypedLocalObjectReference, TypedObjectReference } from "./references.ts";
import { VolumeResourceRequirements } from "./resources.ts";

const struct = structsOf("core/v1");

export const PersistentVolumeClaimSpec = struct("PersistentVolumeClaimSpec", {
  accessModes: field(1, list(AccessMode), "Ways of mounting that the volume must have."),
  selector: field(4, LabelSelector, "Chooses among volumes by labels.", { pointer: true }),
  resources: field(2, VolumeResourceRequirements, "How much storage is asked for; may grow once bound where the class allows it.", {
    written: "always",
  }),
  volumeName: field(3, string, "The volume; the binder writes it, and it may be written before."),
  storageClassName: field(5, string, "Class that the volume must have: absent for the default one, empty for none.", { pointer: true }),
  volumeMode: field(6, VolumeMode, "Whether a file system (the default) or a raw block device is asked for.", { pointer: true }),
  dataSource: field(
    7,
    TypedLocalObjectReference,
    "A snapshot or claim whose content the volume begins with; mirrored with dataSourceRef.",
    { pointer: true },
  ),
  dataSourceRef: field(8, TypedObjectReference, "Any object whose content the volume begins with; a populator has to know its kind.", {
    pointer: true,
  }),
  volumeAttributesClassName: field(9, string, "Attributes class wanted; may change once bound, the driver then modifies the volume.", {
    pointer: true,
  }),
}, { doc: "What a claim asks of a volume.", fill: withVolumeMode });
export type PersistentVolumeClaimSpec = Infer<typeof PersistentVolumeClaimSpec>;

export const PersistentVolumeClaimTemplate = struct("PersistentVolumeClaimTemplate", {
  metadata: field(1, ObjectMeta, "Labels and annotations of the claims; nothing else is taken.", { written: "always" }),
  spec: field(2, PersistentVolumeClaimSpec, "What the claims ask for.", { required: true }),
}, { doc: "What the claims made from it look like." });
export type PersistentVolumeClaimTemplate = Infer<typeof PersistentVolumeClaimTemplate>;
