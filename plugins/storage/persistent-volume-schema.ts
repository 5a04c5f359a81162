import { field, type Infer, object, oneOf, string, structsOf, time } from "../../plugin.ts";
import { named } from "../../toolbox.ts";
import { PersistentVolumeSpec } from "../shared/volumes/mod.ts";

const struct = structsOf("core/v1");

const PersistentVolumeStatus = struct("PersistentVolumeStatus", {
  phase: field(
    1,
    named("v1.PersistentVolumePhase", oneOf("Available", "Bound", "Failed", "Pending", "Released")),
    "The phase of the volume: Pending (not yet processed by the binder), Available, Bound, Released (its claim is deleted), or Failed.",
  ),
  message: field(2, string, "Details about the phase, for people."),
  reason: field(3, string, "The reason of a failure, in CamelCase."),
  lastPhaseTransitionTime: field(4, time, "The time of the last change of the phase. The server sets it.", { pointer: true }),
}, {
  doc: "The status of a volume.",
  applyDefaults: (self: { readonly phase?: string }) => (self.phase ?? "") === "" ? { ...self, phase: "Pending" } : self,
});

export const PersistentVolume = object("PersistentVolume", {
  spec: field(2, PersistentVolumeSpec, "The properties of the volume, and the claim it is bound to.", { written: "always" }),
  status: field(3, PersistentVolumeStatus, "The status of the volume. Set by the volume binder.", { written: "always" }),
}, {
  package: "core/v1",
  doc: "A storage volume of the cluster, created by an administrator or a provisioner.",
  // These defaults do not belong to the spec's schema, because inlineVolumeSpec of a VolumeAttachment has none.
  applyDefaults(self: { readonly spec?: PersistentVolumeSpec }) {
    const spec: PersistentVolumeSpec = self.spec ?? {};
    if ((spec.persistentVolumeReclaimPolicy ?? "") !== "" && spec.volumeMode !== undefined) return self;
    const { persistentVolumeReclaimPolicy: policy, volumeMode } = spec;
    return { ...self, spec: { ...spec, persistentVolumeReclaimPolicy: policy || "Retain", volumeMode: volumeMode ?? "Filesystem" } };
  },
});
export type PersistentVolume = Infer<typeof PersistentVolume>;
