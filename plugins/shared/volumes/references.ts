/** How volumes name secrets and other objects (core/v1). */
import { field, type Infer, string, structsOf } from "../../../core/schema.ts";

const struct = structsOf("core/v1");

export const SecretReference = struct("SecretReference", {
  name: field(1, string, "Name of the secret."),
  namespace: field(2, string, "Namespace of the secret."),
}, { doc: "Names a secret in any namespace.", atomic: true });
export type SecretReference = Infer<typeof SecretReference>;

export const TypedLocalObjectReference = struct("TypedLocalObjectReference", {
  apiGroup: field(1, string, "API group of the kind; empty for the core group.", { pointer: true, written: "always" }),
  kind: field(2, string, "Kind of the object.", { required: true }),
  name: field(3, string, "Name of the object.", { required: true }),
}, { doc: "Names an object of any kind in the same namespace.", atomic: true });
export type TypedLocalObjectReference = Infer<typeof TypedLocalObjectReference>;

export const TypedObjectReference = struct("TypedObjectReference", {
  apiGroup: field(1, string, "API group of the kind; empty for the core group.", { pointer: true, written: "always" }),
  kind: field(2, string, "Kind of the object.", { required: true }),
  name: field(3, string, "Name of the object.", { required: true }),
  namespace: field(4, string, "Namespace of the object, this one when absent; another one needs the gate CrossNamespaceVolumeDataSource.", {
    pointer: true,
  }),
}, { doc: "Names an object of any kind, in any namespace that lets itself be named." });
export type TypedObjectReference = Infer<typeof TypedObjectReference>;
