/** The schema of PersistentVolumeClaim (core/v1), which stateful sets contain too. */
import { field, type Infer, list, mapBy, object, oneOf, record, string, structsOf, time } from "../../../plugin.ts";
import { named } from "../../../toolbox.ts";
import { PersistentVolumeClaimSpec } from "./claim-spec.ts";
import { AccessMode, roundToMillis } from "./modes.ts";
import { ResourceList } from "./resources.ts";

const struct = structsOf("core/v1");

const PersistentVolumeClaimCondition = struct("PersistentVolumeClaimCondition", {
  type: field(1, named("v1.PersistentVolumeClaimConditionType", string), "The type of the condition, such as Resizing.", {
    required: true,
  }),
  status: field(2, named("v1.ConditionStatus", string), "True, False or Unknown.", { required: true }),
  lastProbeTime: field(3, time, "The time of the last probe of the condition.", { written: "always" }),
  lastTransitionTime: field(4, time, "The time of the last change of the status.", { written: "always" }),
  reason: field(5, string, "The reason of the last transition, in CamelCase."),
  message: field(6, string, "Details for people."),
}, { doc: "A condition of a claim." });

const ModifyVolumeStatus = struct("ModifyVolumeStatus", {
  targetVolumeAttributesClassName: field(1, string, "The name of the class that is being applied."),
  status: field(
    2,
    named("v1.PersistentVolumeClaimModifyVolumeStatus", oneOf("InProgress", "Infeasible", "Pending")),
    "The state of the change: Pending (waiting for the class), InProgress, or Infeasible (rejected by the driver).",
    { required: true },
  ),
}, { doc: "The status of a change of volume attributes." });

export const resizeStatuses = Object.freeze(
  [
    "ControllerResizeInProgress",
    "ControllerResizeInfeasible",
    "NodeResizeInProgress",
    "NodeResizeInfeasible",
    "NodeResizePending",
  ] as const,
);

const rounding = roundToMillis("capacity", "allocatedResources");

/** The schema of a claim. `gate` is the feature gate of attributes classes; without one they are always kept, as in a claim in another object. */
function claimSchema(gate?: string) {
  const gated = gate === undefined ? {} : { gate };
  const PersistentVolumeClaimStatus = struct("PersistentVolumeClaimStatus", {
    phase: field(
      1,
      named("v1.PersistentVolumeClaimPhase", oneOf("Bound", "Lost", "Pending")),
      "The phase of the claim: Pending (no volume yet), Bound, or Lost (the volume no longer exists).",
    ),
    accessModes: field(2, list(AccessMode), "The access modes of the bound volume."),
    capacity: field(3, ResourceList, "The actual capacity of the bound volume."),
    conditions: field(4, mapBy(["type"], PersistentVolumeClaimCondition), "The current operations on the volume, such as a resize.", {
      patch: { strategy: ["merge"], mergeKey: "type" },
    }),
    allocatedResources: field(5, ResourceList, "The resources allocated to the claim. They exceed the capacity during an expansion."),
    allocatedResourceStatuses: field(
      7,
      named("map[v1.ResourceName]v1.ClaimResourceStatus", record(named("v1.ClaimResourceStatus", oneOf(...resizeStatuses)))),
      "The status of a resize, by resource. Absent if none is in progress.",
      { granular: true },
    ),
    currentVolumeAttributesClassName: field(8, string, "The attributes class that is applied to the volume. Absent if none is.", {
      pointer: true,
      ...gated,
    }),
    modifyVolumeStatus: field(9, ModifyVolumeStatus, "The status of a change of volume attributes.", { pointer: true, ...gated }),
  }, {
    doc: "The status of a claim.",
    applyDefaults(self: { readonly phase?: string }) {
      const rounded = rounding(self);
      return (rounded.phase ?? "") === "" ? { ...rounded, phase: "Pending" } : rounded;
    },
  });

  return object("PersistentVolumeClaim", {
    spec: field(2, PersistentVolumeClaimSpec, "The requested properties of the volume.", { written: "always" }),
    status: field(3, PersistentVolumeClaimStatus, "The status of the claim. Set by the volume binder, CSI drivers and kubelets.", {
      written: "always",
    }),
  }, { package: "core/v1", doc: "A request for a volume, and the binding to it." });
}

export const PersistentVolumeClaim = claimSchema("VolumeAttributesClass");
export type PersistentVolumeClaim = Infer<typeof PersistentVolumeClaim>;

/** A claim in another object. */
export const EmbeddedClaim = claimSchema();
