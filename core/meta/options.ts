/** Options of requests, and the documents of discovery (meta/v1). */
import {
  boolean,
  type Field,
  field,
  type Infer,
  int64,
  list,
  named,
  plainList,
  raw,
  type Shape,
  string,
  type StructNode,
  structsOf,
  type Typed,
} from "../schema.ts";

const struct = structsOf("meta/v1");

/** `kind` and `apiVersion` of a body that is not a stored object; both are optional. */
export interface TypeMeta {
  readonly kind?: string;
  readonly apiVersion?: string;
}

/** Makes a struct with `kind` and `apiVersion`, but without metadata. */
function typedStruct<const F extends Readonly<Record<string, Field<any, any>>>>(
  name: string,
  fields: F,
  doc: string,
): Typed<TypeMeta & Shape<F>, StructNode> {
  // `typeMeta` adds the fields of TypeMeta.
  return Object.freeze({ ...struct(name, fields, { doc }), typeMeta: true }) as Typed<TypeMeta & Shape<F>, StructNode>;
}

export const Preconditions = struct("Preconditions", {
  uid: field(1, named("types.UID", string), "Required UID of the object.", { pointer: true }),
  resourceVersion: field(2, string, "Required resource version of the object.", { pointer: true }),
}, { doc: "Preconditions of a request. A request whose preconditions do not hold is rejected with a conflict." });
export type Preconditions = Infer<typeof Preconditions>;

export const DeleteOptions = typedStruct("DeleteOptions", {
  gracePeriodSeconds: field(
    1,
    int64,
    "Seconds for a graceful end of the object; zero deletes at once. The default depends on the kind.",
    { pointer: true },
  ),
  preconditions: field(2, Preconditions, "Preconditions of the deletion.", { pointer: true }),
  orphanDependents: field(
    3,
    boolean,
    "Superseded by propagationPolicy; true is Orphan, false is Background. Only one of the two may be set.",
    {
      pointer: true,
    },
  ),
  propagationPolicy: field(
    4,
    named("v1.DeletionPropagation", string),
    "Treatment of dependents: Orphan keeps them, Background deletes them afterwards, Foreground deletes them first. " +
      "The default depends on the finalizers of the object, then on the kind.",
    { pointer: true },
  ),
  dryRun: field(5, list(string), "With All, the request is validated and nothing is stored. All is the only valid value."),
  ignoreStoreReadErrorWithClusterBreakingPotential: field(
    6,
    boolean,
    "Deletes an object whose stored bytes cannot be read, without finalizers, preconditions or admission. " +
      "Dependents of the object may break; for repairs only.",
    { pointer: true },
  ),
}, "Options of a deletion.");
export type DeleteOptions = Infer<typeof DeleteOptions>;

export const Patch = struct("Patch", {}, { doc: "A patch in the format of the Content-Type." });

export const WatchEvent = struct("WatchEvent", {
  type: field(1, string, "ADDED, MODIFIED, DELETED, BOOKMARK or ERROR.", { required: true }),
  object: field(
    2,
    raw,
    "The new object; for DELETED its last state, for BOOKMARK an object with kind and resourceVersion only, for ERROR a Status.",
    { required: true },
  ),
}, { doc: "One event of a watch." });
export type WatchEvent = Infer<typeof WatchEvent>;

export const GroupVersionForDiscovery = struct("GroupVersionForDiscovery", {
  groupVersion: field(1, string, "Group and version with a slash between; the version alone for the core group.", { required: true }),
  version: field(2, string, "The version alone.", { required: true }),
}, { doc: "One version of a group." });

export const ServerAddressByClientCIDR = struct("ServerAddressByClientCIDR", {
  clientCIDR: field(1, string, "Addresses of the clients that use this server address.", { required: true }),
  serverAddress: field(2, string, "Host and port of the server for those clients.", { required: true }),
}, { doc: "The server address for clients of one network." });

export const APIVersions = typedStruct("APIVersions", {
  versions: field(1, list(string), "Versions of the core group.", { required: true }),
  serverAddressByClientCIDRs: field(2, list(ServerAddressByClientCIDR), "Server addresses by client network.", {
    required: true,
  }),
}, "Served versions of the core group.");
export type APIVersions = Infer<typeof APIVersions>;

export const APIGroup = typedStruct("APIGroup", {
  name: field(1, string, "Name of the group.", { required: true }),
  versions: field(2, list(GroupVersionForDiscovery), "Served versions of the group.", { required: true }),
  preferredVersion: field(3, GroupVersionForDiscovery, "The version that clients should use by default.", {
    written: "always",
  }),
  serverAddressByClientCIDRs: field(4, list(ServerAddressByClientCIDR), "Server addresses by client network."),
}, "A group and its versions.");
export type APIGroup = Infer<typeof APIGroup>;

export const APIGroupList = typedStruct("APIGroupList", {
  groups: field(1, list(APIGroup), "The groups.", { required: true, made: true }),
}, "All served groups except the core group.");
export type APIGroupList = Infer<typeof APIGroupList>;

// In protobuf it is a message, so that an absent list differs from an empty one. In JSON it is a plain list.
const Verbs = struct("Verbs", {
  verbs: field(1, plainList(string), "Supported verbs.", { required: true }),
});

export const APIResource = struct("APIResource", {
  name: field(1, string, "Plural name, as in the path; resource, slash and name for a subresource.", { required: true }),
  singularName: field(6, string, "Singular name, for command lines.", { required: true }),
  namespaced: field(2, boolean, "Whether objects are namespaced.", { required: true }),
  group: field(8, string, "Group of the kind, if it differs from that of the list."),
  version: field(9, string, "Version of the kind, if it differs from that of the list."),
  kind: field(3, string, "Kind of the objects.", { required: true }),
  verbs: field(4, Verbs, "Supported verbs.", { inline: true, written: "always" }),
  shortNames: field(5, list(string), "Short names for command lines."),
  categories: field(7, list(string), "Categories of the resource, such as all."),
  storageVersionHash: field(10, string, "Hash of the storage version. Compare for equality only."),
}, { doc: "A resource and its verbs." });

export const APIResourceList = typedStruct("APIResourceList", {
  groupVersion: field(1, string, "Group and version of the resources.", { required: true }),
  resources: field(2, list(APIResource), "The resources, each followed by its subresources.", { required: true }),
}, "The resources of one group version.");
export type APIResourceList = Infer<typeof APIResourceList>;
