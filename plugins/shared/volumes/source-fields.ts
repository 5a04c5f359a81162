/**
 * Fields of volume sources that have one struct for pods and one for persistent volumes (core/v1). Each is given as the arguments of
 * `struct`. Where the two structs differ only in the type of the secret reference, the argument is the schema of that reference.
 */
import { boolean, field, int32, list, record, string } from "../../../plugin.ts";
import type { Typed } from "../../../toolbox.ts";

const fsType = "The file system type, such as ext4 or xfs. Empty: the driver's default.";

export const azureFile = [{
  secretName: field(1, string, "The name of the secret with name and key of the storage account.", { required: true }),
  shareName: field(2, string, "The name of the share.", { required: true }),
  readOnly: field(3, boolean, "Whether the volume is mounted read-only."),
}, { doc: "An Azure file share, mounted by SMB." }] as const;

export const cephFS = <S>(secret: Typed<S>) =>
  [{
    monitors: field(1, list(string), "The addresses of the Ceph monitors.", { required: true }),
    path: field(2, string, "The directory to mount. Default: the root."),
    user: field(3, string, "The Ceph user. Default admin."),
    secretFile: field(4, string, "The path of the keyring on the node."),
    secretRef: field(5, secret, "The secret with the key of the user. Overrides secretFile.", { pointer: true }),
    readOnly: field(6, boolean, "Whether the volume is mounted read-only."),
  }, { doc: "A CephFS file system. Deprecated; nodes no longer support it." }] as const;

export const cinder = <S>(secret: Typed<S>) =>
  [{
    volumeID: field(1, string, "The Cinder ID of the disk.", { required: true }),
    fsType: field(2, string, fsType),
    readOnly: field(3, boolean, "Whether the volume is mounted read-only."),
    secretRef: field(4, secret, "The secret with the credentials.", { pointer: true }),
  }, { doc: "An OpenStack Cinder disk. Migrated to the CSI driver cinder.csi.openstack.org." }] as const;

export const flex = <S>(secret: Typed<S>) =>
  [{
    driver: field(1, string, "The name of the driver.", { required: true }),
    fsType: field(2, string, fsType),
    secretRef: field(3, secret, "The secret with the values for the driver.", { pointer: true }),
    readOnly: field(4, boolean, "Whether the volume is mounted read-only."),
    options: field(5, record(string), "Additional options for the driver."),
  }, { doc: "A volume of a Flexvolume driver, which is a program on the node." }] as const;

export const glusterfs = [{
  endpoints: field(1, string, "The name of the Endpoints object with the servers.", { required: true, goName: "EndpointsName" }),
  path: field(2, string, "The name of the volume.", { required: true }),
  readOnly: field(3, boolean, "Whether the volume is mounted read-only."),
}, { doc: "A volume of GlusterFS. Deprecated; nodes no longer support it." }] as const;

export const iscsi = <S>(secret: Typed<S>) =>
  [{
    targetPortal: field(1, string, "The address of the target, as host or host:port.", { required: true }),
    iqn: field(2, string, "The qualified name of the target.", { required: true }),
    lun: field(3, int32, "The logical unit number of the target.", { required: true }),
    iscsiInterface: field(4, string, "The iSCSI interface to use.", { default: "default", zeroIsAbsent: true }),
    fsType: field(5, string, fsType),
    readOnly: field(6, boolean, "Whether the volume is mounted read-only."),
    portals: field(7, list(string), "Additional addresses of the target, for multipath."),
    chapAuthDiscovery: field(8, boolean, "Whether discovery uses CHAP authentication.", { goName: "DiscoveryCHAPAuth" }),
    chapAuthSession: field(11, boolean, "Whether sessions use CHAP authentication.", { goName: "SessionCHAPAuth" }),
    secretRef: field(10, secret, "The secret with the CHAP credentials.", { pointer: true }),
    initiatorName: field(
      12,
      string,
      "The qualified name of the initiator. With a non-default iscsiInterface, a new interface is created.",
      {
        pointer: true,
      },
    ),
  }, { doc: "An iSCSI disk." }] as const;

export const rbd = <S>(secret: Typed<S>) =>
  [{
    monitors: field(1, list(string), "The addresses of the Ceph monitors.", { required: true, goName: "CephMonitors" }),
    image: field(2, string, "The name of the image.", { required: true, goName: "RBDImage" }),
    fsType: field(3, string, fsType),
    pool: field(4, string, "The pool of the image.", { default: "rbd", zeroIsAbsent: true, goName: "RBDPool" }),
    user: field(5, string, "The Ceph user.", { default: "admin", zeroIsAbsent: true, goName: "RadosUser" }),
    keyring: field(6, string, "The path of the keyring on the node.", { default: "/etc/ceph/keyring", zeroIsAbsent: true }),
    secretRef: field(7, secret, "The secret with the key of the user. Overrides keyring.", { pointer: true }),
    readOnly: field(8, boolean, "Whether the volume is mounted read-only."),
  }, { doc: "A Ceph block device. Deprecated; nodes no longer support it." }] as const;

export const scaleIO = <S>(secret: Typed<S>) =>
  [{
    gateway: field(1, string, "The address of the API gateway.", { required: true }),
    system: field(2, string, "The name of the storage system.", { required: true }),
    secretRef: field(3, secret, "The secret with user and password.", { pointer: true, required: true }),
    sslEnabled: field(4, boolean, "Whether the connection to the gateway uses TLS."),
    protectionDomain: field(5, string, "The protection domain of the storage."),
    storagePool: field(6, string, "The storage pool of the protection domain."),
    storageMode: field(7, string, "The storage mode: ThickProvisioned or ThinProvisioned.", {
      default: "ThinProvisioned",
      zeroIsAbsent: true,
    }),
    volumeName: field(8, string, "The name of an existing volume."),
    fsType: field(9, string, fsType, { default: "xfs", zeroIsAbsent: true }),
    readOnly: field(10, boolean, "Whether the volume is mounted read-only."),
  }, { doc: "A volume of ScaleIO. Deprecated; nodes no longer support it." }] as const;

export const storageOS = <S>(secret: Typed<S>) =>
  [{
    volumeName: field(1, string, "The name of the volume, unique in its namespace."),
    volumeNamespace: field(2, string, "The StorageOS namespace. Default: the namespace of the pod or claim."),
    fsType: field(3, string, fsType),
    readOnly: field(4, boolean, "Whether the volume is mounted read-only."),
    secretRef: field(5, secret, "The secret with the API credentials.", { pointer: true }),
  }, { doc: "A volume of StorageOS. Deprecated; nodes no longer support it." }] as const;
