/** Sources of persistent volumes: their secrets may be in any namespace (core/v1). */
import { ObjectReference } from "../../../core/meta/references.ts";
import { boolean, field, type Infer, record, string, structsOf } from "../../../core/schema.ts";
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
import { azureFile, cephFS, cinder, flex, glusterfs, iscsi, rbd, scaleIO, storageOS } from "./twin-sources.ts";

const struct = structsOf("core/v1");

export const AzureFilePersistentVolumeSource = struct("AzureFilePersistentVolumeSource", {
  ...azureFile[0],
  secretNamespace: field(4, string, "Namespace of that secret; that of the claim when absent.", { pointer: true, written: "always" }),
}, azureFile[1]);
export type AzureFilePersistentVolumeSource = Infer<typeof AzureFilePersistentVolumeSource>;

export const CephFSPersistentVolumeSource = struct("CephFSPersistentVolumeSource", ...cephFS(SecretReference));
export type CephFSPersistentVolumeSource = Infer<typeof CephFSPersistentVolumeSource>;

export const CinderPersistentVolumeSource = struct("CinderPersistentVolumeSource", ...cinder(SecretReference));
export type CinderPersistentVolumeSource = Infer<typeof CinderPersistentVolumeSource>;

export const CSIPersistentVolumeSource = struct("CSIPersistentVolumeSource", {
  driver: field(1, string, "Name of the driver, as it registers itself.", { required: true }),
  volumeHandle: field(2, string, "What the driver calls the volume; the same for all uses of it.", { required: true }),
  readOnly: field(3, boolean, "Whether the volume is published for reading only."),
  fsType: field(4, string, "File system to mount, such as ext4 or xfs; what the driver takes by itself when empty."),
  volumeAttributes: field(5, record(string), "What the driver said of the volume when it made it."),
  controllerPublishSecretRef: field(6, SecretReference, "Secret handed to the driver where it attaches and detaches.", { pointer: true }),
  nodeStageSecretRef: field(7, SecretReference, "Secret handed to the driver where it stages the volume on a node.", { pointer: true }),
  nodePublishSecretRef: field(8, SecretReference, "Secret handed to the driver where it mounts for a pod.", { pointer: true }),
  controllerExpandSecretRef: field(9, SecretReference, "Secret handed to the driver where it expands the volume.", { pointer: true }),
  nodeExpandSecretRef: field(10, SecretReference, "Secret handed to the driver where it expands on a node.", { pointer: true }),
}, { doc: "A volume of a CSI driver." });
export type CSIPersistentVolumeSource = Infer<typeof CSIPersistentVolumeSource>;

export const FlexPersistentVolumeSource = struct("FlexPersistentVolumeSource", ...flex(SecretReference));
export type FlexPersistentVolumeSource = Infer<typeof FlexPersistentVolumeSource>;

export const GlusterfsPersistentVolumeSource = struct("GlusterfsPersistentVolumeSource", {
  ...glusterfs[0],
  endpointsNamespace: field(4, string, "Namespace of those Endpoints; that of the claim when absent.", { pointer: true }),
}, glusterfs[1]);
export type GlusterfsPersistentVolumeSource = Infer<typeof GlusterfsPersistentVolumeSource>;

export const ISCSIPersistentVolumeSource = struct("ISCSIPersistentVolumeSource", ...iscsi(SecretReference));
export type ISCSIPersistentVolumeSource = Infer<typeof ISCSIPersistentVolumeSource>;

export const LocalVolumeSource = struct("LocalVolumeSource", {
  path: field(1, string, "Path on the node.", { required: true }),
  fsType: field(2, string, "File system for a block device at the path; one is chosen when absent.", { pointer: true }),
}, { doc: "A disk, partition or directory of one node; needs a node affinity." });
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
  glusterfs: field(4, GlusterfsPersistentVolumeSource, "A volume of GlusterFS; deprecated.", { pointer: true }),
  nfs: field(5, NFSVolumeSource, "An export of an NFS server.", { pointer: true }),
  rbd: field(6, RBDPersistentVolumeSource, "A block device of Ceph; deprecated.", { pointer: true }),
  iscsi: field(7, ISCSIPersistentVolumeSource, "A disk on iSCSI.", { pointer: true }),
  cinder: field(8, CinderPersistentVolumeSource, "A disk of OpenStack Cinder.", { pointer: true }),
  cephfs: field(9, CephFSPersistentVolumeSource, "A CephFS file system; deprecated.", { pointer: true, goName: "CephFS" }),
  fc: field(10, FCVolumeSource, "A disk on Fibre Channel.", { pointer: true }),
  flocker: field(11, FlockerVolumeSource, "A dataset of Flocker; deprecated.", { pointer: true }),
  flexVolume: field(12, FlexPersistentVolumeSource, "A volume of a Flexvolume driver; deprecated.", { pointer: true }),
  azureFile: field(13, AzureFilePersistentVolumeSource, "A file share of Azure.", { pointer: true }),
  vsphereVolume: field(14, VsphereVirtualDiskVolumeSource, "A virtual disk of vSphere.", { pointer: true }),
  quobyte: field(15, QuobyteVolumeSource, "A volume of Quobyte; deprecated.", { pointer: true }),
  azureDisk: field(16, AzureDiskVolumeSource, "A data disk of Azure.", { pointer: true }),
  photonPersistentDisk: field(17, PhotonPersistentDiskVolumeSource, "A disk of Photon; deprecated.", { pointer: true }),
  portworxVolume: field(18, PortworxVolumeSource, "A volume of Portworx.", { pointer: true }),
  scaleIO: field(19, ScaleIOPersistentVolumeSource, "A volume of ScaleIO; deprecated.", { pointer: true }),
  local: field(20, LocalVolumeSource, "A disk or directory of one node.", { pointer: true }),
  storageos: field(21, StorageOSPersistentVolumeSource, "A volume of StorageOS; deprecated.", { pointer: true, goName: "StorageOS" }),
  csi: field(22, CSIPersistentVolumeSource, "A volume of a CSI driver.", { pointer: true }),
}, { doc: "What a volume is made of; exactly one member is set." });
export type PersistentVolumeSource = Infer<typeof PersistentVolumeSource>;
