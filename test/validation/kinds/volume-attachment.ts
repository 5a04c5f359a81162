import { type Case, type Change, type KindRules, partly, rule } from "../rule.ts";

const both = "create+update", written = "create+update+status";
const path = "/apis/storage.k8s.io/v1/volumeattachments";
const valid = { spec: { attacher: "a.example.com", nodeName: "one", source: { persistentVolumeName: "one" } } };
const inline = { accessModes: ["ReadWriteOnce"], csi: { driver: "a.example.com", volumeHandle: "one" } };
const statusOnly = { create: "a new object has no status", update: "an update leaves the status alone" };

function inSpec(at: string, reason: Case["reason"], broken: Change, held: Change = {}): Case {
  return { at: `spec.${at}`, reason, broken: { spec: broken }, held: { spec: held } };
}
function inStatus(at: string, reason: Case["reason"], broken: Change, held: Change): Case {
  const status = (change: Change) => ({ status: { attached: false, ...change } });
  return { at: `status.${at}`, reason, broken: status(broken), held: status(held) };
}
const ofSource = (source: Change): Change => ({ source });
const ofInline = (change: Change): Change => ofSource({ persistentVolumeName: null, inlineVolumeSpec: { ...inline, ...change } });
/** The path of an inline volume is that of an inline source, except for its own name in one place. */
function inInline(at: string, reason: Case["reason"], broken: Change, held: Change = {}): Case {
  return inSpec(`source.inlineVolumeSpec.${at}`, reason, ofInline(broken), ofInline(held));
}
const volumeError = (change: Change): Change => ({ time: "2024-01-02T03:04:05Z", ...change });

const inlineCase = inInline("csi", "Required", { csi: null });

export const volumeAttachment: KindRules = {
  kind: "storage.k8s.io/v1/VolumeAttachment",
  path,
  valid,
  rules: [
    rule(
      ["spec.attacher", both, "Required", "non-empty (reported twice on create: generic and v1 check)"],
      inSpec("attacher", "Required", { attacher: "" }),
    ),
    rule(
      ["spec.attacher", "create", "TooLong / Invalid", "csiDriverName, create only"],
      inSpec("attacher", "TooLong", { attacher: "a".repeat(64) }, { attacher: "a".repeat(63) }),
      inSpec("attacher", "Invalid", { attacher: "a_b" }, { attacher: "A-b" }),
    ),
    rule(
      ["spec.source", both, "Required", "exactly one of persistentVolumeName, inlineVolumeSpec; none"],
      inSpec("source", "Required", ofSource({ persistentVolumeName: null }), ofInline({})),
    ),
    rule(
      ["spec.source", both, "Forbidden", "both"],
      inSpec("source", "Forbidden", ofSource({ inlineVolumeSpec: inline }), ofInline({})),
    ),
    rule(
      ["spec.source.persistentVolumeName", both, "Required", "non-empty"],
      inSpec("source.persistentVolumeName", "Required", ofSource({ persistentVolumeName: "" })),
    ),
    rule(
      ["spec.source.persistentVolumeName", "create", "Invalid", "dns1123Subdomain, create only"],
      inSpec("source.persistentVolumeName", "Invalid", ofSource({ persistentVolumeName: "A b" })),
    ),
    rule(["spec.source.inlineVolumeSpec", both, "various", "see PersistentVolume inlineVariant"], inlineCase),
    rule(
      ["spec.nodeName", both, "Invalid", "dns1123Subdomain (empty gives Invalid)"],
      inSpec("nodeName", "Invalid", { nodeName: "A b" }),
      inSpec("nodeName", "Invalid", { nodeName: "" }),
    ),
    partly(
      ["status.attachmentMetadata", written, "TooLong", "total key+value bytes <= 262144"],
      statusOnly,
      inStatus("attachmentMetadata", "TooLong", { attachmentMetadata: { a: "x".repeat(262_144) } }, {
        attachmentMetadata: { a: "x".repeat(262_143) },
      }),
    ),
    ...([["attachError", "<= 1024 bytes (message text says 262144)"], ["detachError", "same"]] as const).map(([key, words]) =>
      partly(
        [`status.${key}.message`, written, "TooLong", words],
        statusOnly,
        inStatus(`${key}.message`, "TooLong", { [key]: volumeError({ message: "x".repeat(1025) }) }, {
          [key]: volumeError({ message: "x".repeat(1024) }),
        }),
      )
    ),
    partly(
      ["status.*Error.errorCode", written, "Invalid", ">= 0"],
      statusOnly,
      ...["attachError", "detachError"].map((key) =>
        inStatus(`${key}.errorCode`, "Invalid", { [key]: volumeError({ errorCode: -1 }) }, { [key]: volumeError({ errorCode: 0 }) })
      ),
    ),
    partly(["spec", "update+status", "Invalid", "immutable"], { status: "a write of the status leaves the spec alone" }, {
      at: "spec",
      reason: "Invalid",
      prior: {},
      broken: { spec: { nodeName: "two" } },
      held: { metadata: { labels: { touched: "yes" } } },
    }),
  ],
};

const affinity = { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: "a", operator: "Exists" }] }] } };
const claim = { kind: "PersistentVolumeClaim", name: "one", namespace: "default" };

/** Rules of a pod's volume, for the CSI driver's inline volume. */
export const inlineVariant: KindRules = {
  kind: "v1/PersistentVolume (inline)",
  path,
  valid,
  rules: [
    rule(["claimRef", both, "Forbidden", "unset"], inInline("claimRef", "Forbidden", { claimRef: claim })),
    rule(["capacity", both, "Forbidden", "unset"], inInline("capacity", "Forbidden", { capacity: { storage: "1Gi" } })),
    rule(["csi", both, "Required", "set"], inlineCase),
    rule(
      ["persistentVolumeReclaimPolicy", both, "Forbidden", "Retain or empty"],
      inInline("persistentVolumeReclaimPolicy", "Forbidden", { persistentVolumeReclaimPolicy: "Delete" }, {
        persistentVolumeReclaimPolicy: "Retain",
      }),
    ),
    rule(["nodeAffinity", both, "Forbidden", "unset"], inInline("nodeAffinity", "Forbidden", { nodeAffinity: affinity })),
    rule(
      ["storageClassName", both, "Forbidden", "empty"],
      inInline("storageClassName", "Forbidden", { storageClassName: "fast" }, { storageClassName: "" }),
    ),
    rule(
      ["volumeMode", both, "Forbidden", "Filesystem or nil"],
      inInline("volumeMode", "Forbidden", { volumeMode: "Block" }, { volumeMode: "Filesystem" }),
    ),
    rule(
      ["accessModes", both, "Required / NotSupported", "non-empty, valid"],
      inInline("accessModes", "Required", { accessModes: [] }),
      inInline("accessModes", "NotSupported", { accessModes: ["Sometimes"] }, { accessModes: ["ReadWriteMany"] }),
    ),
  ],
};
