/** Sources of volumes of pods: their secrets are in the namespace of the pod (core/v1). */
import { LocalObjectReference } from "../meta/references.ts";
import { boolean, field, type Infer, int32, list, oneOf, quantity, record, string, structsOf } from "../schema.ts";
import { PersistentVolumeClaimTemplate } from "./claim-spec.ts";
import { withFileMode, withPullPolicy } from "./modes.ts";
import { DownwardAPIVolumeFile, KeyToPath } from "./projections.ts";

const struct = structsOf("core/v1");

export const AzureFileVolumeSource = struct("AzureFileVolumeSource", {
  secretName: field(1, string, "Secret with the name and key of the storage account.", { required: true }),
  shareName: field(2, string, "Name of the share.", { required: true }),
  readOnly: field(3, boolean, "Whether it is mounted for reading only."),
}, { doc: "A file share of Azure, mounted by SMB." });
export type AzureFileVolumeSource = Infer<typeof AzureFileVolumeSource>;

export const CephFSVolumeSource = struct("CephFSVolumeSource", {
  monitors: field(1, list(string), "Addresses of the Ceph monitors.", { required: true }),
  path: field(2, string, "Directory to mount, the root when empty."),
  user: field(3, string, "User name in Ceph, admin when empty."),
  secretFile: field(4, string, "Path of the keyring on the node."),
  secretRef: field(5, LocalObjectReference, "Secret with the key of the user, in place of the file.", { pointer: true }),
  readOnly: field(6, boolean, "Whether it is mounted for reading only."),
}, { doc: "A CephFS file system, which no node supports any more." });
export type CephFSVolumeSource = Infer<typeof CephFSVolumeSource>;

export const CinderVolumeSource = struct("CinderVolumeSource", {
  volumeID: field(1, string, "ID of the disk in Cinder.", { required: true }),
  fsType: field(2, string, "File system to mount, such as ext4 or xfs; what the driver takes by itself when empty."),
  readOnly: field(3, boolean, "Whether it is mounted for reading only."),
  secretRef: field(4, LocalObjectReference, "The secret with the credentials.", { pointer: true }),
}, { doc: "A disk of OpenStack Cinder; its driver is the CSI driver cinder.csi.openstack.org." });
export type CinderVolumeSource = Infer<typeof CinderVolumeSource>;

export const ConfigMapVolumeSource = struct("ConfigMapVolumeSource", {
  reference: field(1, LocalObjectReference, "Name of the ConfigMap.", { inline: true }),
  items: field(2, list(KeyToPath), "Keys to show and where; all keys under their own names when absent."),
  defaultMode: field(3, int32, "Permission bits of the files, 0644 unless said otherwise.", { pointer: true }),
  optional: field(4, boolean, "Whether the pod starts without the ConfigMap or its keys.", { pointer: true }),
}, { doc: "Files made of a ConfigMap.", fill: withFileMode });
export type ConfigMapVolumeSource = Infer<typeof ConfigMapVolumeSource>;

export const CSIVolumeSource = struct("CSIVolumeSource", {
  driver: field(1, string, "Name of the driver.", { required: true }),
  readOnly: field(2, boolean, "Whether it is mounted for reading only.", { pointer: true }),
  fsType: field(3, string, "File system to mount, such as ext4 or xfs; what the driver takes by itself when empty.", { pointer: true }),
  volumeAttributes: field(4, record(string), "What the driver is told about the volume."),
  nodePublishSecretRef: field(5, LocalObjectReference, "Secret handed to the driver where it mounts for the pod.", { pointer: true }),
}, { doc: "A volume that a CSI driver makes for the life of one pod." });
export type CSIVolumeSource = Infer<typeof CSIVolumeSource>;

export const DownwardAPIVolumeSource = struct("DownwardAPIVolumeSource", {
  items: field(1, list(DownwardAPIVolumeFile), "The files."),
  defaultMode: field(2, int32, "Permission bits of the files, 0644 unless said otherwise.", { pointer: true }),
}, { doc: "Files that tell about the pod itself.", fill: withFileMode });
export type DownwardAPIVolumeSource = Infer<typeof DownwardAPIVolumeSource>;

export const EmptyDirVolumeSource = struct("EmptyDirVolumeSource", {
  medium: field(1, string, "Where it is kept: empty for the disk of the node, Memory, or HugePages with a size."),
  sizeLimit: field(2, quantity, "The most that it may hold; no bound when absent.", { pointer: true }),
}, { doc: "An empty directory that lives as long as the pod." });
export type EmptyDirVolumeSource = Infer<typeof EmptyDirVolumeSource>;

export const EphemeralVolumeSource = struct("EphemeralVolumeSource", {
  volumeClaimTemplate: field(1, PersistentVolumeClaimTemplate, "What the claim looks like; it is called like pod and volume together.", {
    pointer: true,
  }),
}, { doc: "A claim that lives and dies with the pod." });
export type EphemeralVolumeSource = Infer<typeof EphemeralVolumeSource>;

export const FlexVolumeSource = struct("FlexVolumeSource", {
  driver: field(1, string, "Name of the driver.", { required: true }),
  fsType: field(2, string, "File system to mount, such as ext4 or xfs; what the driver takes by itself when empty."),
  secretRef: field(3, LocalObjectReference, "Secret whose values are handed to the driver.", { pointer: true }),
  readOnly: field(4, boolean, "Whether it is mounted for reading only."),
  options: field(5, record(string), "What else the driver is told, by key."),
}, { doc: "A volume of a Flexvolume driver, a program on the node." });
export type FlexVolumeSource = Infer<typeof FlexVolumeSource>;

export const GitRepoVolumeSource = struct("GitRepoVolumeSource", {
  repository: field(1, string, "URL of the repository.", { required: true }),
  revision: field(2, string, "Commit to check out."),
  directory: field(3, string, 'Directory to clone into; must not contain "..".'),
}, { doc: "A checked out repository; deprecated and no longer mounted." });
export type GitRepoVolumeSource = Infer<typeof GitRepoVolumeSource>;

export const GlusterfsVolumeSource = struct("GlusterfsVolumeSource", {
  endpoints: field(1, string, "Name of the Endpoints object that lists the servers.", { required: true }),
  path: field(2, string, "Name of the volume.", { required: true }),
  readOnly: field(3, boolean, "Whether it is mounted for reading only."),
}, { doc: "A volume of GlusterFS, which no node supports any more." });
export type GlusterfsVolumeSource = Infer<typeof GlusterfsVolumeSource>;

export const ImageVolumeSource = struct("ImageVolumeSource", {
  reference: field(1, string, "Image or artifact, as containers name theirs."),
  pullPolicy: field(
    2,
    oneOf("Always", "IfNotPresent", "Never"),
    "When it is pulled: Always for the tag latest, else IfNotPresent, unless said otherwise.",
  ),
}, { doc: "The files of a container image or artifact.", fill: withPullPolicy });
export type ImageVolumeSource = Infer<typeof ImageVolumeSource>;

export const ISCSIVolumeSource = struct("ISCSIVolumeSource", {
  targetPortal: field(1, string, "Address of the target, as host or host:port.", { required: true }),
  iqn: field(2, string, "Qualified name of the target.", { required: true }),
  lun: field(3, int32, "Number of the logical unit at the target.", { required: true }),
  iscsiInterface: field(4, string, "Network interface of iSCSI to use.", { default: "default" }),
  fsType: field(5, string, "File system to mount, such as ext4 or xfs; what the driver takes by itself when empty."),
  readOnly: field(6, boolean, "Whether it is mounted for reading only."),
  portals: field(7, list(string), "More addresses of the target, for multipath."),
  chapAuthDiscovery: field(8, boolean, "Whether discovery is authenticated by CHAP."),
  chapAuthSession: field(11, boolean, "Whether sessions are authenticated by CHAP."),
  secretRef: field(10, LocalObjectReference, "Secret with the credentials of CHAP.", { pointer: true }),
  initiatorName: field(12, string, "Qualified name that the node shows; together with another interface a new one is made.", {
    pointer: true,
  }),
}, { doc: "A disk on iSCSI." });
export type ISCSIVolumeSource = Infer<typeof ISCSIVolumeSource>;

export const PersistentVolumeClaimVolumeSource = struct("PersistentVolumeClaimVolumeSource", {
  claimName: field(1, string, "Name of the claim.", { required: true }),
  readOnly: field(2, boolean, "Whether it is mounted for reading only."),
}, { doc: "A claim of the same namespace." });
export type PersistentVolumeClaimVolumeSource = Infer<typeof PersistentVolumeClaimVolumeSource>;

export const RBDVolumeSource = struct("RBDVolumeSource", {
  monitors: field(1, list(string), "Addresses of the Ceph monitors.", { required: true }),
  image: field(2, string, "Name of the image.", { required: true }),
  fsType: field(3, string, "File system to mount, such as ext4 or xfs; what the driver takes by itself when empty."),
  pool: field(4, string, "Pool of the image.", { default: "rbd" }),
  user: field(5, string, "User name in Ceph.", { default: "admin" }),
  keyring: field(6, string, "Path of the keyring on the node.", { default: "/etc/ceph/keyring" }),
  secretRef: field(7, LocalObjectReference, "Secret with the key of the user, in place of the keyring.", { pointer: true }),
  readOnly: field(8, boolean, "Whether it is mounted for reading only."),
}, { doc: "A block device of Ceph, which no node supports any more." });
export type RBDVolumeSource = Infer<typeof RBDVolumeSource>;

export const ScaleIOVolumeSource = struct("ScaleIOVolumeSource", {
  gateway: field(1, string, "Address of the API gateway.", { required: true }),
  system: field(2, string, "Name of the storage system.", { required: true }),
  secretRef: field(3, LocalObjectReference, "Secret with user and password.", { pointer: true, required: true }),
  sslEnabled: field(4, boolean, "Whether the gateway is spoken to by TLS."),
  protectionDomain: field(5, string, "Protection domain of the storage."),
  storagePool: field(6, string, "Pool of that domain."),
  storageMode: field(7, string, "ThickProvisioned or ThinProvisioned.", { default: "ThinProvisioned" }),
  volumeName: field(8, string, "Name of a volume that exists."),
  fsType: field(9, string, "File system to mount, such as ext4 or xfs; what the driver takes by itself when empty.", { default: "xfs" }),
  readOnly: field(10, boolean, "Whether it is mounted for reading only."),
}, { doc: "A volume of ScaleIO, which no node supports any more." });
export type ScaleIOVolumeSource = Infer<typeof ScaleIOVolumeSource>;

export const SecretVolumeSource = struct("SecretVolumeSource", {
  secretName: field(1, string, "Name of the Secret."),
  items: field(2, list(KeyToPath), "Keys to show and where; all keys under their own names when absent."),
  defaultMode: field(3, int32, "Permission bits of the files, 0644 unless said otherwise.", { pointer: true }),
  optional: field(4, boolean, "Whether the pod starts without the Secret or its keys.", { pointer: true }),
}, { doc: "Files made of a Secret.", fill: withFileMode });
export type SecretVolumeSource = Infer<typeof SecretVolumeSource>;

export const StorageOSVolumeSource = struct("StorageOSVolumeSource", {
  volumeName: field(1, string, "Name of the volume, unique in its namespace."),
  volumeNamespace: field(2, string, "Namespace of StorageOS; that of the pod or claim when empty."),
  fsType: field(3, string, "File system to mount, such as ext4 or xfs; what the driver takes by itself when empty."),
  readOnly: field(4, boolean, "Whether it is mounted for reading only."),
  secretRef: field(5, LocalObjectReference, "Secret with the credentials of the API.", { pointer: true }),
}, { doc: "A volume of StorageOS, which no node supports any more." });
export type StorageOSVolumeSource = Infer<typeof StorageOSVolumeSource>;
