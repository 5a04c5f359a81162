/** Schemas of the sources of persistent volumes, whose secrets may be in any namespace (core/v1). */
import { boolean, field, type Infer, ObjectReference, record, string, structsOf } from "../../../plugin.ts";
import { SecretReference } from "./references.ts";
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
import { azureFile, cephFS, cinder, flex, glusterfs, iscsi, rbd, scaleIO, storageOS } from "./source-fields.ts";

const struct = structsOf("core/v1");

export const AzureFilePersistentVolumeSource = struct("AzureFilePersistentVolumeSource", {
  ...azureFile[0],
  secretNamespace: field(4, string, "The namespace of the secret. Default: the namespace of the claim.", {
    pointer: true,
    written: "always",
  }),
}, azureFile[1]);
export type AzureFilePersistentVolumeSource = Infer<typeof AzureFilePersistentVolumeSource>;

export const CephFSPersistentVolumeSource = struct("CephFSPersistentVolumeSource", ...cephFS(SecretReference));
export type CephFSPersistentVolumeSource = Infer<typeof CephFSPersistentVolumeSource>;

export const CinderPersistentVolumeSource = struct("CinderPersistentVolumeSource", ...cinder(SecretReference));
export type CinderPersistentVolumeSource = Infer<typeof CinderPersistentVolumeSource>;

export const CSIPersistentVolumeSource = struct("CSIPersistentVolumeSource", {
  driver: field(1, string, "The name of the driver.", { required: true }),
  volumeHandle: field(2, string, "The driver's unique identifier of the volume.", { required: true }),
  readOnly: field(3, boolean, "Whether the volume is published read-only."),
  fsType: field(4, string, "The file system type, such as ext4 or xfs. Empty: the driver's default."),
  volumeAttributes: field(5, record(string), "The attributes that the driver returned when it created the volume."),
  controllerPublishSecretRef: field(6, SecretReference, "The secret for attaching and detaching.", { pointer: true }),
  nodeStageSecretRef: field(7, SecretReference, "The secret for staging the volume on a node.", { pointer: true }),
  nodePublishSecretRef: field(8, SecretReference, "The secret for mounting the volume into a pod.", { pointer: true }),
  controllerExpandSecretRef: field(9, SecretReference, "The secret for expanding the volume.", { pointer: true }),
  nodeExpandSecretRef: field(10, SecretReference, "The secret for expanding the volume on a node.", { pointer: true }),
}, { doc: "A volume of a CSI driver." });
export type CSIPersistentVolumeSource = Infer<typeof CSIPersistentVolumeSource>;

export const FlexPersistentVolumeSource = struct("FlexPersistentVolumeSource", ...flex(SecretReference));
export type FlexPersistentVolumeSource = Infer<typeof FlexPersistentVolumeSource>;

export const GlusterfsPersistentVolumeSource = struct("GlusterfsPersistentVolumeSource", {
  ...glusterfs[0],
  endpointsNamespace: field(4, string, "The namespace of the Endpoints. Default: the namespace of the claim.", { pointer: true }),
}, glusterfs[1]);
export type GlusterfsPersistentVolumeSource = Infer<typeof GlusterfsPersistentVolumeSource>;

export const ISCSIPersistentVolumeSource = struct("ISCSIPersistentVolumeSource", ...iscsi(SecretReference));
export type ISCSIPersistentVolumeSource = Infer<typeof ISCSIPersistentVolumeSource>;

export const LocalVolumeSource = struct("LocalVolumeSource", {
  path: field(1, string, "The path on the node.", { required: true }),
  fsType: field(2, string, "The file system type, if the path is a block device. Absent: detected.", { pointer: true }),
}, { doc: "A disk, partition or directory of one node. Requires a node affinity." });
export type LocalVolumeSource = Infer<typeof LocalVolumeSource>;

export const RBDPersistentVolumeSource = struct("RBDPersistentVolumeSource", ...rbd(SecretReference));
export type RBDPersistentVolumeSource = Infer<typeof RBDPersistentVolumeSource>;

export const ScaleIOPersistentVolumeSource = struct("ScaleIOPersistentVolumeSource", ...scaleIO(SecretReference));
export type ScaleIOPersistentVolumeSource = Infer<typeof ScaleIOPersistentVolumeSource>;

export const StorageOSPersistentVolumeSource = struct("StorageOSPersistentVolumeSource", ...storageOS(ObjectReference));
export type StorageOSPersistentVolumeSource = Infer<typeof StorageOSPersistentVolumeSource>;

export const PersistentVolumeSource = struct("PersistentVolumeSource", {
  gcePersistentDisk: field(1, GCEPersistentDiskVolumeSource, "A disk of GCE.", { pointer: true }),
  awsElasticBlockStore: field(2, AWSElasticBlockStoreVolumeSource, "A disk of AWS EBS.", { pointer: true }),
  hostPath: field(3, HostPathVolumeSource, "A path of the node.", { pointer: true }),
  glusterfs: field(4, GlusterfsPersistentVolumeSource, "A volume of GlusterFS. Deprecated.", { pointer: true }),
  nfs: field(5, NFSVolumeSource, "An export of an NFS server.", { pointer: true }),
  rbd: field(6, RBDPersistentVolumeSource, "A block device of Ceph. Deprecated.", { pointer: true }),
  iscsi: field(7, ISCSIPersistentVolumeSource, "An iSCSI disk.", { pointer: true }),
  cinder: field(8, CinderPersistentVolumeSource, "A disk of OpenStack Cinder.", { pointer: true }),
  cephfs: field(9, CephFSPersistentVolumeSource, "A CephFS file system. Deprecated.", { pointer: true, goName: "CephFS" }),
  fc: field(10, FCVolumeSource, "A Fibre Channel disk.", { pointer: true }),
  flocker: field(11, FlockerVolumeSource, "A dataset of Flocker. Deprecated.", { pointer: true }),
  flexVolume: field(12, FlexPersistentVolumeSource, "A volume of a Flexvolume driver. Deprecated.", { pointer: true }),
  azureFile: field(13, AzureFilePersistentVolumeSource, "A file share of Azure.", { pointer: true }),
  vsphereVolume: field(14, VsphereVirtualDiskVolumeSource, "A virtual disk of vSphere.", { pointer: true }),
  quobyte: field(15, QuobyteVolumeSource, "A volume of Quobyte. Deprecated.", { pointer: true }),
  azureDisk: field(16, AzureDiskVolumeSource, "A data disk of Azure.", { pointer: true }),
  photonPersistentDisk: field(17, PhotonPersistentDiskVolumeSource, "A disk of Photon. Deprecated.", { pointer: true }),
  portworxVolume: field(18, PortworxVolumeSource, "A volume of Portworx.", { pointer: true }),
  scaleIO: field(19, ScaleIOPersistentVolumeSource, "A volume of ScaleIO. Deprecated.", { pointer: true }),
  local: field(20, LocalVolumeSource, "A disk or directory of one node.", { pointer: true }),
  storageos: field(21, StorageOSPersistentVolumeSource, "A volume of StorageOS. Deprecated.", { pointer: true, goName: "StorageOS" }),
  csi: field(22, CSIPersistentVolumeSource, "A volume of a CSI driver.", { pointer: true }),
}, { doc: "The source of a volume. Exactly one field must be set." });
export type PersistentVolumeSource = Infer<typeof PersistentVolumeSource>;
