/** The schemas of the two served versions. The stored form is v1beta1. */
import { Condition, field, type Infer, mapBy, object, string, struct, structsOf, time } from "../../plugin.ts";

const home = "storagemigration/v1beta1", alphaHome = "storagemigration/v1alpha1";
const betaStruct = structsOf(home), alphaStruct = structsOf(alphaHome);
const docs = {
  kind: "A request to rewrite all objects of a resource, so that they are stored in the current storage version.",
  spec: "The resource to migrate. Immutable.",
  status: "The progress of the migration. Set by the migration controller.",
  conditions: "The conditions Running, Succeeded and Failed.",
  resourceVersion: "The resourceVersion of the list with which the migration began. Newer objects need no rewrite. Can be set once.",
};

const GroupResource = struct("GroupResource", {
  group: field(1, string, "Group of the resource; empty for the core group.", { required: true }),
  resource: field(2, string, "The plural name of the resource.", { required: true }),
}, { package: "meta/v1", doc: "Identifies a resource independently of its version." });

const StorageVersionMigrationSpec = betaStruct("StorageVersionMigrationSpec", {
  resource: field(1, GroupResource, "The resource to migrate.", { required: true }),
}, { doc: "The specification of a migration." });

const StorageVersionMigrationStatus = betaStruct("StorageVersionMigrationStatus", {
  conditions: field(1, mapBy(["type"], Condition), docs.conditions, {
    patch: { strategy: ["merge"], mergeKey: "type" },
    keepsEmpty: true,
  }),
  resourceVersion: field(2, string, docs.resourceVersion),
}, { doc: "The status of a migration." });

export const StorageVersionMigration = object("StorageVersionMigration", {
  spec: field(2, StorageVersionMigrationSpec, docs.spec, { written: "always" }),
  status: field(3, StorageVersionMigrationStatus, docs.status, { written: "always" }),
}, { package: home, doc: docs.kind });
export type StorageVersionMigration = Infer<typeof StorageVersionMigration>;

const GroupVersionResource = alphaStruct("GroupVersionResource", {
  group: field(1, string, "Group of the resource; empty for the core group."),
  version: field(2, string, "The version in which the objects are read and written."),
  resource: field(3, string, "The plural name of the resource."),
}, { doc: "Identifies a resource in one version." });

const AlphaSpec = alphaStruct("StorageVersionMigrationSpec", {
  resource: field(1, GroupVersionResource, "The resource to migrate. Immutable.", { required: true }),
  continueToken: field(2, string, "The continue token of the next list request."),
}, { doc: "The specification of a migration." });

const MigrationCondition = alphaStruct("MigrationCondition", {
  type: field(1, string, "The type of the condition.", { required: true }),
  status: field(2, string, "True, False or Unknown.", { required: true }),
  lastUpdateTime: field(3, time, "The time of the last update of the condition.", { written: "always" }),
  reason: field(4, string, "The reason of the last transition, in CamelCase."),
  message: field(5, string, "Details for people."),
}, { doc: "A condition of a migration." });

const AlphaStatus = alphaStruct("StorageVersionMigrationStatus", {
  conditions: field(1, mapBy(["type"], MigrationCondition), docs.conditions, { patch: { strategy: ["merge"], mergeKey: "type" } }),
  resourceVersion: field(2, string, docs.resourceVersion),
}, { doc: "The status of a migration." });

export const AlphaStorageVersionMigration = object("StorageVersionMigration", {
  spec: field(2, AlphaSpec, docs.spec, { written: "always" }),
  status: field(3, AlphaStatus, docs.status, { written: "always" }),
}, { package: alphaHome, doc: docs.kind });
export type AlphaStorageVersionMigration = Infer<typeof AlphaStorageVersionMigration>;
