/** Schemas of the volume sources of pods, whose secrets are in the pod's namespace (core/v1). */
import { boolean, field, type Infer, int32, list, oneOf, quantity, record, string, structsOf } from "../../../plugin.ts";
import { LocalObjectReference, named } from "../../../toolbox.ts";
import { PersistentVolumeClaimTemplate } from "./claim-spec.ts";
import { pullPolicyOf } from "./image.ts";
import { withFileMode } from "./modes.ts";
import { DownwardAPIVolumeFile, KeyToPath } from "./projections.ts";
import { azureFile, cephFS, cinder, flex, glusterfs, iscsi, rbd, scaleIO, storageOS } from "./source-fields.ts";

const struct = structsOf("core/v1");

export const AzureFileVolumeSource = struct("AzureFileVolumeSource", ...azureFile);
export type AzureFileVolumeSource = Infer<typeof AzureFileVolumeSource>;

export const CephFSVolumeSource = struct("CephFSVolumeSource", ...cephFS(LocalObjectReference));
export type CephFSVolumeSource = Infer<typeof CephFSVolumeSource>;

export const CinderVolumeSource = struct("CinderVolumeSource", ...cinder(LocalObjectReference));
export type CinderVolumeSource = Infer<typeof CinderVolumeSource>;

export const ConfigMapVolumeSource = struct("ConfigMapVolumeSource", {
  reference: field(1, LocalObjectReference, "The name of the ConfigMap.", { inline: true }),
  items: field(2, list(KeyToPath), "The keys to project and their paths. Absent: all keys, with the key as path."),
  defaultMode: field(3, int32, "The permission bits of the files. Default 0644.", { pointer: true }),
  optional: field(4, boolean, "Whether the pod starts if the ConfigMap or a key is missing.", { pointer: true }),
}, { doc: "The keys of a ConfigMap as files.", applyDefaults: withFileMode });
export type ConfigMapVolumeSource = Infer<typeof ConfigMapVolumeSource>;

export const CSIVolumeSource = struct("CSIVolumeSource", {
  driver: field(1, string, "The name of the driver.", { required: true }),
  readOnly: field(2, boolean, "Whether the volume is mounted read-only.", { pointer: true }),
  fsType: field(3, string, "The file system type, such as ext4 or xfs. Empty: the driver's default.", { pointer: true }),
  volumeAttributes: field(4, record(string), "Driver-specific attributes of the volume."),
  nodePublishSecretRef: field(5, LocalObjectReference, "The secret for mounting the volume.", { pointer: true }),
}, { doc: "An ephemeral volume of a CSI driver, with the lifecycle of the pod." });
export type CSIVolumeSource = Infer<typeof CSIVolumeSource>;

export const DownwardAPIVolumeSource = struct("DownwardAPIVolumeSource", {
  items: field(1, list(DownwardAPIVolumeFile), "The files."),
  defaultMode: field(2, int32, "The permission bits of the files. Default 0644.", { pointer: true }),
}, { doc: "Fields and resources of the pod as files.", applyDefaults: withFileMode });
export type DownwardAPIVolumeSource = Infer<typeof DownwardAPIVolumeSource>;

export const EmptyDirVolumeSource = struct("EmptyDirVolumeSource", {
  medium: field(
    1,
    named("v1.StorageMedium", string),
    "The storage medium: empty for the disk of the node, Memory, or HugePages with a size.",
  ),
  sizeLimit: field(2, quantity, "The maximum size. Absent: no limit.", { pointer: true }),
}, { doc: "An initially empty directory with the lifecycle of the pod." });
export type EmptyDirVolumeSource = Infer<typeof EmptyDirVolumeSource>;

export const EphemeralVolumeSource = struct("EphemeralVolumeSource", {
  volumeClaimTemplate: field(
    1,
    PersistentVolumeClaimTemplate,
    "The template of the claim. The claim's name is that of the pod, a hyphen and that of the volume.",
    {
      pointer: true,
    },
  ),
}, { doc: "A claim that is created and deleted with the pod." });
export type EphemeralVolumeSource = Infer<typeof EphemeralVolumeSource>;

export const FlexVolumeSource = struct("FlexVolumeSource", ...flex(LocalObjectReference));
export type FlexVolumeSource = Infer<typeof FlexVolumeSource>;

export const GitRepoVolumeSource = struct("GitRepoVolumeSource", {
  repository: field(1, string, "The URL of the repository.", { required: true }),
  revision: field(2, string, "The commit to check out."),
  directory: field(3, string, 'The directory to clone into. It must not contain "..".'),
}, { doc: "A checked out Git repository. Deprecated; nodes no longer mount it." });
export type GitRepoVolumeSource = Infer<typeof GitRepoVolumeSource>;

export const GlusterfsVolumeSource = struct("GlusterfsVolumeSource", ...glusterfs);
export type GlusterfsVolumeSource = Infer<typeof GlusterfsVolumeSource>;

/** The feature gate of image volumes. */
export const imageVolumeGate = "ImageVolume";

export const ImageVolumeSource = struct("ImageVolumeSource", {
  reference: field(1, string, "The reference of an image or artifact."),
  pullPolicy: field(
    2,
    named("v1.PullPolicy", oneOf("Always", "IfNotPresent", "Never")),
    "The pull policy. Default: Always for the tag latest, else IfNotPresent.",
  ),
}, { doc: "The files of a container image or artifact.", gatedDefaults: { [imageVolumeGate]: withPullPolicy } });
export type ImageVolumeSource = Infer<typeof ImageVolumeSource>;

function withPullPolicy<T extends { readonly reference?: string; readonly pullPolicy?: string }>(self: T): T {
  return (self.pullPolicy ?? "") === "" ? { ...self, pullPolicy: pullPolicyOf(self.reference ?? "") } : self;
}

export const ISCSIVolumeSource = struct("ISCSIVolumeSource", ...iscsi(LocalObjectReference));
export type ISCSIVolumeSource = Infer<typeof ISCSIVolumeSource>;

export const PersistentVolumeClaimVolumeSource = struct("PersistentVolumeClaimVolumeSource", {
  claimName: field(1, string, "The name of the claim.", { required: true }),
  readOnly: field(2, boolean, "Whether the volume is mounted read-only."),
}, { doc: "A claim of the same namespace." });
export type PersistentVolumeClaimVolumeSource = Infer<typeof PersistentVolumeClaimVolumeSource>;

export const RBDVolumeSource = struct("RBDVolumeSource", ...rbd(LocalObjectReference));
export type RBDVolumeSource = Infer<typeof RBDVolumeSource>;

export const ScaleIOVolumeSource = struct("ScaleIOVolumeSource", ...scaleIO(LocalObjectReference));
export type ScaleIOVolumeSource = Infer<typeof ScaleIOVolumeSource>;

export const SecretVolumeSource = struct("SecretVolumeSource", {
  secretName: field(1, string, "The name of the Secret."),
  items: field(2, list(KeyToPath), "The keys to project and their paths. Absent: all keys, with the key as path."),
  defaultMode: field(3, int32, "The permission bits of the files. Default 0644.", { pointer: true }),
  optional: field(4, boolean, "Whether the pod starts if the Secret or a key is missing.", { pointer: true }),
}, { doc: "The keys of a Secret as files.", applyDefaults: withFileMode });
export type SecretVolumeSource = Infer<typeof SecretVolumeSource>;

export const StorageOSVolumeSource = struct("StorageOSVolumeSource", ...storageOS(LocalObjectReference));
export type StorageOSVolumeSource = Infer<typeof StorageOSVolumeSource>;
