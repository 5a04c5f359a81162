/** Sources of persistent volumes: their secrets may be in any namespace (core/v1). */
import { ObjectReference } from "../meta/references.ts";
import { boolean, field, type Infer, int32, list, record, string, structsOf } from "../schema.ts";
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

const struct = structsOf("core/v1");

export const AzureFilePersistentVolumeSource = struct("AzureFilePersistentVolumeSource", {
  secretName: field(1, string, "Secret with the name and key of the storage account.", { required: true }),
  shareName: field(2, string, "Name of the share.", { required: true }),
  readOnly: field(3, boolean, "Whether it is mounted for reading only."),
  secretNamespace: field(4, string, "Namespace of that secret; that of the claim when absent.", { pointer: true, written: "always" }),
}, { doc: "A file share of Azure, mounted by SMB." });
export type AzureFilePersistentVolumeSource = Infer<typeof AzureFilePersistentVolumeSource>;

export const CephFSPersistentVolumeSource = struct("CephFSPersistentVolumeSource", {
  monitors: field(1, list(string), "Addresses of the Ceph monitors.", { required: true }),
  path: field(2, string, "Directory to mount, the root when empty."),
  user: field(3, string, "User name in Ceph, admin when empty."),
  secretFile: field(4, string, "Path of the keyring on the node."),
  secretRef: field(5, SecretReference, "Secret with the key of the user, in place of the file.", { pointer: true }),
  readOnly: field(6, boolean, "Whether it is mounted for reading only."),
}, { doc: "A CephFS file system, which no node supports any more." });
export type CephFSPersistentVolumeSource = Infer<typeof CephFSPersistentVolumeSource>;

export const CinderPersistentVolumeSource = struct("CinderPersistentVolumeSource", {
  volumeID: field(1, string, "ID of the disk in Cinder.", { required: true }),
  fsType: field(2, string, "File system to mount, such as ext4 or xfs; what the driver takes by itself when empty."),
  readOnly: field(3, boolean, "Whether it is mounted for reading only."),
  secretRef: field(4, SecretReference, "The secret with the credentials.", { pointer: true }),
}, { doc: "A disk of OpenStack Cinder; its driver is the CSI driver cinder.csi.openstack.org." });
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

export const FlexPersistentVolumeSource = struct("FlexPersistentVolumeSource", {
  driver: field(1, string, "Name of the driver.", { required: true }),
  fsType: field(2, string, "File system to mount, such as ext4 or xfs; what the driver takes by itself when empty."),
  secretRef: field(3, SecretReference, "Secret whose values are handed to the driver.", { pointer: true }),
  readOnly: field(4, boolean, "Whether it is mounted for reading only."),
  options: field(5, record(string), "What else the driver is told, by key."),
}, { doc: "A volume of a Flexvolume driver, a program on the node." });
export type FlexPersistentVolumeSource = Infer<typeof FlexPersistentVolumeSource>;

export const GlusterfsPersistentVolumeSource = struct("GlusterfsPersistentVolumeSource", {
  endpoints: field(1, string, "Name of the Endpoints object that lists the servers.", { required: true }),
  path: field(2, string, "Name of the volume.", { required: true }),
  readOnly: field(3, boolean, "Whether it is mounted for reading only."),
  endpointsNamespace: field(4, string, "Namespace of those Endpoints; that of the claim when absent.", { pointer: true }),
}, { doc: "A volume of GlusterFS, which no node supports any more." });
export type GlusterfsPersistentVolumeSource = Infer<typeof GlusterfsPersistentVolumeSource>;

export const ISCSIPersistentVolumeSource = struct("ISCSIPersistentVolumeSource", {
  targetPortal: field(1, string, "Address of the target, as host or host:port.", { required: true }),
  iqn: field(2, string, "Qualified name of the target.", { required: true }),
  lun: field(3, int32, "Number of the logical unit at the target.", { required: true }),
  iscsiInterface: field(4, string, "Network interface of iSCSI to use.", { default: "default" }),
  fsType: field(5, string, "File system to mount, such as ext4 or xfs; what the driver takes by itself when empty."),
  readOnly: field(6, boolean, "Whether it is mounted for reading only."),
  portals: field(7, list(string), "More addresses of the target, for multipath."),
  chapAuthDiscovery: field(8, boolean, "Whether discovery is authenticated by CHAP."),
  chapAuthSession: field(11, boolean, "Whether sessions are authenticated by CHAP."),
  secretRef: field(10, SecretReference, "Secret with the credentials of CHAP.", { pointer: true }),
  initiatorName: field(12, string, "Qualified name that the node shows; together with another interface a new one is made.", {
    pointer: true,
  }),
}, { doc: "A disk on iSCSI." });
export type ISCSIPersistentVolumeSource = Infer<typeof ISCSIPersistentVolumeSource>;

export const LocalVolumeSource = struct("LocalVolumeSource", {
  path: field(1, string, "Path on the node.", { required: true }),
  fsType: field(2, string, "File system for a block device at the path; one is chosen when absent.", { pointer: true }),
}, { doc: "A disk, partition or directory of one node; needs a node affinity." });
export type LocalVolumeSource = Infer<typeof LocalVolumeSource>;

export const RBDPersistentVolumeSource = struct("RBDPersistentVolumeSource", {
  monitors: field(1, list(string), "Addresses of the Ceph monitors.", { required: true }),
  image: field(2, string, "Name of the image.", { required: true }),
  fsType: field(3, string, "File system to mount, such as ext4 or xfs; what the driver takes by itself when empty."),
  pool: field(4, string, "Pool of the image.", { default: "rbd" }),
  user: field(5, string, "User name in Ceph.", { default: "admin" }),
  keyring: field(6, string, "Path of the keyring on the node.", { default: "/etc/ceph/keyring" }),
  secretRef: field(7, SecretReference, "Secret with the key of the user, in place of the keyring.", { pointer: true }),
  readOnly: field(8, boolean, "Whether it is mounted for reading only."),
}, { doc: "A block device of Ceph, which no node supports any more." });
export type RBDPersistentVolumeSource = Infer<typeof RBDPersistentVolumeSource>;

export const ScaleIOPersistentVolumeSource = struct("ScaleIOPersistentVolumeSource", {
  gateway: field(1, string, "Address of the API gateway.", { required: true }),
  system: field(2, string, "Name of the storage system.", { required: true }),
  secretRef: field(3, SecretReference, "Secret with user and password.", { pointer: true, required: true }),
  sslEnabled: field(4, boolean, "Whether the gateway is spoken to by TLS."),
  protectionDomain: field(5, string, "Protection domain of the storage."),
  storagePool: field(6, string, "Pool of that domain."),
  storageMode: field(7, string, "ThickProvisioned or ThinProvisioned.", { default: "ThinProvisioned" }),
  volumeName: field(8, string, "Name of a volume that exists."),
  fsType: field(9, string, "File system to mount, such as ext4 or xfs; what the driver takes by itself when empty.", { default: "xfs" }),
  readOnly: field(10, boolean, "Whether it is mounted for reading only."),
}, { doc: "A volume of ScaleIO, which no node supports any more." });
export type ScaleIOPersistentVolumeSource = Infer<typeof ScaleIOPersistentVolumeSource>;

export const StorageOSPersistentVolumeSource = struct("StorageOSPersistentVolumeSource", {
  volumeName: field(1, string, "Name of the volume, unique in its namespace."),
  volumeNamespace: field(2, string, "Namespace of StorageOS; that of the pod or claim when empty."),
  fsType: field(3, string, "File system to mount, such as ext4 or xfs; what the driver takes by itself when empty."),
  readOnly: field(4, boolean, "Whether it is mounted for reading only."),
  secretRef: field(5, ObjectReference, "Secret with the credentials of the API.", { pointer: true }),
}, { doc: "A volume of StorageOS, which no node supports any more." });
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
  cephfs: field(9, CephFSPersistentVolumeSource, "A CephFS file system; deprecated.", { pointer: true }),
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
  storageos: field(21, StorageOSPersistentVolumeSource, "A volume of StorageOS; deprecated.", { pointer: true }),
  csi: field(22, CSIPersistentVolumeSource, "A volume of a CSI driver.", { pointer: true }),
}, { doc: "What a volume is made of; exactly one member is set." });
export type PersistentVolumeSource = Infer<typeof PersistentVolumeSource>;
