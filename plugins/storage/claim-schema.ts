import { object } from "../../core/meta/object.ts";
import { field, type Infer, list, mapBy, named, oneOf, record, string, structsOf, time } from "../../core/schema.ts";
import { AccessMode, inMillis, PersistentVolumeClaimSpec, ResourceList } from "../shared/volumes/mod.ts";

const struct = structsOf("core/v1");
const gate = "VolumeAttributesClass";

const PersistentVolumeClaimCondition = struct("PersistentVolumeClaimCondition", {
  type: field(1, named("v1.PersistentVolumeClaimConditionType", string), "What the condition is about, such as Resizing.", {
    required: true,
  }),
  status: field(2, named("v1.ConditionStatus", string), "True, False or Unknown.", { required: true }),
  lastProbeTime: field(3, time, "When it was last looked at.", { written: "always" }),
  lastTransitionTime: field(4, time, "When the status last changed.", { written: "always" }),
  reason: field(5, string, "Why, as one word for machines."),
  message: field(6, string, "Why, for people."),
}, { doc: "One finding about a claim." });

const ModifyVolumeStatus = struct("ModifyVolumeStatus", {
  targetVolumeAttributesClassName: field(1, string, "Class that the volume is being changed to."),
  status: field(
    2,
    named("v1.PersistentVolumeClaimModifyVolumeStatus", oneOf("InProgress", "Infeasible", "Pending")),
    "How the change stands: waiting for its class, under way, or refused by the driver.",
    { required: true },
  ),
}, { doc: "A change of the attributes of a volume that is under way." });

export const resizeStatuses = Object.freeze(
  [
    "ControllerResizeInProgress",
    "ControllerResizeInfeasible",
    "NodeResizeInProgress",
    "NodeResizeInfeasible",
    "NodeResizePending",
  ] as const,
);

const PersistentVolumeClaimStatus = struct("PersistentVolumeClaimStatus", {
  phase: field(
    1,
    named("v1.PersistentVolumeClaimPhase", oneOf("Bound", "Lost", "Pending")),
    "Whether the claim has a volume, waits for one, or has lost it.",
  ),
  accessModes: field(2, list(AccessMode), "Ways in which its volume can be mounted."),
  capacity: field(3, ResourceList, "How much its volume really holds."),
  conditions: field(4, mapBy(["type"], PersistentVolumeClaimCondition), "What is being done to the volume, such as a resize.", {
    patch: { strategy: ["merge"], mergeKey: "type" },
  }),
  allocatedResources: field(5, ResourceList, "What has been set aside for the claim, more than the capacity while it grows."),
  allocatedResourceStatuses: field(
    7,
    named("map[v1.ResourceName]v1.ClaimResourceStatus", record(named("v1.ClaimResourceStatus", oneOf(...resizeStatuses)))),
    "How a resize stands, by resource; nothing when none is under way.",
    { granular: true },
  ),
  currentVolumeAttributesClassName: field(8, string, "Attributes class that the volume has; none was applied when absent.", {
    pointer: true,
    gate,
  }),
  modifyVolumeStatus: field(9, ModifyVolumeStatus, "A change of attributes that is under way.", { pointer: true, gate }),
}, {
  doc: "Where a claim is in its life.",
  fill(self: { readonly phase?: string }) {
    const rounded = rounding(self);
    return (rounded.phase ?? "") === "" ? { ...rounded, phase: "Pending" } : rounded;
  },
});
const rounding = inMillis("capacity", "allocatedResources");

export const PersistentVolumeClaim = object("PersistentVolumeClaim", {
  spec: field(2, PersistentVolumeClaimSpec, "What the claim asks for.", { written: "always" }),
  status: field(3, PersistentVolumeClaimStatus, "Where the claim is in its life; kept by binder, drivers and node agents.", {
    written: "always",
  }),
}, { package: "core/v1", doc: "Asks for a volume, and holds it for whoever uses the claim." });
export type PersistentVolumeClaim = Infer<typeof PersistentVolumeClaim>;
