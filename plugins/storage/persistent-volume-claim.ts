import { ageColumn, type Column, defineResource, type HookContext, nameColumn, type Resource, type Subresource } from "../../plugin.ts";
import { validateClaimCreate, validateClaimStatus, validateClaimUpdate, warnOfClaim } from "./claim-rules.ts";
import { PersistentVolumeClaim } from "../shared/volumes/claim.ts";
import { withSources } from "./claim-sources.ts";
import { attributesClassGate } from "./gates.ts";
import { accessModesCell, classCell, phaseCell } from "./columns.ts";

const columns: readonly Column<PersistentVolumeClaim>[] = [
  nameColumn,
  {
    name: "Status",
    type: "string",
    description: "The phase of the claim: Pending, Bound or Lost.",
    cell: (claim) => phaseCell(claim, claim.status.phase),
  },
  {
    name: "Volume",
    type: "string",
    description: "The volume that is bound to the claim.",
    cell: ({ spec }) => spec.volumeName ?? "",
  },
  {
    name: "Capacity",
    type: "string",
    description: "The size of the bound volume.",
    cell: ({ spec, status: { capacity = {} } }) => (spec.volumeName ?? "") === "" ? "" : capacity["storage"] ?? "0",
  },
  {
    name: "Access Modes",
    type: "string",
    description: "How the bound volume can be mounted, in short forms.",
    cell: ({ spec, status }) => (spec.volumeName ?? "") === "" ? "" : accessModesCell(status.accessModes),
  },
  {
    name: "StorageClass",
    type: "string",
    description: "The storage class that the claim asks for.",
    cell: (claim) => classCell(claim, claim.spec.storageClassName),
  },
  {
    name: "VolumeAttributesClass",
    type: "string",
    description: "The attributes class that the claim asks for.",
    cell: ({ spec }) => spec.volumeAttributesClassName ?? "<unset>",
  },
  ageColumn,
  {
    name: "VolumeMode",
    type: "string",
    priority: 1,
    description: "Whether the claim asks for a file system or a block device.",
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

export const persistentVolumeClaims: Resource<PersistentVolumeClaim> = defineResource({
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
