import { object } from "../../core/meta/object.ts";
import { field, type Infer, named, oneOf, string, structsOf, time } from "../../core/schema.ts";
import { PersistentVolumeSpec } from "../shared/volumes/mod.ts";

const struct = structsOf("core/v1");

const PersistentVolumeStatus = struct("PersistentVolumeStatus", {
  phase: field(
    1,
    named("v1.PersistentVolumePhase", oneOf("Available", "Bound", "Failed", "Pending", "Released")),
    "Whether the volume is free, bound, or left by its claim; Pending until the binder has looked at it.",
  ),
  message: field(2, string, "Why it is in this phase, for people."),
  reason: field(3, string, "Why it failed, as one word for machines."),
  lastPhaseTransitionTime: field(4, time, "When the phase last changed; the server fills it in.", { pointer: true }),
}, {
  doc: "Where a volume is in its life.",
  fill: (self: { readonly phase?: string }) => (self.phase ?? "") === "" ? { ...self, phase: "Pending" } : self,
});

export const PersistentVolume = object("PersistentVolume", {
  spec: field(2, PersistentVolumeSpec, "What the volume is, and whom it is for.", { written: "always" }),
  status: field(3, PersistentVolumeStatus, "Where the volume is in its life; kept by the binder.", { written: "always" }),
}, {
  package: "core/v1",
  doc: "A piece of storage of the cluster, made by an administrator or a provisioner.",
  // Not in the specification itself: the one in an attachment has no such defaults.
  fill(self: { readonly spec?: PersistentVolumeSpec }) {
    const spec: PersistentVolumeSpec = self.spec ?? {};
    if ((spec.persistentVolumeReclaimPolicy ?? "") !== "" && spec.volumeMode !== undefined) return self;
    const { persistentVolumeReclaimPolicy: policy, volumeMode } = spec;
    return { ...self, spec: { ...spec, persistentVolumeReclaimPolicy: policy || "Retain", volumeMode: volumeMode ?? "Filesystem" } };
  },
});
export type PersistentVolume = Infer<typeof PersistentVolume>;
