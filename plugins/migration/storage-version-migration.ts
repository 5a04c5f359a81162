import { defineResource } from "../../core/define/define.ts";
import { nameColumn } from "../../core/meta/columns.ts";
import { metaOfStatus } from "../../core/meta/status-meta.ts";
import { metaRulesOf, validateObjectMeta, validateObjectMetaUpdate } from "../../core/meta/validate-object-meta.ts";
import type { Column, Resource, Subresource } from "../../core/plugin.ts";
import { fromStored, toStored, withKeptOf } from "./alpha.ts";
import { isAlpha, strategy, validateSpec, validateStatus, validateUpdate } from "./rules.ts";
import { AlphaStorageVersionMigration, StorageVersionMigration } from "./schema.ts";

// The name has no format in these tables, so clients do not take it for one.
const { format: _format, ...plainNameColumn } = nameColumn;

const columns: readonly Column<StorageVersionMigration>[] = [
  plainNameColumn,
  {
    name: "Resource",
    type: "string",
    description: "GroupResource to migrate",
    cell: ({ spec: { resource: { group, resource } } }) => group === "" ? resource : `${resource}.${group}`,
  },
  {
    name: "Status",
    type: "string",
    description: "Status of the migration",
    cell: ({ status: { conditions = [] } }) =>
      conditions.findLast(({ type, status }) => ["Running", "Failed", "Succeeded"].includes(type) && status === "True")?.type ?? "Unknown",
  },
];

/** Of the shape that v1alpha1 shows, which is not the stored one. */
const alphaColumns: readonly Column[] = [
  plainNameColumn,
  {
    name: "Resource",
    type: "string",
    description: "Fully qualified resource to migrate",
    cell: ({ spec: { resource: { group = "", version = "", resource = "" } } }: AlphaStorageVersionMigration) =>
      `${resource}.${version}.${group}`,
  },
];

const status: Subresource<StorageVersionMigration> = {
  leaves: ["metadata", "spec"],
  /** Status is the client's, all else is what is stored, save that the managed fields are counted anew. */
  write: (next, prior) => ({ ...prior, metadata: metaOfStatus(next.metadata, prior.metadata), status: next.status }),
  update: (next, prior, at) => [
    ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", metaRulesOf(storageVersionMigrations, at.names)),
    ...validateStatus(next, prior, at),
  ],
};

const beta = "storagemigration.{domain}/v1beta1";

export const storageVersionMigrations: Resource<StorageVersionMigration> = defineResource<StorageVersionMigration>({
  kind: "StorageVersionMigration",
  scope: "Cluster",
  summary: "The wish that all objects of a resource be written anew, in the version that is stored now.",
  storedAs: beta,
  storedUnder: "storageversionmigrations",
  served: {
    [beta]: { schema: StorageVersionMigration, introduced: "1.35", columns, subresources: { status } },
    "storagemigration.{domain}/v1alpha1": {
      schema: AlphaStorageVersionMigration,
      introduced: "1.30",
      deprecated: "1.35",
      // Served all the same where --runtime-config asks for it.
      removed: "1.35",
      keptBy: "StorageVersionMigrator",
      replacement: { groupVersion: beta, kind: "StorageVersionMigration" },
      columns: alphaColumns,
      subresources: { status },
      convert: { toStored, fromStored },
    },
  },
  strategy,
  prepare(next, prior, at) {
    if (prior === undefined) return { ...next, status: {} };
    const kept = { ...next, status: prior.status };
    return isAlpha(at) ? kept : withKeptOf(kept, prior);
  },
  create: validateSpec,
  update: (next, prior, at) => [
    ...validateObjectMeta(next.metadata, metaRulesOf(storageVersionMigrations, at.names)),
    ...validateUpdate(next, prior, at),
  ],
});
