import { ageColumn, type Column, defineResource, type HookContext, nameColumn, type Resource, type Subresource } from "../../plugin.ts";
import { attributesClassGate } from "./gates.ts";
import { accessModesCell, classCell, phaseCell } from "./columns.ts";
import { validateVolumeCreate, validateVolumeStatus, validateVolumeUpdate, warnOfVolume } from "./persistent-volume-rules.ts";
import { PersistentVolume } from "./persistent-volume-schema.ts";

const columns: readonly Column<PersistentVolume>[] = [
  nameColumn,
  {
    name: "Capacity",
    type: "string",
    description: "capacity is the description of the persistent volume's resources and capacity. More info: " +
      "https://kubernetes.io/docs/concepts/storage/persistent-volumes#capacity",
    cell: ({ spec: { capacity = {} } }) => capacity["storage"] ?? "0",
  },
  {
    name: "Access Modes",
    type: "string",
    description: "accessModes contains all ways the volume can be mounted. More info: " +
      "https://kubernetes.io/docs/concepts/storage/persistent-volumes#access-modes",
    cell: ({ spec }) => accessModesCell(spec.accessModes),
  },
  {
    name: "Reclaim Policy",
    type: "string",
    description:
      "persistentVolumeReclaimPolicy defines what happens to a persistent volume when released from its claim. Valid options are Retain " +
      "(default for manually created PersistentVolumes), Delete (default for dynamically provisioned PersistentVolumes), and Recycle (deprecated). " +
      "Recycle must be supported by the volume plugin underlying this PersistentVolume. More info: " +
      "https://kubernetes.io/docs/concepts/storage/persistent-volumes#reclaiming",
    cell: ({ spec }) => spec.persistentVolumeReclaimPolicy ?? "",
  },
  {
    name: "Status",
    type: "string",
    description: "phase indicates if a volume is available, bound to a claim, or released by a claim. More info: " +
      "https://kubernetes.io/docs/concepts/storage/persistent-volumes#phase",
    cell: (volume) => phaseCell(volume, volume.status.phase),
  },
  {
    name: "Claim",
    type: "string",
    description:
      "claimRef is part of a bi-directional binding between PersistentVolume and PersistentVolumeClaim. Expected to be non-nil when bound. " +
      "claim.VolumeName is the authoritative bind between PV and PVC. More info: " +
      "https://kubernetes.io/docs/concepts/storage/persistent-volumes#binding",
    cell: ({ spec: { claimRef } }) => claimRef === undefined ? "" : `${claimRef.namespace ?? ""}/${claimRef.name ?? ""}`,
  },
  {
    name: "StorageClass",
    type: "string",
    description: "StorageClass of the pv",
    cell: (volume) => classCell(volume, volume.spec.storageClassName),
  },
  {
    name: "VolumeAttributesClass",
    type: "string",
    description: "VolumeAttributesClass of the pv",
    cell: ({ spec }) => spec.volumeAttributesClassName ?? "<unset>",
  },
  {
    name: "Reason",
    type: "string",
    description:
      "reason is a brief CamelCase string that describes any failure and is meant for machine parsing and tidy display in the CLI.",
    cell: ({ status }) => status.reason ?? "",
  },
  ageColumn,
  {
    name: "VolumeMode",
    type: "string",
    priority: 1,
    description:
      "volumeMode defines if a volume is intended to be used with a formatted filesystem or to remain in raw block state. Value of " +
      "Filesystem is implied when not included in spec.",
    cell: ({ spec }) => spec.volumeMode ?? "<unset>",
  },
];

/** Sets the status of a new volume to Pending. */
function prepare(next: PersistentVolume, prior: PersistentVolume | undefined, context: HookContext): PersistentVolume {
  const kept = withoutDisabledClass(next, prior, context);
  return prior === undefined ? { ...kept, status: { phase: "Pending", lastPhaseTransitionTime: context.now } } : kept;
}

/** Drops volumeAttributesClassName if its gate is disabled, unless one is stored. */
function withoutDisabledClass(next: PersistentVolume, prior: PersistentVolume | undefined, { gates }: HookContext): PersistentVolume {
  if (next.spec.volumeAttributesClassName === undefined || gates(attributesClassGate)) return next;
  if (prior?.spec.volumeAttributesClassName !== undefined) return next;
  const { volumeAttributesClassName: _off, ...spec } = next.spec;
  return { ...next, spec };
}

const status: Subresource<PersistentVolume> = {
  // A phase that changes without a new time gets the current time; an unchanged phase keeps its time.
  write(next, prior, context) {
    const { phase, lastPhaseTransitionTime: time } = next.status, { lastPhaseTransitionTime: before } = prior.status;
    const changed = phase !== prior.status.phase;
    const transition = changed ? (time === undefined || time === before ? context.now : time) : time ?? before;
    const status = transition === undefined || transition === time ? next.status : { ...next.status, lastPhaseTransitionTime: transition };
    return { ...next, spec: prior.spec, status };
  },
  update: validateVolumeStatus,
};

export const persistentVolumes: Resource<PersistentVolume> = defineResource<PersistentVolume>({
  kind: "PersistentVolume",
  scope: "Cluster",
  shortNames: ["pv"],
  summary: "A storage volume of the cluster, created by an administrator or a provisioner.",
  storedAs: "v1",
  storedUnder: "persistentvolumes",
  served: { v1: { schema: PersistentVolume, introduced: "1.0", columns, subresources: { status } } },
  strategy: { deleteAnswers: "object", coreFinalizers: true },
  prepare,
  create: validateVolumeCreate,
  update: validateVolumeUpdate,
  warn: (next, _prior, context) => context.subresource === "" ? warnOfVolume(next, context) : [],
});
