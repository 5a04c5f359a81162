/** Metadata of stored objects and of lists (meta/v1). */
import {
  boolean,
  field,
  fieldsV1,
  type Infer,
  type Int64,
  int64,
  type Json,
  list,
  mapBy,
  named,
  record,
  setOf,
  string,
  type StructNode,
  structsOf,
  type Time,
  time,
  type Typed,
} from "../schema.ts";

const struct = structsOf("meta/v1");

/**
 * Returns the node with an explicit type, because exported types of the package are not inferred. Compiles only if the explicit type has
 * exactly the properties of the schema.
 */
export function declared<T>(): <S>(
  node: Typed<S, StructNode> & ([Required<S>, Required<T>] extends [Required<T>, Required<S>] ? unknown : never),
) => Typed<T, StructNode> {
  return (node) => node as Typed<any, StructNode>;
}

/** A reference to the owner of an object. */
export interface OwnerReference {
  /** The group version of the owner, such as `apps/v1`. */
  readonly apiVersion: string;
  /** The kind of the owner. */
  readonly kind: string;
  /** The name of the owner. It is in the same namespace, or cluster-scoped. */
  readonly name: string;
  /** The UID of the owner. A reference to an object with the same name and another UID has no owner. */
  readonly uid: string;
  /** Whether this owner manages the object. At most one owner has true. Default: false. */
  readonly controller?: boolean;
  /** Whether a foreground deletion of the owner waits until this object is removed. Default: false. */
  readonly blockOwnerDeletion?: boolean;
}
/** The schema of `OwnerReference`. */
export const OwnerReference: Typed<OwnerReference, StructNode> = declared<OwnerReference>()(struct("OwnerReference", {
  apiVersion: field(5, string, "API version of the owner.", { required: true }),
  kind: field(1, string, "Kind of the owner.", { required: true }),
  name: field(3, string, "Name of the owner.", { required: true }),
  uid: field(4, named("types.UID", string), "UID of the owner.", { required: true }),
  controller: field(6, boolean, "Whether the owner is the managing controller; at most one is.", { pointer: true }),
  blockOwnerDeletion: field(7, boolean, "Whether a foreground deletion of the owner waits for this object.", { pointer: true }),
}, { doc: "The owner of this object, in the same namespace or cluster-scoped.", atomic: true }));

/** The fields of an object that one manager owns. */
export interface ManagedFieldsEntry {
  /** The name of the client that wrote the fields, its `fieldManager`. */
  readonly manager?: string;
  /** The kind of write: `Apply` for server-side apply, else `Update`. */
  readonly operation?: string;
  /** The version in which the field set is written. */
  readonly apiVersion?: string;
  /** When the entry was added, or its fields or their values last changed. */
  readonly time?: Time | null;
  /** The format of `fieldsV1`: always `FieldsV1`. */
  readonly fieldsType?: string;
  /** The owned fields as nested keys: `{ "f:data": { "f:mode": {} } }` (structured-merge-diff). */
  readonly fieldsV1?: Json;
  /** The subresource through which the fields were written. Absent if it was the object itself. */
  readonly subresource?: string;
}
/** The schema of `ManagedFieldsEntry`. */
export const ManagedFieldsEntry: Typed<ManagedFieldsEntry, StructNode> = declared<ManagedFieldsEntry>()(struct("ManagedFieldsEntry", {
  manager: field(1, string, "Name of the client that owns the fields."),
  operation: field(2, named("v1.ManagedFieldsOperationType", string), "Operation by which the fields are owned: Apply or Update."),
  apiVersion: field(3, string, "Version in which the field set is written."),
  time: field(4, time, "Time of the last change of the set.", { pointer: true }),
  fieldsType: field(6, string, "Format of the field set; FieldsV1 is the only one."),
  fieldsV1: field(7, fieldsV1, "The field set.", { pointer: true }),
  subresource: field(8, string, "Subresource through which the fields were written; empty for the object itself."),
}, { doc: "Fields of the object that one manager owns." }));

/** Metadata of a stored object. */
export interface ObjectMeta {
  /**
   * The name, which is unique among the objects of the kind in the namespace. It cannot change. Absent only in a creation with
   * `generateName`.
   */
  readonly name?: string;
  /** The prefix of a name that the server generates at creation if `name` is absent. */
  readonly generateName?: string;
  /** The namespace, which cannot change. Absent for cluster-scoped kinds. */
  readonly namespace?: string;
  /** A deprecated field. The server keeps it, and never sets it. */
  readonly selfLink?: string;
  /** The UID, which the server sets at creation. Objects that have the same name at different times have different UIDs. */
  readonly uid?: string;
  /** The version of the stored object, set by the server at each write. It is opaque: compare it for equality only. */
  readonly resourceVersion?: string;
  /** Counts the changes of the desired state, for kinds whose strategy has `generation`. */
  readonly generation?: Int64;
  /** The time of creation, which the server sets. */
  readonly creationTimestamp?: Time | null;
  /**
   * The time when the deletion was requested. The server sets it if the deletion waits for finalizers or for a grace period. Absent if no
   * deletion was requested.
   */
  readonly deletionTimestamp?: Time | null;
  /** Seconds that the object has to end by itself. Present only with `deletionTimestamp`. */
  readonly deletionGracePeriodSeconds?: Int64;
  /** Short values that selectors can match. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Values for tools, which selectors do not match; at most 256 KiB per object. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** The owners. The garbage collector deletes the object when none of them exists. */
  readonly ownerReferences?: readonly OwnerReference[];
  /** Names of clients that must act before the object is removed. Each of them removes its own name. */
  readonly finalizers?: readonly string[];
  /** The owners of the fields, maintained by the server. */
  readonly managedFields?: readonly ManagedFieldsEntry[];
}
/** The schema of `ObjectMeta`. */
export const ObjectMeta: Typed<ObjectMeta, StructNode> = declared<ObjectMeta>()(struct("ObjectMeta", {
  name: field(1, string, "Unique within its namespace (or the cluster) among objects of the kind; cannot change."),
  generateName: field(2, string, "Prefix of the unique name that the server generates if name is empty."),
  namespace: field(3, string, "Namespace of the object; empty for cluster-scoped kinds; cannot change."),
  selfLink: field(4, string, "Deprecated; no longer set by the server."),
  uid: field(5, named("types.UID", string), "Set by the server. Distinguishes objects that had the same name at different times."),
  resourceVersion: field(6, string, "Opaque version of the object as stored; for change detection and optimistic concurrency."),
  generation: field(7, int64, "Number of changes of the desired state, for kinds that count them."),
  creationTimestamp: field(8, time, "CreationTimestamp is a timestamp of the creation, set by the server."),
  deletionTimestamp: field(
    9,
    time,
    "Time of the deletion request, set by the server. The object is removed when its finalizers are removed.",
    {
      pointer: true,
    },
  ),
  deletionGracePeriodSeconds: field(10, int64, "Seconds for a graceful end of the object; only with deletionTimestamp.", {
    pointer: true,
  }),
  labels: field(11, record(string), "Keys and values that selectors match."),
  annotations: field(12, record(string), "Keys and values for tools; selectors do not match them."),
  ownerReferences: field(
    13,
    mapBy(["uid"], OwnerReference),
    "Owners of the object. It is garbage-collected when all of them are deleted.",
    {
      patch: { strategy: ["merge"], mergeKey: "uid" },
    },
  ),
  finalizers: field(14, setOf(string), "Names that must all be removed, in any order, before the object is removed.", {
    patch: { strategy: ["merge"] },
  }),
  managedFields: field(17, list(ManagedFieldsEntry), "Fields by their managers; maintained by the server."),
}, { doc: "Metadata that every stored object has." }));

const listMetaFields = {
  selfLink: field(1, string, "Deprecated; no longer set by the server."),
  resourceVersion: field(2, string, "Version of the list; a watch can start from it."),
  continue: field(3, string, "Opaque token for the next chunk; empty for the last one."),
  remainingItemCount: field(4, int64, "Number of remaining items, if known.", { pointer: true }),
};
export const ListMeta = struct("ListMeta", listMetaFields, { doc: "Metadata of a list." });
export type ListMeta = Infer<typeof ListMeta>;

/** Metadata of a list of one shard: that of upstream's release 1.36, behind the gate ShardedListAndWatch. */
export const ShardedListMeta = struct("ListMeta", {
  ...listMetaFields,
  shardInfo: field(
    5,
    struct("ShardInfo", { selector: field(1, string, "The shard selector of the request.") }, { doc: "The shard of a list." }),
    "Present if the list has the objects of one shard only.",
    { pointer: true },
  ),
}, { doc: "Metadata of a list, or of one shard of it." });
export type ShardedListMeta = Infer<typeof ShardedListMeta>;

/** The fields of every stored object. Objects are plain and readonly, with keys in schema order and never `undefined`. */
export interface ApiObject {
  /** The kind in upper camel case, such as `ConfigMap`. */
  readonly kind: string;
  /** The group version, such as `apps/v1`; `v1` for the core group. */
  readonly apiVersion: string;
  /** Name, labels and what the server maintains. The body of a creation may have a part of it. */
  readonly metadata: ObjectMeta;
}
