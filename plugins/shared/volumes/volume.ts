/** The schema of a pod's volume (core/v1). */
import { field, type Infer, string, structsOf } from "../../../plugin.ts";
import {
  AzureFileVolumeSource,
  CephFSVolumeSource,
  CinderVolumeSource,
  ConfigMapVolumeSource,
  CSIVolumeSource,
  DownwardAPIVolumeSource,
  EmptyDirVolumeSource,
  EphemeralVolumeSource,
  FlexVolumeSource,
  GitRepoVolumeSource,
  GlusterfsVolumeSource,
  imageVolumeGate,
  ImageVolumeSource,
  ISCSIVolumeSource,
  PersistentVolumeClaimVolumeSource,
  RBDVolumeSource,
  ScaleIOVolumeSource,
  SecretVolumeSource,
  StorageOSVolumeSource,
} from "./pod-sources.ts";
import { ProjectedVolumeSource } from "./projections.ts";
import {
  AWSElasticBlockStoreVolumeSource,
  AzureDiskVolumeSource,
  FCVolumeSource,
  FlockerVolumeSource,
  GCEPersistentDiskVolumeSource,
  HostPathVolumeSource,
  NFSVolumeSource,
  PhotonPersistentDiskVolumeSource,
  PortworxVolumeSource,
  QuobyteVolumeSource,
  VsphereVirtualDiskVolumeSource,
} from "./shared-sources.ts";

const struct = structsOf("core/v1");

export const VolumeSource = struct("VolumeSource", {
  hostPath: field(1, HostPathVolumeSource, "A path of the node.", { pointer: true }),
  emptyDir: field(2, EmptyDirVolumeSource, "An initially empty directory with the lifecycle of the pod.", { pointer: true }),
  gcePersistentDisk: field(3, GCEPersistentDiskVolumeSource, "A disk of GCE.", { pointer: true }),
  awsElasticBlockStore: field(4, AWSElasticBlockStoreVolumeSource, "A disk of AWS EBS.", { pointer: true }),
  gitRepo: field(5, GitRepoVolumeSource, "A checked out Git repository. Deprecated.", { pointer: true }),
  secret: field(6, SecretVolumeSource, "The keys of a Secret as files.", { pointer: true }),
  nfs: field(7, NFSVolumeSource, "An export of an NFS server.", { pointer: true }),
  iscsi: field(8, ISCSIVolumeSource, "An iSCSI disk.", { pointer: true }),
  glusterfs: field(9, GlusterfsVolumeSource, "A volume of GlusterFS. Deprecated.", { pointer: true }),
  persistentVolumeClaim: field(10, PersistentVolumeClaimVolumeSource, "A claim of the same namespace.", { pointer: true }),
  rbd: field(11, RBDVolumeSource, "A block device of Ceph. Deprecated.", { pointer: true }),
  flexVolume: field(12, FlexVolumeSource, "A volume of a Flexvolume driver. Deprecated.", { pointer: true }),
  cinder: field(13, CinderVolumeSource, "A disk of OpenStack Cinder.", { pointer: true }),
  cephfs: field(14, CephFSVolumeSource, "A CephFS file system. Deprecated.", { pointer: true, goName: "CephFS" }),
  flocker: field(15, FlockerVolumeSource, "A dataset of Flocker. Deprecated.", { pointer: true }),
  downwardAPI: field(16, DownwardAPIVolumeSource, "Fields and resources of the pod as files.", { pointer: true }),
  fc: field(17, FCVolumeSource, "A Fibre Channel disk.", { pointer: true }),
  azureFile: field(18, AzureFileVolumeSource, "A file share of Azure.", { pointer: true }),
  configMap: field(19, ConfigMapVolumeSource, "The keys of a ConfigMap as files.", { pointer: true }),
  vsphereVolume: field(20, VsphereVirtualDiskVolumeSource, "A virtual disk of vSphere.", { pointer: true }),
  quobyte: field(21, QuobyteVolumeSource, "A volume of Quobyte. Deprecated.", { pointer: true }),
  azureDisk: field(22, AzureDiskVolumeSource, "A data disk of Azure.", { pointer: true }),
  photonPersistentDisk: field(23, PhotonPersistentDiskVolumeSource, "A disk of Photon. Deprecated.", { pointer: true }),
  projected: field(26, ProjectedVolumeSource, "Several sources in one directory.", { pointer: true }),
  portworxVolume: field(24, PortworxVolumeSource, "A volume of Portworx.", { pointer: true }),
  scaleIO: field(25, ScaleIOVolumeSource, "A volume of ScaleIO. Deprecated.", { pointer: true }),
  storageos: field(27, StorageOSVolumeSource, "A volume of StorageOS. Deprecated.", { pointer: true, goName: "StorageOS" }),
  csi: field(28, CSIVolumeSource, "A volume of a CSI driver.", { pointer: true }),
  ephemeral: field(29, EphemeralVolumeSource, "A claim that is created for the pod.", { pointer: true }),
  image: field(30, ImageVolumeSource, "The files of an image.", { pointer: true, gate: imageVolumeGate }),
}, { doc: "The source of a volume. Exactly one field must be set." });
export type VolumeSource = Infer<typeof VolumeSource>;

export const Volume = struct("Volume", {
  name: field(1, string, "The name by which containers mount the volume, unique in the pod.", { required: true }),
  source: field(2, VolumeSource, "The source of the volume. Exactly one field must be set.", { inline: true }),
}, { doc: "A volume that containers of the pod can mount.", applyDefaults: withEmptyDir });
export type Volume = Infer<typeof Volume>;

/** Applies the default source: an emptyDir. */
function withEmptyDir(self: Readonly<Record<string, unknown>>): unknown {
  const named = Object.keys(self).some((key) => key !== "name" && (self[key] ?? null) !== null);
  return named ? self : { ...self, emptyDir: {} };
}
