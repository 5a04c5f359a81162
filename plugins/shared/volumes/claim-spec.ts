/** The schema of PersistentVolumeClaimSpec (core/v1), which pods use too. */
import { field, type Infer, LabelSelector, list, string, structsOf } from "../../../plugin.ts";
import { TemplateMeta } from "../template-meta.ts";
import { AccessMode, VolumeMode, withVolumeMode } from "./modes.ts";
import { TypedLocalObjectReference, TypedObjectReference } from "./references.ts";
import { VolumeResourceRequirements } from "./resources.ts";

const struct = structsOf("core/v1");

export const PersistentVolumeClaimSpec = struct("PersistentVolumeClaimSpec", {
  accessModes: field(1, list(AccessMode), "The access modes that the volume must have."),
  selector: field(4, LabelSelector, "Selects volumes by labels.", { pointer: true }),
  resources: field(
    2,
    VolumeResourceRequirements,
    "The requested storage. It can be increased after binding if the class allows expansion.",
    {
      written: "always",
    },
  ),
  volumeName: field(3, string, "The name of the bound volume. Set by the binder, or by the client to select a volume."),
  storageClassName: field(5, string, "The storage class of the volume. Absent: the default class. Empty: no class.", { pointer: true }),
  volumeMode: field(6, VolumeMode, "The volume mode: Filesystem (the default) or Block.", { pointer: true }),
  dataSource: field(
    7,
    TypedLocalObjectReference,
    "A snapshot or claim that provides the initial content of the volume. Kept in sync with dataSourceRef.",
    { pointer: true },
  ),
  dataSourceRef: field(
    8,
    TypedObjectReference,
    "An object of any kind that provides the initial content of the volume. Requires a populator for that kind.",
    {
      pointer: true,
    },
  ),
  volumeAttributesClassName: field(
    9,
    string,
    "The requested attributes class. If it changes after binding, the driver modifies the volume.",
    {
      pointer: true,
    },
  ),
}, { doc: "The specification of a claim.", applyDefaults: withVolumeMode });
export type PersistentVolumeClaimSpec = Infer<typeof PersistentVolumeClaimSpec>;

export const PersistentVolumeClaimTemplate = struct("PersistentVolumeClaimTemplate", {
  metadata: field(1, TemplateMeta, "The labels and annotations of the claims. Other metadata is rejected.", { written: "always" }),
  spec: field(2, PersistentVolumeClaimSpec, "The specification of the claims.", { required: true }),
}, { doc: "A template for claims." });
export type PersistentVolumeClaimTemplate = Infer<typeof PersistentVolumeClaimTemplate>;
