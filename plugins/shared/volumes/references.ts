/** Schemas of references to secrets and other objects (core/v1). */
import { field, type Infer, string, structsOf } from "../../../plugin.ts";

const struct = structsOf("core/v1");

export const SecretReference = struct("SecretReference", {
  name: field(1, string, "The name of the secret."),
  namespace: field(2, string, "The namespace of the secret."),
}, { doc: "A reference to a secret in any namespace.", atomic: true });
export type SecretReference = Infer<typeof SecretReference>;

export const TypedLocalObjectReference = struct("TypedLocalObjectReference", {
  apiGroup: field(1, string, "The API group of the kind. Empty: the core group.", { pointer: true, written: "always" }),
  kind: field(2, string, "The kind of the object.", { required: true }),
  name: field(3, string, "The name of the object.", { required: true }),
}, { doc: "A reference to an object of any kind in the same namespace.", atomic: true });
export type TypedLocalObjectReference = Infer<typeof TypedLocalObjectReference>;

export const TypedObjectReference = struct("TypedObjectReference", {
  apiGroup: field(1, string, "The API group of the kind. Empty: the core group.", { pointer: true, written: "always" }),
  kind: field(2, string, "The kind of the object.", { required: true }),
  name: field(3, string, "The name of the object.", { required: true }),
  namespace: field(
    4,
    string,
    "The namespace of the object. Absent: the same namespace. Requires the feature gate CrossNamespaceVolumeDataSource.",
    {
      pointer: true,
    },
  ),
}, { doc: "A reference to an object of any kind. A reference to another namespace requires a ReferenceGrant there." });
export type TypedObjectReference = Infer<typeof TypedObjectReference>;
