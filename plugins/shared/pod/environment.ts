/** Schemas of environment variables (core/v1). */
import { boolean, field, type Infer, string, structsOf } from "../../../plugin.ts";
import { LocalObjectReference } from "../../../toolbox.ts";
import { ObjectFieldSelector, ResourceFieldSelector } from "../volumes/mod.ts";

const struct = structsOf("core/v1");

export const ConfigMapKeySelector = struct("ConfigMapKeySelector", {
  reference: field(1, LocalObjectReference, "The name of the ConfigMap.", { inline: true }),
  key: field(2, string, "The key.", { required: true }),
  optional: field(3, boolean, "Whether the container starts if the key is missing.", { pointer: true }),
}, { doc: "A key of a ConfigMap.", atomic: true });
export type ConfigMapKeySelector = Infer<typeof ConfigMapKeySelector>;

export const SecretKeySelector = struct("SecretKeySelector", {
  reference: field(1, LocalObjectReference, "The name of the Secret.", { inline: true }),
  key: field(2, string, "The key.", { required: true }),
  optional: field(3, boolean, "Whether the container starts if the key is missing.", { pointer: true }),
}, { doc: "A key of a Secret.", atomic: true });
export type SecretKeySelector = Infer<typeof SecretKeySelector>;

export const FileKeySelector = struct("FileKeySelector", {
  volumeName: field(1, string, "The name of the volume that contains the file.", { required: true }),
  path: field(2, string, 'The path of the file in the volume. It must not contain "..".', { required: true }),
  key: field(3, string, "The key.", { required: true }),
  optional: field(4, boolean, "Whether the container starts if the key is missing.", { pointer: true, default: false }),
}, { doc: "A key of a file that an earlier container has written.", atomic: true });
export type FileKeySelector = Infer<typeof FileKeySelector>;

export const EnvVarSource = struct("EnvVarSource", {
  fieldRef: field(1, ObjectFieldSelector, "A field of the pod.", { pointer: true }),
  resourceFieldRef: field(2, ResourceFieldSelector, "A resource request or limit of a container.", { pointer: true }),
  configMapKeyRef: field(3, ConfigMapKeySelector, "A key of a ConfigMap.", { pointer: true }),
  secretKeyRef: field(4, SecretKeySelector, "A key of a Secret.", { pointer: true }),
  fileKeyRef: field(5, FileKeySelector, "A key of a file.", { pointer: true, gate: "EnvFiles" }),
}, { doc: "The source of a variable's value. Exactly one field must be set." });
export type EnvVarSource = Infer<typeof EnvVarSource>;

export const EnvVar = struct("EnvVar", {
  name: field(1, string, "The name of the variable.", { required: true }),
  value: field(2, string, "The value. $(NAME) is expanded to the value of an earlier variable."),
  valueFrom: field(3, EnvVarSource, "The source of the value. Excludes value.", { pointer: true }),
}, { doc: "An environment variable of a container." });
export type EnvVar = Infer<typeof EnvVar>;

export const ConfigMapEnvSource = struct("ConfigMapEnvSource", {
  reference: field(1, LocalObjectReference, "The name of the ConfigMap.", { inline: true }),
  optional: field(2, boolean, "Whether the container starts if the ConfigMap is missing.", { pointer: true }),
}, { doc: "All keys of a ConfigMap as variables." });
export type ConfigMapEnvSource = Infer<typeof ConfigMapEnvSource>;

export const SecretEnvSource = struct("SecretEnvSource", {
  reference: field(1, LocalObjectReference, "The name of the Secret.", { inline: true }),
  optional: field(2, boolean, "Whether the container starts if the Secret is missing.", { pointer: true }),
}, { doc: "All keys of a Secret as variables." });
export type SecretEnvSource = Infer<typeof SecretEnvSource>;

export const EnvFromSource = struct("EnvFromSource", {
  prefix: field(1, string, "A prefix for each variable name."),
  configMapRef: field(2, ConfigMapEnvSource, "A ConfigMap.", { pointer: true }),
  secretRef: field(3, SecretEnvSource, "A Secret.", { pointer: true }),
}, { doc: "A source of several variables." });
export type EnvFromSource = Infer<typeof EnvFromSource>;
