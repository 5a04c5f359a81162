/** Sources that pods and persistent volumes share (core/v1). */
import { boolean, field, type Infer, int32, list, named, oneOf, string, structsOf } from "../../../core/schema.ts";

const struct = structsOf("core/v1");

export const AWSElasticBlockStoreVolumeSource = struct("AWSElasticBlockStoreVolumeSource", {
  volumeID: field(1, string, "ID of the disk in AWS.", { required: true }),
  fsType: field(2, string, "File system to mount, such as ext4 or xfs; what the driver takes by itself when empty."),
  partition: field(3, int32, "Number of the partition to mount; 0 for the whole disk."),
  readOnly: field(4, boolean, "Whether it is mounted for reading only."),
}, { doc: "A disk of AWS EBS; its driver is the CSI driver ebs.csi.aws.com." });
export type AWSElasticBlockStoreVolumeSource = Infer<typeof AWSElasticBlockStoreVolumeSource>;

export const AzureDiskVolumeSource = struct("AzureDiskVolumeSource", {
  diskName: field(1, string, "Name of the disk in the blob storage.", { required: true }),
  diskURI: field(2, string, "URI of the disk: below /subscriptions/ for managed disks, https:// for others.", {
    required: true,
    goName: "DataDiskURI",
  }),
  cachingMode: field(3, named("v1.AzureDataDiskCachingMode", oneOf("None", "ReadOnly", "ReadWrite")), "What the host caches.", {
    pointer: true,
    default: "ReadWrite",
  }),
  fsType: field(4, string, "File system to mount, such as ext4 or xfs; what the driver takes by itself when empty.", {
    pointer: true,
    default: "ext4",
  }),
  readOnly: field(5, boolean, "Whether it is mounted for reading only.", { pointer: true, default: false }),
  kind: field(
    6,
    named("v1.AzureDataDiskKind", oneOf("Dedicated", "Managed", "Shared")),
    "Whether the disk shares a storage account, has one of its own, or is managed.",
    {
      pointer: true,
      default: "Shared",
    },
  ),
}, { doc: "A data disk of Azure; its driver is the CSI driver disk.csi.azure.com." });
export type AzureDiskVolumeSource = Infer<typeof AzureDiskVolumeSource>;

export const FCVolumeSource = struct("FCVolumeSource", {
  targetWWNs: field(1, list(string), "World wide names of the targets."),
  lun: field(2, int32, "Number of the logical unit at the targets.", { pointer: true }),
  fsType: field(3, string, "File system to mount, such as ext4 or xfs; what the driver takes by itself when empty."),
  readOnly: field(4, boolean, "Whether it is mounted for reading only."),
  wwids: field(5, list(string), "World wide identifiers of the disk, in place of targets and LUN.", { goName: "WWIDs" }),
}, { doc: "A disk on Fibre Channel, by target and LUN or by WWID." });
export type FCVolumeSource = Infer<typeof FCVolumeSource>;

export const FlockerVolumeSource = struct("FlockerVolumeSource", {
  datasetName: field(1, string, "Name of the dataset; to be replaced by its UUID."),
  datasetUUID: field(2, string, "UUID of the dataset."),
}, { doc: "A dataset of Flocker, which no node supports any more." });
export type FlockerVolumeSource = Infer<typeof FlockerVolumeSource>;

export const GCEPersistentDiskVolumeSource = struct("GCEPersistentDiskVolumeSource", {
  pdName: field(1, string, "Name of the disk in GCE.", { required: true, goName: "PDName" }),
  fsType: field(2, string, "File system to mount, such as ext4 or xfs; what the driver takes by itself when empty."),
  partition: field(3, int32, "Number of the partition to mount; 0 for the whole disk."),
  readOnly: field(4, boolean, "Whether it is mounted for reading only."),
}, { doc: "A persistent disk of Google Compute Engine; its driver is the CSI driver pd.csi.storage.gke.io." });
export type GCEPersistentDiskVolumeSource = Infer<typeof GCEPersistentDiskVolumeSource>;

export const HostPathVolumeSource = struct("HostPathVolumeSource", {
  path: field(1, string, "Path on the node; a link is followed.", { required: true }),
  type: field(
    2,
    named("v1.HostPathType", oneOf("", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket")),
    "What must be at the path, or is made there; nothing is checked when empty.",
    { pointer: true },
  ),
}, {
  doc: "A file or directory of the node itself, for programs that look after the node.",
  fill: (self: { readonly type?: string | null }) => (self.type ?? null) === null ? { ...self, type: "" } : self,
});
export type HostPathVolumeSource = Infer<typeof HostPathVolumeSource>;

export const NFSVolumeSource = struct("NFSVolumeSource", {
  server: field(1, string, "Host name or address of the server.", { required: true }),
  path: field(2, string, "Path that the server exports.", { required: true }),
  readOnly: field(3, boolean, "Whether it is mounted for reading only."),
}, { doc: "An export of an NFS server." });
export type NFSVolumeSource = Infer<typeof NFSVolumeSource>;

export const PhotonPersistentDiskVolumeSource = struct("PhotonPersistentDiskVolumeSource", {
  pdID: field(1, string, "ID of the disk.", { required: true }),
  fsType: field(2, string, "File system to mount, such as ext4 or xfs; what the driver takes by itself when empty."),
}, { doc: "A disk of the Photon platform, which no node supports any more." });
export type PhotonPersistentDiskVolumeSource = Infer<typeof PhotonPersistentDiskVolumeSource>;

export const PortworxVolumeSource = struct("PortworxVolumeSource", {
  volumeID: field(1, string, "ID of the volume.", { required: true }),
  fsType: field(2, string, "File system to mount, such as ext4 or xfs; what the driver takes by itself when empty."),
  readOnly: field(3, boolean, "Whether it is mounted for reading only."),
}, { doc: "A volume of Portworx; its driver is the CSI driver pxd.portworx.com." });
export type PortworxVolumeSource = Infer<typeof PortworxVolumeSource>;

export const QuobyteVolumeSource = struct("QuobyteVolumeSource", {
  registry: field(1, string, "Registry services as host:port, separated by commas.", { required: true }),
  volume: field(2, string, "Name of a volume that exists.", { required: true }),
  readOnly: field(3, boolean, "Whether it is mounted for reading only."),
  user: field(4, string, "User that files are accessed as."),
  group: field(5, string, "Group that files are accessed as."),
  tenant: field(6, string, "Tenant that owns the volume."),
}, { doc: "A volume of Quobyte, which no node supports any more." });
export type QuobyteVolumeSource = Infer<typeof QuobyteVolumeSource>;

export const VsphereVirtualDiskVolumeSource = struct("VsphereVirtualDiskVolumeSource", {
  volumePath: field(1, string, "Path of the disk file.", { required: true }),
  fsType: field(2, string, "File system to mount, such as ext4 or xfs; what the driver takes by itself when empty."),
  storagePolicyName: field(3, string, "Storage policy of the disk, by name."),
  storagePolicyID: field(4, string, "Storage policy of the disk, by ID."),
}, { doc: "A virtual disk of vSphere; its driver is the CSI driver csi.vsphere.vmware.com." });
export type VsphereVirtualDiskVolumeSource = Infer<typeof VsphereVirtualDiskVolumeSource>;
