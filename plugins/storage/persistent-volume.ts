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
    description: "The size of the volume.",
    cell: ({ spec: { capacity = {} } }) => capacity["storage"] ?? "0",
  },
  {
    name: "Access Modes",
    type: "string",
    description: "How the volume can be mounted, in short forms.",
    cell: ({ spec }) => accessModesCell(spec.accessModes),
  },
  {
    name: "Reclaim Policy",
    type: "string",
    description: "What happens to the volume after its claim is deleted.",
    cell: ({ spec }) => spec.persistentVolumeReclaimPolicy ?? "",
  },
  {
    name: "Status",
    type: "string",
    description: "The phase of the volume: Pending, Available, Bound, Released or Failed.",
    cell: (volume) => phaseCell(volume, volume.status.phase),
  },
  {
    name: "Claim",
    type: "string",
    description: "Namespace and name of the claim that the volume is bound to.",
    cell: ({ spec: { claimRef } }) => claimRef === undefined ? "" : `${claimRef.namespace ?? ""}/${claimRef.name ?? ""}`,
  },
  {
    name: "StorageClass",
    type: "string",
    description: "The storage class of the volume.",
    cell: (volume) => classCell(volume, volume.spec.storageClassName),
  },
  {
    name: "VolumeAttributesClass",
    type: "string",
    description: "The attributes class of the volume.",
    cell: ({ spec }) => spec.volumeAttributesClassName ?? "<unset>",
  },
  {
    name: "Reason",
    type: "string",
    description: "A word for the cause of the phase, if there is one.",
    cell: ({ status }) => status.reason ?? "",
  },
  ageColumn,
  {
    name: "VolumeMode",
    type: "string",
    priority: 1,
    description: "Whether the volume has a file system or is a block device.",
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

export const persistentVolumes: Resource<PersistentVolume> = defineResource({
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
