/** Schemas of projected volumes (core/v1). */
import { boolean, field, type Infer, int32, int64, LabelSelector, list, quantity, record, string, structsOf } from "../../../plugin.ts";
import { type Int64, LocalObjectReference } from "../../../toolbox.ts";
import { withFileMode } from "./modes.ts";

const struct = structsOf("core/v1");

export const KeyToPath = struct("KeyToPath", {
  key: field(1, string, "The key.", { required: true }),
  path: field(2, string, 'The relative path of the file. It must not contain "..".', { required: true }),
  mode: field(3, int32, "The permission bits of the file.", { pointer: true }),
}, { doc: "A key and the path of its file." });
export type KeyToPath = Infer<typeof KeyToPath>;

export const ObjectFieldSelector = struct("ObjectFieldSelector", {
  apiVersion: field(1, string, "The API version of the path. Default v1."),
  fieldPath: field(2, string, "The path of the field.", { required: true }),
}, {
  doc: "Selects a field of the pod.",
  atomic: true,
  applyDefaults: (self: { readonly apiVersion?: string }) => (self.apiVersion ?? "") === "" ? { ...self, apiVersion: "v1" } : self,
});
export type ObjectFieldSelector = Infer<typeof ObjectFieldSelector>;

export const ResourceFieldSelector = struct("ResourceFieldSelector", {
  containerName: field(1, string, "The name of the container. Required in volumes."),
  resource: field(2, string, "The resource, such as limits.cpu or requests.memory.", { required: true }),
  divisor: field(3, quantity, "The unit of the value. Zero means 1.", { written: "always" }),
}, { doc: "Selects a resource request or limit of a container.", atomic: true });
export type ResourceFieldSelector = Infer<typeof ResourceFieldSelector>;

export const DownwardAPIVolumeFile = struct("DownwardAPIVolumeFile", {
  path: field(1, string, 'The relative path of the file. It must not contain "..".', { required: true }),
  fieldRef: field(2, ObjectFieldSelector, "A field of the pod: labels, annotations, name, namespace or uid.", { pointer: true }),
  resourceFieldRef: field(3, ResourceFieldSelector, "A resource request or limit of a container.", { pointer: true }),
  mode: field(4, int32, "The permission bits of the file.", { pointer: true }),
}, { doc: "A file with a field or resource of the pod." });
export type DownwardAPIVolumeFile = Infer<typeof DownwardAPIVolumeFile>;

export const SecretProjection = struct("SecretProjection", {
  reference: field(1, LocalObjectReference, "The name of the Secret.", { inline: true }),
  items: field(2, list(KeyToPath), "The keys to project and their paths. Absent: all keys, with the key as path."),
  optional: field(4, boolean, "Whether the pod starts if the Secret or a key is missing.", { pointer: true }),
}, { doc: "The keys of a Secret as files of a projected volume." });
export type SecretProjection = Infer<typeof SecretProjection>;

export const ConfigMapProjection = struct("ConfigMapProjection", {
  reference: field(1, LocalObjectReference, "The name of the ConfigMap.", { inline: true }),
  items: field(2, list(KeyToPath), "The keys to project and their paths. Absent: all keys, with the key as path."),
  optional: field(4, boolean, "Whether the pod starts if the ConfigMap or a key is missing.", { pointer: true }),
}, { doc: "The keys of a ConfigMap as files of a projected volume." });
export type ConfigMapProjection = Infer<typeof ConfigMapProjection>;

export const DownwardAPIProjection = struct("DownwardAPIProjection", {
  items: field(1, list(DownwardAPIVolumeFile), "The files."),
}, { doc: "Fields and resources of the pod as files of a projected volume." });
export type DownwardAPIProjection = Infer<typeof DownwardAPIProjection>;

export const ServiceAccountTokenProjection = struct("ServiceAccountTokenProjection", {
  audience: field(1, string, "The audience of the token. Empty: the API server."),
  expirationSeconds: field(2, int64, "The lifetime of the token in seconds: at least 600, default 3600. The kubelet renews it.", {
    pointer: true,
  }),
  path: field(3, string, 'The relative path of the file. It must not contain "..".', { required: true }),
}, {
  doc: "A token of the pod's service account as a file.",
  applyDefaults: (self: { readonly expirationSeconds?: Int64 | null }) =>
    (self.expirationSeconds ?? null) === null ? { ...self, expirationSeconds: 3600 } : self,
});
export type ServiceAccountTokenProjection = Infer<typeof ServiceAccountTokenProjection>;

export const ClusterTrustBundleProjection = struct("ClusterTrustBundleProjection", {
  name: field(1, string, "The name of one bundle. Excludes signerName and labelSelector.", { pointer: true }),
  signerName: field(2, string, "The signer of the bundles.", { pointer: true }),
  labelSelector: field(3, LabelSelector, "Selects bundles of the signer.", { pointer: true }),
  optional: field(5, boolean, "Whether the pod starts if no bundle exists.", { pointer: true }),
  path: field(4, string, 'The relative path of the file. It must not contain "..".', { required: true }),
}, { doc: "The certificates of trust bundles as a file. Requires the feature gate ClusterTrustBundleProjection." });
export type ClusterTrustBundleProjection = Infer<typeof ClusterTrustBundleProjection>;

export const PodCertificateProjection = struct("PodCertificateProjection", {
  signerName: field(1, string, "The name of the signer.", { required: true, written: "omitEmpty" }),
  keyType: field(2, string, "The type of the key: RSA3072, RSA4096, ECDSAP256, ECDSAP384, ECDSAP521 or ED25519.", {
    required: true,
    written: "omitEmpty",
  }),
  maxExpirationSeconds: field(3, int32, "The maximum lifetime of the certificate in seconds: 3600 to 7862400, default 86400.", {
    pointer: true,
  }),
  credentialBundlePath: field(4, string, "The relative path of a file with key and certificate chain."),
  keyPath: field(5, string, "The relative path of a file with the key only."),
  certificateChainPath: field(6, string, "The relative path of a file with the certificate chain only."),
  userAnnotations: field(7, record(string), "Additional data for the signer."),
}, {
  doc: "A key and certificate of the pod as files. Requires the feature gate PodCertificateRequest.",
  applyDefaults: (self: { readonly maxExpirationSeconds?: number | null }) =>
    (self.maxExpirationSeconds ?? null) === null ? { ...self, maxExpirationSeconds: 86_400 } : self,
});
export type PodCertificateProjection = Infer<typeof PodCertificateProjection>;

export const VolumeProjection = struct("VolumeProjection", {
  secret: field(1, SecretProjection, "A Secret.", { pointer: true }),
  downwardAPI: field(2, DownwardAPIProjection, "Fields and resources of the pod.", { pointer: true }),
  configMap: field(3, ConfigMapProjection, "A ConfigMap.", { pointer: true }),
  serviceAccountToken: field(4, ServiceAccountTokenProjection, "A token of the service account.", { pointer: true }),
  clusterTrustBundle: field(5, ClusterTrustBundleProjection, "The certificates of trust bundles.", {
    pointer: true,
    gate: "ClusterTrustBundleProjection",
  }),
  podCertificate: field(6, PodCertificateProjection, "A key and certificate of the pod.", { pointer: true, gate: "PodCertificateRequest" }),
}, { doc: "A source of a projected volume. Exactly one field must be set." });
export type VolumeProjection = Infer<typeof VolumeProjection>;

export const ProjectedVolumeSource = struct("ProjectedVolumeSource", {
  sources: field(1, list(VolumeProjection), "The sources. Their paths must be distinct.", { written: "always" }),
  defaultMode: field(2, int32, "The permission bits of the files. Default 0644.", { pointer: true }),
}, { doc: "A directory with the files of several sources.", applyDefaults: withFileMode });
export type ProjectedVolumeSource = Infer<typeof ProjectedVolumeSource>;
