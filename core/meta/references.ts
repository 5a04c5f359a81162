/** References to objects (core/v1), used by kinds of several families. */
import { declared } from "./object-meta.ts";
import { field, named, string, type StructNode, structsOf, type Typed } from "../schema.ts";

const struct = structsOf("core/v1");

/** A reference to an object, or to a part of one. */
export interface ObjectReference {
  /** The kind of the object. */
  readonly kind?: string;
  /** The namespace of the object. Absent for a cluster-scoped one. */
  readonly namespace?: string;
  /** The name of the object. */
  readonly name?: string;
  /** The UID of the object. If absent, any object with this name is meant. */
  readonly uid?: string;
  /** The group version of the object. */
  readonly apiVersion?: string;
  /** The resourceVersion that the object had when the reference was made. */
  readonly resourceVersion?: string;
  /** A part of the object, such as `spec.containers{web}`. If absent, the whole object is meant. */
  readonly fieldPath?: string;
}
/** The schema of `ObjectReference`. */
export const ObjectReference: Typed<ObjectReference, StructNode> = declared<ObjectReference>()(struct("ObjectReference", {
  kind: field(1, string, "Kind of the object."),
  namespace: field(2, string, "Namespace of the object."),
  name: field(3, string, "Name of the object."),
  uid: field(4, named("types.UID", string), "UID of the object."),
  apiVersion: field(5, string, "API version of the object."),
  resourceVersion: field(6, string, "Resource version of the object."),
  fieldPath: field(7, string, "Path to a part of the object, such as spec.containers{web}."),
}, { doc: "A reference to an object or to a part of it.", atomic: true }));

/** A reference by name, in the same namespace. */
export interface LocalObjectReference {
  /** The name of the object. The schema sets "" if it is absent. */
  readonly name?: string;
}
/** The schema of `LocalObjectReference`. */
export const LocalObjectReference: Typed<LocalObjectReference, StructNode> = declared<LocalObjectReference>()(
  struct("LocalObjectReference", {
    name: field(1, string, "Name of the object.", { default: "", zeroIsAbsent: true }),
  }, { doc: "A reference to an object of the same namespace.", atomic: true }),
);
