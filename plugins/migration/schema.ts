/** The two shapes in which a migration is shown. What is stored is the newer one. */
import { Condition } from "../../core/meta/condition.ts";
import { object } from "../../core/meta/object.ts";
import { field, type Infer, mapBy, string, struct, structsOf, time } from "../../core/schema.ts";

const home = "storagemigration/v1beta1", alphaHome = "storagemigration/v1alpha1";
const betaStruct = structsOf(home), alphaStruct = structsOf(alphaHome);
const docs = {
  kind: "The wish that all objects of a resource be written anew, so that they are stored in the version that is stored now.",
  spec: "Which objects are to be written anew. Cannot change.",
  status: "How far it is; kept by the controller that does it.",
  conditions: "Running, Succeeded and Failed, as far as they can be told yet.",
  resourceVersion: "Version of the resource's list when the migration began; objects that are newer need not be written. Set once.",
};

const GroupResource = struct("GroupResource", {
  group: field(1, string, "Group of the resource; empty for the core group.", { required: true }),
  resource: field(2, string, "The resource, in the plural.", { required: true }),
}, { package: "meta/v1", doc: "Names a resource in all of its versions." });

const StorageVersionMigrationSpec = betaStruct("StorageVersionMigrationSpec", {
  resource: field(1, GroupResource, "The resource whose objects are written anew.", { required: true }),
}, { doc: "Which objects are to be written anew." });

const StorageVersionMigrationStatus = betaStruct("StorageVersionMigrationStatus", {
  conditions: field(1, mapBy(["type"], Condition), docs.conditions, {
    patch: { strategy: ["merge"], mergeKey: "type" },
    keepsEmpty: true,
  }),
  resourceVersion: field(2, string, docs.resourceVersion),
}, { doc: "How far a migration is." });

export const StorageVersionMigration = object("StorageVersionMigration", {
  spec: field(2, StorageVersionMigrationSpec, docs.spec, { written: "always" }),
  status: field(3, StorageVersionMigrationStatus, docs.status, { written: "always" }),
}, { package: home, doc: docs.kind });
export type StorageVersionMigration = Infer<typeof StorageVersionMigration>;

const GroupVersionResource = alphaStruct("GroupVersionResource", {
  group: field(1, string, "Group of the resource; empty for the core group."),
  version: field(2, string, "Version in which the objects are read and written."),
  resource: field(3, string, "The resource, in the plural."),
}, { doc: "Names a resource in one of its versions." });

const AlphaSpec = alphaStruct("StorageVersionMigrationSpec", {
  resource: field(1, GroupVersionResource, "The resource whose objects are written anew. Cannot change.", { required: true }),
  continueToken: field(2, string, "Where a list of the objects goes on from."),
}, { doc: "Which objects are to be written anew, and where that goes on." });

const MigrationCondition = alphaStruct("MigrationCondition", {
  type: field(1, string, "What the condition is about.", { required: true }),
  status: field(2, string, "True, False or Unknown.", { required: true }),
  lastUpdateTime: field(3, time, "When the condition was last told.", { written: "always" }),
  reason: field(4, string, "Why, as one word for machines."),
  message: field(5, string, "Why, for people."),
}, { doc: "One finding about a migration." });

const AlphaStatus = alphaStruct("StorageVersionMigrationStatus", {
  conditions: field(1, mapBy(["type"], MigrationCondition), docs.conditions, { patch: { strategy: ["merge"], mergeKey: "type" } }),
  resourceVersion: field(2, string, docs.resourceVersion),
}, { doc: "How far a migration is." });

export const AlphaStorageVersionMigration = object("StorageVersionMigration", {
  spec: field(2, AlphaSpec, docs.spec, { written: "always" }),
  status: field(3, AlphaStatus, docs.status, { written: "always" }),
}, { package: alphaHome, doc: docs.kind });
export type AlphaStorageVersionMigration = Infer<typeof AlphaStorageVersionMigration>;
