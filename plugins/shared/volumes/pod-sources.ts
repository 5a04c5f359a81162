/** Sources of volumes of pods: their secrets are in the namespace of the pod (core/v1). */
import { LocalObjectReference } from "../../../core/meta/references.ts";
import { boolean, field, type Infer, int32, list, named, oneOf, quantity, record, string, structsOf } from "../../../core/schema.ts";
import { PersistentVolumeClaimTemplate } from "./claim-spec.ts";
import { pullPolicyOf } from "./image.ts";
import { withFileMode } from "./modes.ts";
import { DownwardAPIVolumeFile, KeyToPath } from "./projections.ts";
import { azureFile, cephFS, cinder, flex, glusterfs, iscsi, rbd, scaleIO, storageOS } from "./twin-sources.ts";

const struct = structsOf("core/v1");

export const AzureFileVolumeSource = struct("AzureFileVolumeSource", ...azureFile);
export type AzureFileVolumeSource = Infer<typeof AzureFileVolumeSource>;

export const CephFSVolumeSource = struct("CephFSVolumeSource", ...cephFS(LocalObjectReference));
export type CephFSVolumeSource = Infer<typeof CephFSVolumeSource>;

export const CinderVolumeSource = struct("CinderVolumeSource", ...cinder(LocalObjectReference));
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
  medium: field(
    1,
    named("v1.StorageMedium", string),
    "Where it is kept: empty for the disk of the node, Memory, or HugePages with a size.",
  ),
  sizeLimit: field(2, quantity, "The most that it may hold; no bound when absent.", { pointer: true }),
}, { doc: "An empty directory that lives as long as the pod." });
export type EmptyDirVolumeSource = Infer<typeof EmptyDirVolumeSource>;

export const EphemeralVolumeSource = struct("EphemeralVolumeSource", {
  volumeClaimTemplate: field(1, PersistentVolumeClaimTemplate, "What the claim looks like; it is called like pod and volume together.", {
    pointer: true,
  }),
}, { doc: "A claim that lives and dies with the pod." });
export type EphemeralVolumeSource = Infer<typeof EphemeralVolumeSource>;

export const FlexVolumeSource = struct("FlexVolumeSource", ...flex(LocalObjectReference));
export type FlexVolumeSource = Infer<typeof FlexVolumeSource>;

export const GitRepoVolumeSource = struct("GitRepoVolumeSource", {
  repository: field(1, string, "URL of the repository.", { required: true }),
  revision: field(2, string, "Commit to check out."),
  directory: field(3, string, 'Directory to clone into; must not contain "..".'),
}, { doc: "A checked out repository; deprecated and no longer mounted." });
export type GitRepoVolumeSource = Infer<typeof GitRepoVolumeSource>;

export const GlusterfsVolumeSource = struct("GlusterfsVolumeSource", ...glusterfs);
export type GlusterfsVolumeSource = Infer<typeof GlusterfsVolumeSource>;

/** Without it an image is no volume. */
export const imageVolumeGate = "ImageVolume";

export const ImageVolumeSource = struct("ImageVolumeSource", {
  reference: field(1, string, "Image or artifact, as containers name theirs."),
  pullPolicy: field(
    2,
    named("v1.PullPolicy", oneOf("Always", "IfNotPresent", "Never")),
    "When it is pulled: Always for the tag latest, else IfNotPresent, unless said otherwise.",
  ),
}, { doc: "The files of a container image or artifact.", fillWhile: { [imageVolumeGate]: withPullPolicy } });
export type ImageVolumeSource = Infer<typeof ImageVolumeSource>;

function withPullPolicy<T extends { readonly reference?: string; readonly pullPolicy?: string }>(self: T): T {
  return (self.pullPolicy ?? "") === "" ? { ...self, pullPolicy: pullPolicyOf(self.reference ?? "") } : self;
}

export const ISCSIVolumeSource = struct("ISCSIVolumeSource", ...iscsi(LocalObjectReference));
export type ISCSIVolumeSource = Infer<typeof ISCSIVolumeSource>;

export const PersistentVolumeClaimVolumeSource = struct("PersistentVolumeClaimVolumeSource", {
  claimName: field(1, string, "Name of the claim.", { required: true }),
  readOnly: field(2, boolean, "Whether it is mounted for reading only."),
}, { doc: "A claim of the same namespace." });
export type PersistentVolumeClaimVolumeSource = Infer<typeof PersistentVolumeClaimVolumeSource>;

export const RBDVolumeSource = struct("RBDVolumeSource", ...rbd(LocalObjectReference));
export type RBDVolumeSource = Infer<typeof RBDVolumeSource>;

export const ScaleIOVolumeSource = struct("ScaleIOVolumeSource", ...scaleIO(LocalObjectReference));
export type ScaleIOVolumeSource = Infer<typeof ScaleIOVolumeSource>;

export const SecretVolumeSource = struct("SecretVolumeSource", {
  secretName: field(1, string, "Name of the Secret."),
  items: field(2, list(KeyToPath), "Keys to show and where; all keys under their own names when absent."),
  defaultMode: field(3, int32, "Permission bits of the files, 0644 unless said otherwise.", { pointer: true }),
  optional: field(4, boolean, "Whether the pod starts without the Secret or its keys.", { pointer: true }),
}, { doc: "Files made of a Secret.", fill: withFileMode });
export type SecretVolumeSource = Infer<typeof SecretVolumeSource>;

export const StorageOSVolumeSource = struct("StorageOSVolumeSource", ...storageOS(LocalObjectReference));
export type StorageOSVolumeSource = Infer<typeof StorageOSVolumeSource>;
