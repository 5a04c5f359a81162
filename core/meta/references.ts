/** How objects name other objects (core/v1): kinds of several families use these. */
import { field, type Infer, named, string, structsOf } from "../schema.ts";

const struct = structsOf("core/v1");

/** The schema and the type of a reference to any object. */
export const ObjectReference = struct("ObjectReference", {
  kind: field(1, string, "Kind of the object."),
  namespace: field(2, string, "Namespace of the object."),
  name: field(3, string, "Name of the object."),
  uid: field(4, named("types.UID", string), "UID of the object."),
  apiVersion: field(5, string, "API version of the object."),
  resourceVersion: field(6, string, "Version of the object that is meant."),
  fieldPath: field(7, string, "Path to a part of the object, such as spec.containers{web}."),
}, { doc: "Names an object, or a part of one, with as much detail as there is.", atomic: true });
export type ObjectReference = Infer<typeof ObjectReference>;

/** The schema and the type of a reference by name, in the same namespace. */
export const LocalObjectReference = struct("LocalObjectReference", {
  name: field(1, string, "Name of the object.", { default: "" }),
}, { doc: "Names an object of the same namespace.", atomic: true });
export type LocalObjectReference = Infer<typeof LocalObjectReference>;
