/** What projected volumes are made of (core/v1). */
import { LabelSelector } from "../../../core/meta/label-selector.ts";
import { LocalObjectReference } from "../../../core/meta/references.ts";
import { boolean, field, type Infer, int32, type Int64, int64, list, quantity, record, string, structsOf } from "../../../core/schema.ts";
import { withFileMode } from "./modes.ts";

const struct = structsOf("core/v1");

export const KeyToPath = struct("KeyToPath", {
  key: field(1, string, "The key.", { required: true }),
  path: field(2, string, 'Relative path of the file; without "..".', { required: true }),
  mode: field(3, int32, "Permission bits of this file.", { pointer: true }),
}, { doc: "Shows one key as a file." });
export type KeyToPath = Infer<typeof KeyToPath>;

export const ObjectFieldSelector = struct("ObjectFieldSelector", {
  apiVersion: field(1, string, "Version in which the path is written, v1 unless said otherwise."),
  fieldPath: field(2, string, "Path of the field.", { required: true }),
}, {
  doc: "Chooses a field of the pod.",
  atomic: true,
  fill: (self: { readonly apiVersion?: string }) => (self.apiVersion ?? "") === "" ? { ...self, apiVersion: "v1" } : self,
});
export type ObjectFieldSelector = Infer<typeof ObjectFieldSelector>;

export const ResourceFieldSelector = struct("ResourceFieldSelector", {
  containerName: field(1, string, "Name of the container; needed in volumes."),
  resource: field(2, string, "Such as limits.cpu or requests.memory.", { required: true }),
  divisor: field(3, quantity, "Unit in which the amount is shown, 1 when zero.", { written: "always" }),
}, { doc: "Chooses an amount of a container.", atomic: true });
export type ResourceFieldSelector = Infer<typeof ResourceFieldSelector>;

export const DownwardAPIVolumeFile = struct("DownwardAPIVolumeFile", {
  path: field(1, string, 'Relative path of the file; without "..".', { required: true }),
  fieldRef: field(2, ObjectFieldSelector, "Labels, annotations, name, namespace or uid of the pod.", { pointer: true }),
  resourceFieldRef: field(3, ResourceFieldSelector, "An amount of a container.", { pointer: true }),
  mode: field(4, int32, "Permission bits of this file.", { pointer: true }),
}, { doc: "One file that tells about the pod." });
export type DownwardAPIVolumeFile = Infer<typeof DownwardAPIVolumeFile>;

export const SecretProjection = struct("SecretProjection", {
  reference: field(1, LocalObjectReference, "Name of the Secret.", { inline: true }),
  items: field(2, list(KeyToPath), "Keys to show and where; all keys under their own names when absent."),
  optional: field(4, boolean, "Whether the pod starts without the Secret or its keys.", { pointer: true }),
}, { doc: "Keys of a Secret as files of a projected volume." });
export type SecretProjection = Infer<typeof SecretProjection>;

export const ConfigMapProjection = struct("ConfigMapProjection", {
  reference: field(1, LocalObjectReference, "Name of the ConfigMap.", { inline: true }),
  items: field(2, list(KeyToPath), "Keys to show and where; all keys under their own names when absent."),
  optional: field(4, boolean, "Whether the pod starts without the ConfigMap or its keys.", { pointer: true }),
}, { doc: "Keys of a ConfigMap as files of a projected volume." });
export type ConfigMapProjection = Infer<typeof ConfigMapProjection>;

export const DownwardAPIProjection = struct("DownwardAPIProjection", {
  items: field(1, list(DownwardAPIVolumeFile), "The files."),
}, { doc: "What tells about the pod as files of a projected volume." });
export type DownwardAPIProjection = Infer<typeof DownwardAPIProjection>;

export const ServiceAccountTokenProjection = struct("ServiceAccountTokenProjection", {
  audience: field(1, string, "Who the token is meant for; the API server when empty."),
  expirationSeconds: field(2, int64, "Seconds that the token holds, 600 at least, 3600 unless said otherwise; the node agent renews it.", {
    pointer: true,
  }),
  path: field(3, string, 'Relative path of the file; without "..".', { required: true }),
}, {
  doc: "A token of the pod's service account as a file.",
  fill: (self: { readonly expirationSeconds?: Int64 | null }) =>
    (self.expirationSeconds ?? null) === null ? { ...self, expirationSeconds: 3600 } : self,
});
export type ServiceAccountTokenProjection = Infer<typeof ServiceAccountTokenProjection>;

export const ClusterTrustBundleProjection = struct("ClusterTrustBundleProjection", {
  name: field(1, string, "One bundle by name; excludes signer and selector.", { pointer: true }),
  signerName: field(2, string, "All bundles of this signer that the selector chooses.", { pointer: true }),
  labelSelector: field(3, LabelSelector, "Chooses among the bundles of the signer.", { pointer: true }),
  optional: field(5, boolean, "Whether the pod starts without any bundle.", { pointer: true }),
  path: field(4, string, 'Relative path of the file; without "..".', { required: true }),
}, { doc: "Certificates of trust bundles as a file; needs the gate ClusterTrustBundleProjection." });
export type ClusterTrustBundleProjection = Infer<typeof ClusterTrustBundleProjection>;

export const PodCertificateProjection = struct("PodCertificateProjection", {
  signerName: field(1, string, "Signer that is asked for the certificate.", { required: true, written: "omitEmpty" }),
  keyType: field(2, string, "Kind of key that is made: RSA3072, RSA4096, ECDSAP256, ECDSAP384, ECDSAP521 or ED25519.", {
    required: true,
    written: "omitEmpty",
  }),
  maxExpirationSeconds: field(3, int32, "Seconds that the certificate may hold at most, 3600 to 7862400, 86400 unless said otherwise.", {
    pointer: true,
  }),
  credentialBundlePath: field(4, string, "Relative path of one file with the key and the chain."),
  keyPath: field(5, string, "Relative path of a file with the key alone."),
  certificateChainPath: field(6, string, "Relative path of a file with the chain alone."),
  userAnnotations: field(7, record(string), "What else the signer is told."),
}, {
  doc: "A key and certificate of the pod as files; needs the gate PodCertificateRequest.",
  fill: (self: { readonly maxExpirationSeconds?: number | null }) =>
    (self.maxExpirationSeconds ?? null) === null ? { ...self, maxExpirationSeconds: 86_400 } : self,
});
export type PodCertificateProjection = Infer<typeof PodCertificateProjection>;

export const VolumeProjection = struct("VolumeProjection", {
  secret: field(1, SecretProjection, "A Secret.", { pointer: true }),
  downwardAPI: field(2, DownwardAPIProjection, "What tells about the pod.", { pointer: true }),
  configMap: field(3, ConfigMapProjection, "A ConfigMap.", { pointer: true }),
  serviceAccountToken: field(4, ServiceAccountTokenProjection, "A token of the service account.", { pointer: true }),
  clusterTrustBundle: field(5, ClusterTrustBundleProjection, "Certificates of trust bundles.", {
    pointer: true,
    gate: "ClusterTrustBundleProjection",
  }),
  podCertificate: field(6, PodCertificateProjection, "A key and certificate of the pod.", { pointer: true, gate: "PodCertificateRequest" }),
}, { doc: "One source of a projected volume; exactly one member is set." });
export type VolumeProjection = Infer<typeof VolumeProjection>;

export const ProjectedVolumeSource = struct("ProjectedVolumeSource", {
  sources: field(1, list(VolumeProjection), "The sources; no two may make the same file.", { written: "always" }),
  defaultMode: field(2, int32, "Permission bits of the files, 0644 unless said otherwise.", { pointer: true }),
}, { doc: "One directory made of several sources.", fill: withFileMode });
export type ProjectedVolumeSource = Infer<typeof ProjectedVolumeSource>;
