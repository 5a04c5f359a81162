/**
 * Volume sources that pods and persistent volumes both have (core/v1), each as the arguments of its struct: where the two differ only in how
 * they name their secret, made of the node for that name.
 */
import { boolean, field, int32, list, record, string, type Typed } from "../../../core/schema.ts";

const fsType = "File system to mount, such as ext4 or xfs; what the driver takes by itself when empty.";

export const azureFile = [{
  secretName: field(1, string, "Secret with the name and key of the storage account.", { required: true }),
  shareName: field(2, string, "Name of the share.", { required: true }),
  readOnly: field(3, boolean, "Whether it is mounted for reading only."),
}, { doc: "A file share of Azure, mounted by SMB." }] as const;

export const cephFS = <S>(secret: Typed<S>) =>
  [{
    monitors: field(1, list(string), "Addresses of the Ceph monitors.", { required: true }),
    path: field(2, string, "Directory to mount, the root when empty."),
    user: field(3, string, "User name in Ceph, admin when empty."),
    secretFile: field(4, string, "Path of the keyring on the node."),
    secretRef: field(5, secret, "Secret with the key of the user, in place of the file.", { pointer: true }),
    readOnly: field(6, boolean, "Whether it is mounted for reading only."),
  }, { doc: "A CephFS file system, which no node supports any more." }] as const;

export const cinder = <S>(secret: Typed<S>) =>
  [{
    volumeID: field(1, string, "ID of the disk in Cinder.", { required: true }),
    fsType: field(2, string, fsType),
    readOnly: field(3, boolean, "Whether it is mounted for reading only."),
    secretRef: field(4, secret, "The secret with the credentials.", { pointer: true }),
  }, { doc: "A disk of OpenStack Cinder; its driver is the CSI driver cinder.csi.openstack.org." }] as const;

export const flex = <S>(secret: Typed<S>) =>
  [{
    driver: field(1, string, "Name of the driver.", { required: true }),
    fsType: field(2, string, fsType),
    secretRef: field(3, secret, "Secret whose values are handed to the driver.", { pointer: true }),
    readOnly: field(4, boolean, "Whether it is mounted for reading only."),
    options: field(5, record(string), "What else the driver is told, by key."),
  }, { doc: "A volume of a Flexvolume driver, a program on the node." }] as const;

export const glusterfs = [{
  endpoints: field(1, string, "Name of the Endpoints object that lists the servers.", { required: true, goName: "EndpointsName" }),
  path: field(2, string, "Name of the volume.", { required: true }),
  readOnly: field(3, boolean, "Whether it is mounted for reading only."),
}, { doc: "A volume of GlusterFS, which no node supports any more." }] as const;

export const iscsi = <S>(secret: Typed<S>) =>
  [{
    targetPortal: field(1, string, "Address of the target, as host or host:port.", { required: true }),
    iqn: field(2, string, "Qualified name of the target.", { required: true }),
    lun: field(3, int32, "Number of the logical unit at the target.", { required: true }),
    iscsiInterface: field(4, string, "Network interface of iSCSI to use.", { default: "default" }),
    fsType: field(5, string, fsType),
    readOnly: field(6, boolean, "Whether it is mounted for reading only."),
    portals: field(7, list(string), "More addresses of the target, for multipath."),
    chapAuthDiscovery: field(8, boolean, "Whether discovery is authenticated by CHAP.", { goName: "DiscoveryCHAPAuth" }),
    chapAuthSession: field(11, boolean, "Whether sessions are authenticated by CHAP.", { goName: "SessionCHAPAuth" }),
    secretRef: field(10, secret, "Secret with the credentials of CHAP.", { pointer: true }),
    initiatorName: field(12, string, "Qualified name that the node shows; together with another interface a new one is made.", {
      pointer: true,
    }),
  }, { doc: "A disk on iSCSI." }] as const;

export const rbd = <S>(secret: Typed<S>) =>
  [{
    monitors: field(1, list(string), "Addresses of the Ceph monitors.", { required: true, goName: "CephMonitors" }),
    image: field(2, string, "Name of the image.", { required: true, goName: "RBDImage" }),
    fsType: field(3, string, fsType),
    pool: field(4, string, "Pool of the image.", { default: "rbd", goName: "RBDPool" }),
    user: field(5, string, "User name in Ceph.", { default: "admin", goName: "RadosUser" }),
    keyring: field(6, string, "Path of the keyring on the node.", { default: "/etc/ceph/keyring" }),
    secretRef: field(7, secret, "Secret with the key of the user, in place of the keyring.", { pointer: true }),
    readOnly: field(8, boolean, "Whether it is mounted for reading only."),
  }, { doc: "A block device of Ceph, which no node supports any more." }] as const;

export const scaleIO = <S>(secret: Typed<S>) =>
  [{
    gateway: field(1, string, "Address of the API gateway.", { required: true }),
    system: field(2, string, "Name of the storage system.", { required: true }),
    secretRef: field(3, secret, "Secret with user and password.", { pointer: true, required: true }),
    sslEnabled: field(4, boolean, "Whether the gateway is spoken to by TLS."),
    protectionDomain: field(5, string, "Protection domain of the storage."),
    storagePool: field(6, string, "Pool of that domain."),
    storageMode: field(7, string, "ThickProvisioned or ThinProvisioned.", { default: "ThinProvisioned" }),
    volumeName: field(8, string, "Name of a volume that exists."),
    fsType: field(9, string, fsType, { default: "xfs" }),
    readOnly: field(10, boolean, "Whether it is mounted for reading only."),
  }, { doc: "A volume of ScaleIO, which no node supports any more." }] as const;

export const storageOS = <S>(secret: Typed<S>) =>
  [{
    volumeName: field(1, string, "Name of the volume, unique in its namespace."),
    volumeNamespace: field(2, string, "Namespace of StorageOS; that of the pod or claim when empty."),
    fsType: field(3, string, fsType),
    readOnly: field(4, boolean, "Whether it is mounted for reading only."),
    secretRef: field(5, secret, "Secret with the credentials of the API.", { pointer: true }),
  }, { doc: "A volume of StorageOS, which no node supports any more." }] as const;
