import { type Case, type Change, type KindRules, partly, type Reason, rule } from "../rule.ts";
import { casesOf, type Place, smallest, sourceRules } from "./volume-sources.ts";

const both = "create+update";
const mountOptions = "volume.beta.kubernetes.io/mount-options";

const place: Place = {
  path: "spec.",
  with: (source) => ({ spec: { hostPath: null, ...source } }),
  secret: { namespace: "default" },
  csi: { volumeHandle: "a" },
  portal: "iscsi.targetportal",
};
const sources = smallest(place);
const csi: Change = { hostPath: null, csi: sources["csi"] };

function inSpec(at: string, reason: Reason, broken: Change, held: Change = {}): Case {
  return { at: at === "" ? "spec" : `spec.${at}`, reason, broken: { spec: broken }, held: { spec: held } };
}
/** A change of the stored object, with the path of its error. */
function changed(at: string, reason: Reason, prior: Change, broken: Change, held: Change): Case {
  return { at, reason, prior: { spec: prior }, broken: { spec: broken }, held: { spec: held } };
}

const terms = (...nodeSelectorTerms: readonly Change[]): Change => ({ nodeAffinity: { required: { nodeSelectorTerms } } });
const expression = (one: Change): Change => terms({ matchExpressions: [{ key: "a", operator: "Exists", ...one }] });
const nodeField = (one: Change): Change => terms({ matchFields: [{ key: "metadata.name", operator: "In", values: ["a"], ...one }] });
function inTerm(at: string, reason: Reason, broken: Change, held: Change): Case {
  return inSpec(`nodeAffinity.required.nodeSelectorTerms[0].${at}`, reason, broken, held);
}
const secretRefs = ["controllerPublish", "nodePublish", "controllerExpand", "nodeExpand"].map((each) => `${each}SecretRef`);
const reference = { name: "a", namespace: "default" };
const beta = "failure-domain.beta.kubernetes.io/zone", settled = "topology.kubernetes.io/zone";
const attributes = (name: string | null): Change => ({ ...csi, volumeAttributesClassName: name });

function secretCases(key: string): readonly Case[] {
  const of = casesOf(place, "csi");
  const wrong = (part: "name" | "namespace", value: string, reason: Reason) =>
    of(`csi.${key}.${part}`, reason, { [key]: { ...reference, [part]: value } }, { [key]: reference });
  return [
    wrong("name", "", "Required"),
    wrong("name", "A b", "Invalid"),
    wrong("namespace", "", "Required"),
    wrong("namespace", "a.b", "Invalid"),
  ];
}
function reclaim(persistentVolumeReclaimPolicy: string, path = "/a"): Change {
  return { persistentVolumeReclaimPolicy, hostPath: { path } };
}
const local = (path: string): Change => ({ hostPath: null, local: { path }, ...expression({}) });

export const persistentVolume: KindRules = {
  kind: "v1/PersistentVolume",
  path: "/api/v1/persistentvolumes",
  valid: { spec: { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, hostPath: { path: "/a" } } },
  rules: [
    rule(["spec.accessModes", both, "Required", "non-empty"], inSpec("accessModes", "Required", { accessModes: [] })),
    rule(
      ["spec.accessModes", both, "NotSupported", "ReadOnlyMany, ReadWriteMany, ReadWriteOnce, ReadWriteOncePod"],
      inSpec("accessModes", "NotSupported", { accessModes: ["Sometimes"] }, { accessModes: ["ReadOnlyMany", "ReadWriteMany"] }),
    ),
    rule(
      ["spec.accessModes", both, "Forbidden", "ReadWriteOncePod alone"],
      inSpec("accessModes", "Forbidden", { accessModes: ["ReadWriteOnce", "ReadWriteOncePod"] }, { accessModes: ["ReadWriteOncePod"] }),
    ),
    rule(["spec.capacity", both, "Required", "non-empty"], inSpec("capacity", "Required", { capacity: null })),
    rule(["spec.capacity", both, "NotSupported", "exactly key storage"], inSpec("capacity", "NotSupported", { capacity: { cpu: "1" } })),
    rule(
      ["spec.capacity[k]", both, "Invalid", "> 0"],
      inSpec("capacity[storage]", "Invalid", { capacity: { storage: "0" } }, { capacity: { storage: "1" } }),
    ),
    rule(
      ["spec.persistentVolumeReclaimPolicy", both, "NotSupported", "Delete, Recycle, Retain"],
      inSpec("persistentVolumeReclaimPolicy", "NotSupported", reclaim("Other"), reclaim("Recycle")),
    ),
    rule(
      ["spec.persistentVolumeReclaimPolicy", both, "Forbidden", "not Recycle with hostPath /"],
      inSpec("persistentVolumeReclaimPolicy", "Forbidden", reclaim("Recycle", "/"), reclaim("Delete", "/")),
    ),
    rule(
      ["spec.nodeAffinity.required", both, "Required", "present when nodeAffinity set"],
      inSpec("nodeAffinity.required", "Required", { nodeAffinity: {} }, expression({})),
    ),
    rule(
      ["spec.nodeAffinity.required.nodeSelectorTerms", both, "Required", "non-empty"],
      inSpec("nodeAffinity.required.nodeSelectorTerms", "Required", terms(), expression({})),
    ),
    rule(
      [
        "spec.nodeAffinity.required.nodeSelectorTerms[i].matchExpressions[j]",
        both,
        "Required / Forbidden / Invalid",
        "operator In,NotIn(values required) Exists,DoesNotExist(values forbidden) Gt,Lt(exactly one value)",
      ],
      inTerm("matchExpressions[0].values", "Required", expression({ operator: "In" }), expression({ operator: "In", values: ["b"] })),
      inTerm("matchExpressions[0].values", "Forbidden", expression({ values: ["b"] }), expression({ operator: "DoesNotExist" })),
      inTerm(
        "matchExpressions[0].values",
        "Required",
        expression({ operator: "Gt", values: ["1", "2"] }),
        expression({ operator: "Lt", values: ["1"] }),
      ),
      inTerm("matchExpressions[0].operator", "Invalid", expression({ operator: "Near" }), expression({})),
    ),
    rule(
      ["spec.nodeAffinity.required.nodeSelectorTerms[i].matchExpressions[j].key", both, "Invalid", "qualifiedName"],
      inTerm("matchExpressions[0].key", "Invalid", expression({ key: "a b" }), expression({ key: "example.com/a" })),
    ),
    rule(
      [
        "spec.nodeAffinity.required.nodeSelectorTerms[i].matchFields[j]",
        both,
        "Required / Invalid",
        "operator In,NotIn with one value; key metadata.name only",
      ],
      inTerm("matchFields[0].values", "Required", nodeField({ values: ["a", "b"] }), nodeField({ operator: "NotIn" })),
      inTerm("matchFields[0].operator", "Invalid", nodeField({ operator: "Exists", values: [] }), nodeField({})),
      inTerm("matchFields[0].key", "Invalid", nodeField({ key: "metadata.uid" }), nodeField({})),
    ),
    rule(
      ["spec.nodeAffinity", both, "Required", "required for local source"],
      inSpec("nodeAffinity", "Required", { hostPath: null, local: { path: "/a" } }, local("/a")),
    ),
    rule(
      ["spec.storageClassName", both, "Invalid", "dns1123Subdomain when set"],
      inSpec("storageClassName", "Invalid", { storageClassName: "A b" }, { storageClassName: "a.b" }),
    ),
    rule(
      ["spec.volumeMode", both, "NotSupported", "Block, Filesystem"],
      inSpec("volumeMode", "NotSupported", { volumeMode: "Other" }, { volumeMode: "Block" }),
    ),
    rule(
      ["spec.volumeAttributesClassName", both, "Required", 'not "" when non-nil'],
      inSpec("volumeAttributesClassName", "Required", attributes(""), attributes("a")),
    ),
    rule(
      ["spec.volumeAttributesClassName", both, "Invalid", "dns1123Subdomain"],
      inSpec("volumeAttributesClassName", "Invalid", attributes("A b"), attributes("a.b")),
    ),
    rule(
      ["spec.csi", both, "Required", "required with volumeAttributesClassName"],
      inSpec("csi", "Required", { volumeAttributesClassName: "a" }, attributes("a")),
    ),
    rule(
      ["spec.csi.volumeHandle", both, "Required", "non-empty"],
      casesOf(place, "csi")("csi.volumeHandle", "Required", { volumeHandle: "" }),
    ),
    rule(
      [
        "spec.csi.{controllerPublish,nodePublish,controllerExpand,nodeExpand}SecretRef",
        both,
        "Required / Invalid",
        "name dns1123Subdomain, namespace dns1123Label, both required",
      ],
      ...secretRefs.flatMap(secretCases),
    ),
    ...["cinder", "storageos"].map((key) =>
      rule(
        [`spec.${key}.secretRef.namespace`, both, "Required", "non-empty when ref set"],
        casesOf(place, key)(`${key}.secretRef.namespace`, "Required", { secretRef: { name: "a" } }, { secretRef: reference }),
      )
    ),
    rule(
      ["spec.azureFile.secretNamespace", both, "Required", "non-empty when non-nil"],
      casesOf(place, "azureFile")("azureFile.secretNamespace", "Required", { secretNamespace: "" }, { secretNamespace: "a" }),
    ),
    rule(
      ["spec.glusterfs.endpointsNamespace", both, "Invalid", "namespace name when non-nil"],
      ...["", "a.b"].map((wrong) =>
        casesOf(place, "glusterfs")("glusterfs.endpointsNamespace", "Invalid", { endpointsNamespace: wrong }, { endpointsNamespace: "a" })
      ),
    ),
    rule(
      ["spec.iscsi.secretRef.name", both, "Required", "non-empty when ref set"],
      casesOf(place, "iscsi")("iscsi.secretRef.name", "Required", { secretRef: { name: "" } }, { secretRef: reference }),
    ),
    rule(
      ["spec.local.path", both, "Required / Invalid", "non-empty, no .."],
      inSpec("local.path", "Required", local(""), local("/a")),
      inSpec("local.path", "Invalid", local("/a/../b"), local("/a/..b")),
    ),
    rule(
      [
        `metadata.annotations.${mountOptions}`,
        both,
        "Forbidden",
        "only for gce,aws,glusterfs,nfs,rbd,quobyte,iscsi,cinder,cephfs,azureFile,vsphere,azureDisk,photon",
      ],
      {
        at: `metadata.annotations.${mountOptions}`,
        reason: "Forbidden",
        broken: { metadata: { annotations: { [mountOptions]: "ro" } } },
        held: { metadata: { annotations: { [mountOptions]: "ro" } }, ...place.with({ nfs: sources["nfs"] }) },
      },
    ),
    rule(
      ["spec.persistentvolumesource", "update", "Forbidden", "source immutable, except adding csi.controllerExpandSecretRef"],
      changed("spec.persistentvolumesource", "Forbidden", {}, { hostPath: { path: "/b" } }, { storageClassName: "a" }),
      changed("spec.persistentvolumesource", "Forbidden", csi, { csi: { nodeExpandSecretRef: reference } }, {
        csi: { controllerExpandSecretRef: reference },
      }),
    ),
    rule(
      ["volumeMode", "update", "Invalid", "immutable (path without spec)"],
      changed("volumeMode", "Invalid", {}, { volumeMode: "Block" }, { volumeMode: "Filesystem" }),
    ),
    rule(
      ["nodeAffinity", "update", "Invalid", "immutable once set, except beta-to-GA topology label key renames (path without spec)"],
      changed("nodeAffinity", "Invalid", expression({ key: beta }), expression({ key: "other" }), expression({ key: settled })),
    ),
    rule(
      ["spec.volumeAttributesClassName", "update", "Forbidden", "non-nil to nil"],
      changed("spec.volumeAttributesClassName", "Forbidden", attributes("a"), attributes(null), attributes("b")),
    ),
    partly(["resourceVersion", "status", "Required", "non-empty"], { all: "that of what is stored is put in before the check" }),
    rule(
      [
        "spec.<source>.*",
        both,
        "Forbidden (may not specify more than 1 volume type)",
        "more than one source set: error at each extra source path",
      ],
      ...Object.keys(sources).filter((key) => key !== "hostPath" && key !== "flexVolume").map((key) =>
        inSpec(key === "cephfs" ? "cephFS" : key, "Forbidden", { [key]: sources[key] }, { hostPath: null, [key]: sources[key] })
      ),
    ),
    rule(["spec", both, "Required (must specify a volume type)", "no source"], inSpec("", "Required", { hostPath: null })),
    ...sourceRules(place),
  ],
};
