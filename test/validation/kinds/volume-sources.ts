/** Rules of the sources that volumes of pods and persistent volumes share, in the order of the reference. */
import { type Case, type Change, type Reason, type Rule, rule } from "../rule.ts";

/** The location of a kind's volume source. */
export interface Place {
  /** Before the name of the source, with its dot. */
  readonly path: string;
  /** The change that gives the valid object this source and no other. */
  readonly with: (source: Change) => Change;
  /** Fields of a reference to a secret, besides its name. */
  readonly secret: Change;
  /** Fields of a CSI source, besides its driver. */
  readonly csi: Change;
  /** Path of the error for a portal that is too long for the name of the volume. */
  readonly portal: string;
}

const both = "create+update";

/** The smallest valid source of each type. */
export function smallest({ secret, csi }: Pick<Place, "secret" | "csi">): Readonly<Record<string, Change>> {
  return {
    hostPath: { path: "/a" },
    gcePersistentDisk: { pdName: "a" },
    awsElasticBlockStore: { volumeID: "a" },
    nfs: { server: "a", path: "/a" },
    iscsi: { targetPortal: "127.0.0.1", iqn: "iqn.2024-01.com.example:one", lun: 0 },
    fc: { targetWWNs: ["a"], lun: 0 },
    glusterfs: { endpoints: "a", path: "a" },
    flocker: { datasetName: "a" },
    rbd: { monitors: ["a"], image: "a" },
    cinder: { volumeID: "a" },
    cephfs: { monitors: ["a"] },
    quobyte: { registry: "a:1", volume: "a" },
    flexVolume: { driver: "example.com/a" },
    azureFile: { secretName: "a", shareName: "a" },
    azureDisk: { diskName: "a", diskURI: "https://a" },
    vsphereVolume: { volumePath: "a" },
    photonPersistentDisk: { pdID: "a" },
    portworxVolume: { volumeID: "a" },
    scaleIO: { gateway: "a", system: "a", volumeName: "a", secretRef: { name: "a", ...secret } },
    storageos: { volumeName: "a" },
    csi: { driver: "a.example.com", ...csi },
  };
}

type Of = (at: string, reason: Reason, broken: Change, held?: Change) => Case;

/** Cases of one source; `at` begins with its name in errors. */
export function casesOf(place: Place, key: string): Of {
  const start = smallest(place)[key];
  return (at, reason, broken, held = {}) => ({
    at: `${place.path}${at}`,
    reason,
    broken: place.with({ [key]: { ...start, ...broken } }),
    held: place.with({ [key]: { ...start, ...held } }),
  });
}

/** A required part. */
function needs(place: Place, key: string, part: string, words = "non-empty", called = key): Rule {
  const empty = part === "monitors" ? [] : "";
  return rule([`${key}.${part}`, both, "Required", words], casesOf(place, key)(`${called}.${part}`, "Required", { [part]: empty }));
}
/** A number from 0 to 255. */
function isByte(place: Place, key: string, part: string, words: string, called = key): Rule {
  const of = casesOf(place, key);
  return rule(
    [`${key}.${part}`, both, "Invalid", words],
    ...[[256, 255], [-1, 0]].map(([wrong, right]) => of(`${called}.${part}`, "Invalid", { [part]: wrong }, { [part]: right })),
  );
}
/** A part with a syntax, by its name in errors. */
function form(
  place: Place,
  key: string,
  part: string,
  words: string,
  reason: Reason,
  wrong: Change,
  right: Change = {},
  at = `${key}.${part}`,
): Rule {
  return rule([`${key}.${part}`, both, reason, words], casesOf(place, key)(at, reason, wrong, right));
}

/** From hostPath to fc. */
function firstSources(place: Place): readonly Rule[] {
  const iscsi = casesOf(place, "iscsi"), fc = casesOf(place, "fc");
  return [
    needs(place, "hostPath", "path"),
    form(place, "hostPath", "path", "no .. segment", "Invalid", { path: "/a/../b" }, { path: "/a/..b" }),
    form(
      place,
      "hostPath",
      "type",
      '"", DirectoryOrCreate, Directory, FileOrCreate, File, Socket, CharDevice, BlockDevice',
      "NotSupported",
      { type: "Other" },
      { type: "Socket" },
    ),
    needs(place, "gcePersistentDisk", "pdName", "non-empty (error path uses persistentDisk)", "persistentDisk"),
    isByte(place, "gcePersistentDisk", "partition", "0..255 (message says 1..255)", "persistentDisk"),
    needs(place, "awsElasticBlockStore", "volumeID"),
    isByte(place, "awsElasticBlockStore", "partition", "0..255"),
    needs(place, "nfs", "server"),
    needs(place, "nfs", "path"),
    form(place, "nfs", "path", "absolute", "Invalid", { path: "a" }),
    needs(place, "iscsi", "targetPortal"),
    needs(place, "iscsi", "iqn"),
    rule(
      ["iscsi.iqn", both, "Invalid", "iqn., eui., naa. formats"],
      iscsi("iscsi.iqn", "Invalid", { iqn: "iqn.one" }),
      iscsi("iscsi.iqn", "Invalid", { iqn: "eui.1" }, { iqn: "eui.0123456789abcdef" }),
      iscsi("iscsi.iqn", "Invalid", { iqn: "naa.1" }, { iqn: `naa.${"0".repeat(32)}` }),
    ),
    isByte(place, "iscsi", "lun", "0..255"),
    rule(
      ["iscsi.secretRef", both, "Required", "needed with chapAuthDiscovery or chapAuthSession"],
      ...["chapAuthDiscovery", "chapAuthSession"].map((way) =>
        iscsi("iscsi.secretRef", "Required", { [way]: true }, { [way]: true, secretRef: { name: "a", ...place.secret } })
      ),
    ),
    form(
      place,
      "iscsi",
      "initiatorName",
      "iqn/eui/naa formats (error path initiatorname)",
      "Invalid",
      { initiatorName: "one" },
      { initiatorName: "iqn.2024-01.com.example:two" },
      "iscsi.initiatorname",
    ),
    rule(
      ["iscsi", both, "Invalid", 'len(name + ":" + targetPortal) <= 64 when initiatorName set'],
      iscsi(
        place.portal,
        "Invalid",
        { initiatorName: "iqn.2024-01.com.example:two", targetPortal: "a".repeat(64) },
        { initiatorName: "iqn.2024-01.com.example:two" },
      ),
    ),
    rule(
      ["fc.targetWWNs", both, "Required", "one of targetWWNs or wwids"],
      fc("fc.targetWWNs", "Required", { targetWWNs: [] }, { targetWWNs: [], wwids: ["a"] }),
    ),
    rule(["fc.targetWWNs", both, "Invalid", "not both"], fc("fc.targetWWNs", "Invalid", { wwids: ["a"] })),
    rule(["fc.lun", both, "Required", "needed with targetWWNs"], fc("fc.lun", "Required", { lun: null })),
    isByte(place, "fc", "lun", "0..255"),
  ];
}

/** From glusterfs to flexVolume. */
function middleSources(place: Place): readonly Rule[] {
  const flocker = casesOf(place, "flocker"), flex = casesOf(place, "flexVolume");
  return [
    needs(place, "glusterfs", "endpoints"),
    needs(place, "glusterfs", "path"),
    rule(
      ["flocker", both, "Required", "one of datasetName/datasetUUID"],
      flocker("flocker", "Required", { datasetName: null }, { datasetName: null, datasetUUID: "a" }),
    ),
    rule(["flocker", both, "Invalid", "not both"], flocker("flocker", "Invalid", { datasetUUID: "a" })),
    form(place, "flocker", "datasetName", "no slash", "Invalid", { datasetName: "a/b" }),
    needs(place, "rbd", "monitors"),
    needs(place, "rbd", "image"),
    needs(place, "cinder", "volumeID"),
    secretName(place, "cinder"),
    needs(place, "cephfs", "monitors", "non-empty (extra-source path is cephFS)"),
    needs(place, "quobyte", "registry"),
    form(place, "quobyte", "registry", "host:port list", "Invalid", { registry: "a:1,b" }, { registry: "a:1,[::1]:2" }),
    form(place, "quobyte", "tenant", "< 65 chars", "Required", { tenant: "t".repeat(65) }, { tenant: "t".repeat(64) }),
    needs(place, "quobyte", "volume"),
    needs(place, "flexVolume", "driver"),
    rule(
      ["flexVolume.options[k]", both, "Invalid", "namespaces kubernetes.io and k8s.io reserved"],
      ...["kubernetes.io/a", "a.K8S.io/b"].map((key) =>
        flex(`flexVolume.options[${key}]`, "Invalid", { options: { [key]: "" } }, { options: { "example.com/a": "" } })
      ),
    ),
  ];
}
function secretName(place: Place, key: string): Rule {
  const secretRef = (name: string): Change => ({ secretRef: { name, ...place.secret } });
  return form(place, key, "secretRef.name", "non-empty when ref set", "Required", secretRef(""), secretRef("a"));
}

/** From azureFile to csi. */
function lastSources(place: Place): readonly Rule[] {
  const disk = casesOf(place, "azureDisk"), csi = casesOf(place, "csi");
  const managed = { kind: "Managed", diskURI: "/subscriptions/a" };
  return [
    needs(place, "azureFile", "secretName"),
    needs(place, "azureFile", "shareName"),
    needs(place, "azureDisk", "diskName"),
    needs(place, "azureDisk", "diskURI"),
    form(place, "azureDisk", "cachingMode", "None, ReadOnly, ReadWrite", "NotSupported", { cachingMode: "Some" }, { cachingMode: "None" }),
    form(place, "azureDisk", "kind", "Dedicated, Managed, Shared", "NotSupported", { kind: "Other" }, { kind: "Dedicated" }),
    rule(
      ["azureDisk.diskURI", both, "NotSupported", "Managed: starts /subscriptions/ ; else starts https://"],
      disk("azureDisk.diskURI", "NotSupported", { kind: "Managed" }, managed),
      disk("azureDisk.diskURI", "NotSupported", { ...managed, kind: "Dedicated" }),
    ),
    needs(place, "vsphereVolume", "volumePath"),
    needs(place, "photonPersistentDisk", "pdID"),
    needs(place, "portworxVolume", "volumeID"),
    ...["gateway", "system", "volumeName"].map((part) => needs(place, "scaleIO", part)),
    needs(place, "storageos", "volumeName"),
    form(place, "storageos", "volumeName", "dns1123Label", "Invalid", { volumeName: "a.b" }),
    form(place, "storageos", "volumeNamespace", "dns1123Label when set", "Invalid", { volumeNamespace: "a.b" }, { volumeNamespace: "a" }),
    secretName(place, "storageos"),
    rule(
      ["csi.driver", both, "Required / TooLong / Invalid", "csiDriverName"],
      csi("csi.driver", "Required", { driver: "" }),
      csi("csi.driver", "TooLong", { driver: "a".repeat(64) }, { driver: "a".repeat(63) }),
      csi("csi.driver", "Invalid", { driver: "a_b" }),
    ),
  ];
}

/** The rules of all sources. */
export function sourceRules(place: Place): readonly Rule[] {
  return [...firstSources(place), ...middleSources(place), ...lastSources(place)];
}
