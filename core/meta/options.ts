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

/** `kind` and `apiVersion` of a body that is no stored object: both may be absent. */
interface TypeMeta {
  readonly kind?: string;
  readonly apiVersion?: string;
}

/** A struct that carries `kind` and `apiVersion`, but no metadata. */
function typed<const F extends Readonly<Record<string, Field<any, any>>>>(
  name: string,
  fields: F,
  doc: string,
): Typed<TypeMeta & Shape<F>, StructNode> {
  // The fields of TypeMeta are those that typeMeta describes.
  return Object.freeze({ ...struct(name, fields, { doc }), typeMeta: true }) as Typed<TypeMeta & Shape<F>, StructNode>;
}

export const Preconditions = struct("Preconditions", {
  uid: field(1, named("types.UID", string), "UID that the object must have.", { pointer: true }),
  resourceVersion: field(2, string, "Version that the object must be at.", { pointer: true }),
}, { doc: "What must be true of an object for the request to be carried out; otherwise it is refused as a conflict." });
export type Preconditions = Infer<typeof Preconditions>;

export const DeleteOptions = typed("DeleteOptions", {
  gracePeriodSeconds: field(
    1,
    int64,
    "Seconds that the object is given to end by itself; zero deletes at once. When absent, the kind decides.",
    { pointer: true },
  ),
  preconditions: field(2, Preconditions, "What must be true of the object, or it is not deleted.", { pointer: true }),
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
    "What becomes of objects that belong to this one: Orphan keeps them, Background collects them afterwards, Foreground deletes them first. " +
      "When absent, finalizers of the object or else the kind decide.",
    { pointer: true },
  ),
  dryRun: field(5, list(string), "When it holds All, everything is checked and nothing is stored. No other value is known."),
  ignoreStoreReadErrorWithClusterBreakingPotential: field(
    6,
    boolean,
    "Deletes an object whose stored bytes cannot be read any more, without finalizers, preconditions or admission. " +
      "What depends on the object may break; meant for repairs only.",
    { pointer: true },
  ),
}, "How an object is to be deleted.");
export type DeleteOptions = Infer<typeof DeleteOptions>;

export const Patch = struct("Patch", {}, { doc: "A patch in one of the formats that the Content-Type names." });

export const WatchEvent = struct("WatchEvent", {
  type: field(1, string, "ADDED, MODIFIED, DELETED, BOOKMARK or ERROR.", { required: true }),
  object: field(
    2,
    raw,
    "The object as it is now, as it last was for DELETED, with only its kind and resourceVersion for BOOKMARK, or a Status for ERROR.",
    { required: true },
  ),
}, { doc: "One change that a watch reports." });
export type WatchEvent = Infer<typeof WatchEvent>;

export const GroupVersionForDiscovery = struct("GroupVersionForDiscovery", {
  groupVersion: field(1, string, "Group and version with a slash between; the version alone for the core group.", { required: true }),
  version: field(2, string, "The version alone.", { required: true }),
}, { doc: "One version of a group." });

export const ServerAddressByClientCIDR = struct("ServerAddressByClientCIDR", {
  clientCIDR: field(1, string, "Addresses of clients to which the server's address is meant.", { required: true }),
  serverAddress: field(2, string, "Host and port where those clients reach the server.", { required: true }),
}, { doc: "Where clients of one network reach the server." });

export const APIVersions = typed("APIVersions", {
  versions: field(1, list(string), "Versions of the core group.", { required: true }),
  serverAddressByClientCIDRs: field(2, list(ServerAddressByClientCIDR), "Where clients reach the server, by their address.", {
    required: true,
  }),
}, "Versions of the core group that the server answers.");
export type APIVersions = Infer<typeof APIVersions>;

export const APIGroup = typed("APIGroup", {
  name: field(1, string, "Name of the group.", { required: true }),
  versions: field(2, list(GroupVersionForDiscovery), "Versions of the group that the server answers.", { required: true }),
  preferredVersion: field(3, GroupVersionForDiscovery, "The version that clients should take when they have no reason for another.", {
    written: "always",
  }),
  serverAddressByClientCIDRs: field(4, list(ServerAddressByClientCIDR), "Where clients reach the server, by their address."),
}, "A group and its versions.");
export type APIGroup = Infer<typeof APIGroup>;

export const APIGroupList = typed("APIGroupList", {
  groups: field(1, list(APIGroup), "The groups.", { required: true, made: true }),
}, "All groups that the server answers, but for the core group.");
export type APIGroupList = Infer<typeof APIGroupList>;

// A message of its own in protobuf, so that an absent list and an empty one differ; JSON shows the list itself.
const Verbs = struct("Verbs", {
  verbs: field(1, plainList(string), "What can be done with the resource.", { required: true }),
});

export const APIResource = struct("APIResource", {
  name: field(1, string, "Plural name, as in the path; resource, slash and name for a subresource.", { required: true }),
  singularName: field(6, string, "Name of a single one, for command lines.", { required: true }),
  namespaced: field(2, boolean, "Whether objects live in namespaces.", { required: true }),
  group: field(8, string, "Group of the kind, where it is not that of the list."),
  version: field(9, string, "Version of the kind, where it is not that of the list."),
  kind: field(3, string, "Kind of the objects.", { required: true }),
  verbs: field(4, Verbs, "What can be done with the resource.", { inline: true, written: "always" }),
  shortNames: field(5, list(string), "Short names for command lines."),
  categories: field(7, list(string), "Names of sets of resources that the resource belongs to, such as all."),
  storageVersionHash: field(10, string, "Changes when the stored form of the resource does; only to be compared for equality."),
}, { doc: "A resource and what can be done with it." });

export const APIResourceList = typed("APIResourceList", {
  groupVersion: field(1, string, "Group and version of the resources.", { required: true }),
  resources: field(2, list(APIResource), "The resources, each followed by its subresources.", { required: true }),
}, "The resources of one group version.");
export type APIResourceList = Infer<typeof APIResourceList>;
