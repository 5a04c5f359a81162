import { field, type Infer, int64, mapBy, object, setOf, string, structsOf, time } from "../../plugin.ts";
import { named, ObjectMeta } from "../../toolbox.ts";

const home = "apiserverinternal/v1alpha1";
const struct = structsOf(home);

const StorageVersionCondition = struct("StorageVersionCondition", {
  type: field(1, named("v1alpha1.StorageVersionConditionType", string), "The type of the condition, such as AllEncodingVersionsEqual.", {
    required: true,
  }),
  status: field(2, named("v1alpha1.ConditionStatus", string), "True, False or Unknown.", { required: true }),
  observedGeneration: field(3, int64, "The generation of the object that the condition is about."),
  lastTransitionTime: field(4, time, "When the status last changed.", { written: "always" }),
  reason: field(5, string, "The reason in one word, for programs.", { required: true }),
  message: field(6, string, "The reason, for people.", { required: true, written: "omitEmpty" }),
}, { doc: "A state of the storage versions of a resource." });
export type StorageVersionCondition = Infer<typeof StorageVersionCondition>;

const ServerStorageVersion = struct("ServerStorageVersion", {
  apiServerID: field(1, string, "The name of the server.", { required: true, written: "omitEmpty" }),
  encodingVersion: field(2, string, "The version in which the server stores objects.", { required: true, written: "omitEmpty" }),
  decodableVersions: field(3, setOf(string), "The versions that the server can read from the store. They include encodingVersion.", {
    required: true,
    written: "omitEmpty",
  }),
  servedVersions: field(4, setOf(string), "The versions that the server serves. decodableVersions include them."),
}, { doc: "What one server stores, reads and serves." });
export type ServerStorageVersion = Infer<typeof ServerStorageVersion>;

const StorageVersionStatus = struct("StorageVersionStatus", {
  storageVersions: field(1, mapBy(["apiServerID"], ServerStorageVersion), "The versions of each server."),
  commonEncodingVersion: field(2, string, "The version in which all servers store objects. Absent if they differ.", { pointer: true }),
  conditions: field(3, mapBy(["type"], StorageVersionCondition), "The conditions of the storage versions."),
}, { doc: "The versions of each server, and the common one." });
export type StorageVersionStatus = Infer<typeof StorageVersionStatus>;

const StorageVersionSpec = struct("StorageVersionSpec", {}, { doc: "An empty spec." });

export const StorageVersion = object("StorageVersion", {
  metadata: field(1, ObjectMeta, "Standard metadata of the object.", { required: true }), // required, as in Event
  spec: field(2, StorageVersionSpec, "Empty.", { written: "always" }),
  status: field(3, StorageVersionStatus, "The versions of each server, and the common one.", { written: "always" }),
}, { package: home, doc: "The versions in which servers store the objects of a resource." });
export type StorageVersion = Infer<typeof StorageVersion>;
