/** Schemas of the volume sources that pods and persistent volumes share (core/v1). */
import { boolean, field, type Infer, int32, list, oneOf, string, structsOf } from "../../../plugin.ts";
import { named } from "../../../toolbox.ts";

const struct = structsOf("core/v1");

export const AWSElasticBlockStoreVolumeSource = struct("AWSElasticBlockStoreVolumeSource", {
  volumeID: field(1, string, "The AWS ID of the disk.", { required: true }),
  fsType: field(2, string, "The file system type, such as ext4 or xfs. Empty: the driver's default."),
  partition: field(3, int32, "The number of the partition to mount. 0: the whole disk."),
  readOnly: field(4, boolean, "Whether the volume is mounted read-only."),
}, { doc: "An AWS EBS disk. Migrated to the CSI driver ebs.csi.aws.com." });
export type AWSElasticBlockStoreVolumeSource = Infer<typeof AWSElasticBlockStoreVolumeSource>;

export const AzureDiskVolumeSource = struct("AzureDiskVolumeSource", {
  diskName: field(1, string, "The name of the disk in the blob storage.", { required: true }),
  diskURI: field(2, string, "The URI of the disk: /subscriptions/... for managed disks, https://... for others.", {
    required: true,
    goName: "DataDiskURI",
  }),
  cachingMode: field(3, named("v1.AzureDataDiskCachingMode", oneOf("None", "ReadOnly", "ReadWrite")), "The caching mode of the host.", {
    pointer: true,
    default: "ReadWrite",
  }),
  fsType: field(4, string, "The file system type, such as ext4 or xfs. Empty: the driver's default.", {
    pointer: true,
    default: "ext4",
  }),
  readOnly: field(5, boolean, "Whether the volume is mounted read-only.", { pointer: true, default: false }),
  kind: field(
    6,
    named("v1.AzureDataDiskKind", oneOf("Dedicated", "Managed", "Shared")),
    "The kind of the disk: Shared or Dedicated storage account, or Managed disk.",
    {
      pointer: true,
      default: "Shared",
    },
  ),
}, { doc: "An Azure data disk. Migrated to the CSI driver disk.csi.azure.com." });
export type AzureDiskVolumeSource = Infer<typeof AzureDiskVolumeSource>;

export const FCVolumeSource = struct("FCVolumeSource", {
  targetWWNs: field(1, list(string), "The world wide names of the targets."),
  lun: field(2, int32, "The logical unit number of the targets.", { pointer: true }),
  fsType: field(3, string, "The file system type, such as ext4 or xfs. Empty: the driver's default."),
  readOnly: field(4, boolean, "Whether the volume is mounted read-only."),
  wwids: field(5, list(string), "The world wide identifiers of the disk. Excludes targets and LUN.", { goName: "WWIDs" }),
}, { doc: "A Fibre Channel disk, identified by target and LUN or by WWID." });
export type FCVolumeSource = Infer<typeof FCVolumeSource>;

export const FlockerVolumeSource = struct("FlockerVolumeSource", {
  datasetName: field(1, string, "The name of the dataset. Deprecated in favor of datasetUUID."),
  datasetUUID: field(2, string, "The UUID of the dataset."),
}, { doc: "A dataset of Flocker. Deprecated; nodes no longer support it." });
export type FlockerVolumeSource = Infer<typeof FlockerVolumeSource>;

export const GCEPersistentDiskVolumeSource = struct("GCEPersistentDiskVolumeSource", {
  pdName: field(1, string, "The GCE name of the disk.", { required: true, goName: "PDName" }),
  fsType: field(2, string, "The file system type, such as ext4 or xfs. Empty: the driver's default."),
  partition: field(3, int32, "The number of the partition to mount. 0: the whole disk."),
  readOnly: field(4, boolean, "Whether the volume is mounted read-only."),
}, { doc: "A GCE persistent disk. Migrated to the CSI driver pd.csi.storage.gke.io." });
export type GCEPersistentDiskVolumeSource = Infer<typeof GCEPersistentDiskVolumeSource>;

export const HostPathVolumeSource = struct("HostPathVolumeSource", {
  path: field(1, string, "The path on the node. Links are followed.", { required: true }),
  type: field(
    2,
    named("v1.HostPathType", oneOf("", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket")),
    "The type that is required or created at the path. Empty: no check.",
    { pointer: true },
  ),
}, {
  doc: "A file or directory of the node, for system agents.",
  applyDefaults: (self: { readonly type?: string | null }) => (self.type ?? null) === null ? { ...self, type: "" } : self,
});
export type HostPathVolumeSource = Infer<typeof HostPathVolumeSource>;

export const NFSVolumeSource = struct("NFSVolumeSource", {
  server: field(1, string, "The host name or IP address of the server.", { required: true }),
  path: field(2, string, "The exported path.", { required: true }),
  readOnly: field(3, boolean, "Whether the volume is mounted read-only."),
}, { doc: "An export of an NFS server." });
export type NFSVolumeSource = Infer<typeof NFSVolumeSource>;

export const PhotonPersistentDiskVolumeSource = struct("PhotonPersistentDiskVolumeSource", {
  pdID: field(1, string, "The ID of the disk.", { required: true }),
  fsType: field(2, string, "The file system type, such as ext4 or xfs. Empty: the driver's default."),
}, { doc: "A disk of the Photon platform. Deprecated; nodes no longer support it." });
export type PhotonPersistentDiskVolumeSource = Infer<typeof PhotonPersistentDiskVolumeSource>;

export const PortworxVolumeSource = struct("PortworxVolumeSource", {
  volumeID: field(1, string, "The ID of the volume.", { required: true }),
  fsType: field(2, string, "The file system type, such as ext4 or xfs. Empty: the driver's default."),
  readOnly: field(3, boolean, "Whether the volume is mounted read-only."),
}, { doc: "A Portworx volume. Migrated to the CSI driver pxd.portworx.com." });
export type PortworxVolumeSource = Infer<typeof PortworxVolumeSource>;

export const QuobyteVolumeSource = struct("QuobyteVolumeSource", {
  registry: field(1, string, "The registry services as host:port, separated by commas.", { required: true }),
  volume: field(2, string, "The name of an existing volume.", { required: true }),
  readOnly: field(3, boolean, "Whether the volume is mounted read-only."),
  user: field(4, string, "The user for file access."),
  group: field(5, string, "The group for file access."),
  tenant: field(6, string, "The tenant that owns the volume."),
}, { doc: "A volume of Quobyte. Deprecated; nodes no longer support it." });
export type QuobyteVolumeSource = Infer<typeof QuobyteVolumeSource>;

export const VsphereVirtualDiskVolumeSource = struct("VsphereVirtualDiskVolumeSource", {
  volumePath: field(1, string, "The path of the disk file.", { required: true }),
  fsType: field(2, string, "The file system type, such as ext4 or xfs. Empty: the driver's default."),
  storagePolicyName: field(3, string, "The name of the storage policy of the disk."),
  storagePolicyID: field(4, string, "The ID of the storage policy of the disk."),
}, { doc: "A vSphere virtual disk. Migrated to the CSI driver csi.vsphere.vmware.com." });
export type VsphereVirtualDiskVolumeSource = Infer<typeof VsphereVirtualDiskVolumeSource>;
