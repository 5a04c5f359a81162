import { type Column, defineResource, nameColumn, type Resource, type Subresource } from "../../plugin.ts";
import { metaOfStatus, metaRulesOf, validateObjectMeta, validateObjectMetaUpdate } from "../../toolbox.ts";
import { fromStored, inheritAlphaFields, toStored } from "./alpha.ts";
import { isAlpha, strategy, validateSpec, validateStatus, validateUpdate } from "./rules.ts";
import { AlphaStorageVersionMigration, StorageVersionMigration } from "./schema.ts";

// Upstream declares the name column of this resource without a format.
const { format: _format, ...plainNameColumn } = nameColumn;

const columns: readonly Column<StorageVersionMigration>[] = [
  plainNameColumn,
  {
    name: "Resource",
    type: "string",
    description: "The resource whose objects are written anew.",
    cell: ({ spec: { resource: { group, resource } } }) => group === "" ? resource : `${resource}.${group}`,
  },
  {
    name: "Status",
    type: "string",
    description: "The progress: Running, Succeeded, Failed or Unknown.",
    cell: ({ status: { conditions = [] } }) =>
      conditions.findLast(({ type, status }) => ["Running", "Failed", "Succeeded"].includes(type) && status === "True")?.type ?? "Unknown",
  },
];

/** The columns of v1alpha1. Cells get the v1alpha1 form, not the stored one. */
const alphaColumns: readonly Column[] = [
  plainNameColumn,
  {
    name: "Resource",
    type: "string",
    description: "The resource whose objects are written anew.",
    cell: ({ spec: { resource: { group = "", version = "", resource = "" } } }: AlphaStorageVersionMigration) =>
      `${resource}.${version}.${group}`,
  },
];

const status: Subresource<StorageVersionMigration> = {
  leaves: ["metadata", "spec"],
  // Only the status and, through metaOfStatus, the managed fields are taken from the request.
  write: (next, prior) => ({ ...prior, metadata: metaOfStatus(next.metadata, prior.metadata), status: next.status }),
  update: (next, prior, context) => [
    ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", metaRulesOf(storageVersionMigrations, context.names)),
    ...validateStatus(next, prior, context),
  ],
};

const beta = "storagemigration.{domain}/v1beta1";

export const storageVersionMigrations: Resource<StorageVersionMigration> = defineResource({
  kind: "StorageVersionMigration",
  scope: "Cluster",
  summary: "A request to rewrite all objects of a resource in the current storage version.",
  storedAs: beta,
  storedUnder: "storageversionmigrations",
  served: {
    [beta]: { schema: StorageVersionMigration, introduced: "1.35", columns, subresources: { status } },
    "storagemigration.{domain}/v1alpha1": {
      schema: AlphaStorageVersionMigration,
      introduced: "1.30",
      deprecated: "1.35",
      // --runtime-config can still enable it.
      removed: "1.35",
      keptBy: "StorageVersionMigrator",
      replacement: { groupVersion: beta, kind: "StorageVersionMigration" },
      columns: alphaColumns,
      subresources: { status },
      toStored,
      fromStored,
    },
  },
  strategy,
  prepare(next, prior, context) {
    if (prior === undefined) return { ...next, status: {} };
    const kept = { ...next, status: prior.status };
    return isAlpha(context) ? kept : inheritAlphaFields(kept, prior);
  },
  create: validateSpec,
  update: (next, prior, context) => [
    ...validateObjectMeta(next.metadata, metaRulesOf(storageVersionMigrations, context.names)),
    ...validateUpdate(next, prior, context),
  ],
});
