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
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
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
  readonly manager?: string;
  readonly operation?: string;
  readonly apiVersion?: string;
  readonly time?: Time | null;
  readonly fieldsType?: string;
  readonly fieldsV1?: Json;
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
  readonly name?: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly selfLink?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: Int64;
  readonly creationTimestamp?: Time | null;
  readonly deletionTimestamp?: Time | null;
  readonly deletionGracePeriodSeconds?: Int64;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
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

export const ListMeta = struct("ListMeta", {
  selfLink: field(1, string, "Deprecated; no longer set by the server."),
  resourceVersion: field(2, string, "Version of the list; a watch can start from it."),
  continue: field(3, string, "Opaque token for the next chunk; empty for the last one."),
  remainingItemCount: field(4, int64, "Number of remaining items, if known.", { pointer: true }),
}, { doc: "Metadata of a list." });
export type ListMeta = Infer<typeof ListMeta>;

/** The fields of every stored object. Objects are plain and readonly, with keys in schema order and never `undefined`. */
export interface ApiObject {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: ObjectMeta;
}
