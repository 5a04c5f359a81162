import { ageColumn, type Column, defineResource, type HookContext, nameColumn, type Resource, type Subresource } from "../../plugin.ts";
import { validateClaimCreate, validateClaimStatus, validateClaimUpdate, warnOfClaim } from "./claim-rules.ts";
import { PersistentVolumeClaim } from "./claim-schema.ts";
import { withSources } from "./claim-sources.ts";
import { attributesClassGate } from "./gates.ts";
import { accessModesCell, classCell, phaseCell } from "./columns.ts";

const columns: readonly Column<PersistentVolumeClaim>[] = [
  nameColumn,
  {
    name: "Status",
    type: "string",
    description: "phase represents the current phase of PersistentVolumeClaim.",
    cell: (claim) => phaseCell(claim, claim.status.phase),
  },
  {
    name: "Volume",
    type: "string",
    description: "volumeName is the binding reference to the PersistentVolume backing this claim.",
    cell: ({ spec }) => spec.volumeName ?? "",
  },
  {
    name: "Capacity",
    type: "string",
    description: "capacity represents the actual resources of the underlying volume.",
    cell: ({ spec, status: { capacity = {} } }) => (spec.volumeName ?? "") === "" ? "" : capacity["storage"] ?? "0",
  },
  {
    name: "Access Modes",
    type: "string",
    description: "accessModes contains the actual access modes the volume backing the PVC has. More info: " +
      "https://kubernetes.io/docs/concepts/storage/persistent-volumes#access-modes-1",
    cell: ({ spec, status }) => (spec.volumeName ?? "") === "" ? "" : accessModesCell(status.accessModes),
  },
  {
    name: "StorageClass",
    type: "string",
    description: "StorageClass of the pvc",
    cell: (claim) => classCell(claim, claim.spec.storageClassName),
  },
  {
    name: "VolumeAttributesClass",
    type: "string",
    description: "VolumeAttributesClass of the pvc",
    cell: ({ spec }) => spec.volumeAttributesClassName ?? "<unset>",
  },
  ageColumn,
  {
    name: "VolumeMode",
    type: "string",
    priority: 1,
    description:
      "volumeMode defines what type of volume is required by the claim. Value of Filesystem is implied when not included in claim spec.",
    cell: ({ spec }) => spec.volumeMode ?? "<unset>",
  },
];

function prepare(next: PersistentVolumeClaim, prior: PersistentVolumeClaim | undefined, context: HookContext): PersistentVolumeClaim {
  const spec = withSources(withoutDisabledClass(next, prior, context), prior?.spec, context);
  return { ...next, spec, status: prior?.status ?? { phase: "Pending" } };
}

/** Drops volumeAttributesClassName if its gate is disabled, unless one is stored. */
function withoutDisabledClass(
  { spec }: PersistentVolumeClaim,
  prior: PersistentVolumeClaim | undefined,
  { gates }: HookContext,
): PersistentVolumeClaim["spec"] {
  if (spec.volumeAttributesClassName === undefined || gates(attributesClassGate)) return spec;
  if (prior?.spec.volumeAttributesClassName !== undefined) return spec;
  const { volumeAttributesClassName: _off, ...kept } = spec;
  return kept;
}

const status: Subresource<PersistentVolumeClaim> = {
  write: (next, prior) => ({ ...next, spec: prior.spec }),
  update: validateClaimStatus,
};

export const persistentVolumeClaims: Resource<PersistentVolumeClaim> = defineResource<PersistentVolumeClaim>({
  kind: "PersistentVolumeClaim",
  scope: "Namespaced",
  shortNames: ["pvc"],
  summary: "A request for a volume, and the binding to it.",
  storedAs: "v1",
  storedUnder: "persistentvolumeclaims",
  served: { v1: { schema: PersistentVolumeClaim, introduced: "1.0", columns, subresources: { status } } },
  strategy: { deleteAnswers: "object", coreFinalizers: true },
  prepare,
  create: validateClaimCreate,
  update: validateClaimUpdate,
  warn: (next, _prior, context) => context.subresource === "" ? warnOfClaim(next, context) : [],
});
