import assert from "node:assert/strict";
import { test } from "node:test";
import { persistentVolumes } from "./mod.ts";
import { hookContext, texts } from "./test-context.ts";

const base = {
  capacity: { storage: "1Gi" },
  accessModes: ["ReadWriteOnce"],
  persistentVolumeReclaimPolicy: "Retain",
  volumeMode: "Filesystem",
};
const make = (spec: object, status: object = { phase: "Pending" }, metadata: object = {}): any => ({
  kind: "PersistentVolume",
  apiVersion: "v1",
  metadata: { name: "vol", uid: "u", creationTimestamp: "2024-01-02T03:04:05Z", ...metadata },
  spec,
  status,
});
const created = (spec: object) => texts(persistentVolumes.create?.(make({ ...base, ...spec }), hookContext()));
const updated = (next: object, prior: object, options?: Parameters<typeof hookContext>[0]) =>
  texts(persistentVolumes.update?.(make({ ...base, ...next }), make({ ...base, ...prior }), hookContext(options)));
const csi = { driver: "csi.example.com", volumeHandle: "h" };
const hostPath = { path: "/data", type: "" };
const affinity = (key: string) => ({ required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: "In", values: ["a"] }] }] } });

/** A source, and its errors. */
const sources: readonly (readonly [object, readonly string[]])[] = [
  [{ hostPath: { path: "" } }, ["spec.hostPath.path: Required value"]],
  [{ hostPath: { path: "/a/../b" } }, [`spec.hostPath.path: Invalid value: "/a/../b": must not contain '..'`]],
  [{ hostPath: { path: "/a..b" } }, []],
  [{ gcePersistentDisk: { pdName: "d", partition: 255 } }, []],
  [{ gcePersistentDisk: { pdName: "", partition: 256 } }, [
    "spec.persistentDisk.pdName: Required value",
    "spec.persistentDisk.partition: Invalid value: 256: must be between 1 and 255, inclusive",
  ]],
  [{ awsElasticBlockStore: { volumeID: "", partition: -1 } }, [
    "spec.awsElasticBlockStore.volumeID: Required value",
    "spec.awsElasticBlockStore.partition: Invalid value: -1: must be between 1 and 255, inclusive",
  ]],
  [{ glusterfs: { endpoints: "e", path: "p", endpointsNamespace: "n" } }, []],
  [{ flocker: {} }, ["spec.flocker: Required value: one of datasetName and datasetUUID is required"]],
  [{ flocker: { datasetName: "a/b", datasetUUID: "u" } }, [
    'spec.flocker: Invalid value: "resource": datasetName and datasetUUID can not be specified simultaneously',
    `spec.flocker.datasetName: Invalid value: "a/b": must not contain '/'`,
  ]],
  [{ nfs: { server: "", path: "x" } }, ["spec.nfs.server: Required value", 'spec.nfs.path: Invalid value: "x": must be an absolute path']],
  [{ rbd: { monitors: [], image: "" } }, ["spec.rbd.monitors: Required value", "spec.rbd.image: Required value"]],
  [{ quobyte: { registry: "a:1,b:2", volume: "v", tenant: "t".repeat(64) } }, []],
  [{ quobyte: { registry: "a", volume: "" } }, [
    'spec.quobyte.registry: Invalid value: "a": must be a host:port pair or multiple pairs separated by commas',
    "spec.quobyte.volume: Required value",
  ]],
  [{ quobyte: { registry: "a:1", volume: "v", tenant: "t".repeat(65) } }, [
    "spec.quobyte.tenant: Required value: must be a UUID and may not exceed a length of 64 characters",
  ]],
  [{ quobyte: { registry: "", volume: "v" } }, [
    "spec.quobyte.registry: Required value: must be a host:port pair or multiple pairs separated by commas",
  ]],
  [{ cephfs: { monitors: [] } }, ["spec.cephfs.monitors: Required value"]],
  [{ iscsi: { targetPortal: "t", iqn: "iqn.2024-01.com.example:disk", lun: 255 } }, []],
  [{ iscsi: { targetPortal: "t", iqn: "eui.0123456789abcdeF", lun: 256, chapAuthSession: true } }, [
    "spec.iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive",
    "spec.iscsi.secretRef: Required value",
  ]],
  [{ fc: {} }, ["spec.fc.targetWWNs: Required value: must specify either targetWWNs or wwids, but not both"]],
  [{ fc: { targetWWNs: ["a"] } }, ["spec.fc.lun: Required value: lun is required if targetWWNs is specified"]],
  [{ fc: { targetWWNs: ["a"], wwids: ["b"], lun: 256 } }, [
    'spec.fc.targetWWNs: Invalid value: ["a"]: targetWWNs and wwids can not be specified simultaneously',
    "spec.fc.lun: Invalid value: 256: must be between 0 and 255, inclusive",
  ]],
  [{ flexVolume: { driver: "", options: { "a.kubernetes.io/b": "", "k8s.io": "", "notk8s.io/b": "" } } }, [
    "spec.flexVolume.driver: Required value",
    'spec.flexVolume.options[a.kubernetes.io/b]: Invalid value: "a.kubernetes.io/b": kubernetes.io and k8s.io namespaces are reserved',
    'spec.flexVolume.options[k8s.io]: Invalid value: "k8s.io": kubernetes.io and k8s.io namespaces are reserved',
  ]],
  [{ azureFile: { secretName: "", shareName: "" } }, [
    "spec.azureFile.secretName: Required value",
    "spec.azureFile.shareName: Required value",
  ]],
  [{ azureDisk: { diskName: "d", diskURI: "/subscriptions/s", kind: "Managed", cachingMode: "None" } }, []],
  [{ azureDisk: { diskName: "d", diskURI: "https://x", kind: "Other" } }, [
    'spec.azureDisk.kind: Unsupported value: "Other": supported values: "Dedicated", "Managed", "Shared"',
  ]],
  [{ scaleIO: { gateway: "", system: "", volumeName: "" } }, [
    "spec.scaleIO.gateway: Required value",
    "spec.scaleIO.system: Required value",
    "spec.scaleIO.volumeName: Required value",
  ]],
  [{ csi: { driver: "", volumeHandle: "" } }, ["spec.csi.driver: Required value", "spec.csi.volumeHandle: Required value"]],
  [{
    csi: { ...csi, controllerPublishSecretRef: { name: "" }, nodeStageSecretRef: {}, nodeExpandSecretRef: { name: "a", namespace: "b" } },
  }, [
    "spec.csi.controllerPublishSecretRef.name: Required value",
    "spec.csi.controllerPublishSecretRef.namespace: Required value",
  ]],
  [{ cephfs: { monitors: ["m"] }, rbd: { monitors: ["m"], image: "i" } }, [
    "spec.cephFS: Forbidden: may not specify more than 1 volume type",
  ]],
];

for (const [source, wrong] of sources) {
  test(`validation of the source ${JSON.stringify(source).slice(0, 80)}`, () => assert.deepEqual(created(source), wrong));
}

test("a recycled hostPath volume cannot be the root directory, in any spelling", () => {
  const recycled = (path: string) => created({ persistentVolumeReclaimPolicy: "Recycle", hostPath: { path, type: "" } });
  const wrong = ["spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'"];
  assert.deepEqual(recycled("/data"), []);
  assert.deepEqual(recycled("/"), wrong);
  assert.deepEqual(recycled("//./"), wrong);
  for (const path of ["/a/..", "/..", "/a/./b/../../"]) assert.deepEqual(recycled(path)?.slice(1), wrong, path);
  for (const path of ["a/..", "/a/../b", "/..."]) assert.ok(!recycled(path)?.includes(wrong[0]!), path);
});

test("matchFields of a node affinity support metadata.name only", () => {
  const fields = (matchFields: object) =>
    created({ hostPath, nodeAffinity: { required: { nodeSelectorTerms: [{ matchFields: [matchFields] }] } } });
  const path = "spec.nodeAffinity.required.nodeSelectorTerms[0].matchFields[0]";
  assert.deepEqual(fields({ key: "metadata.name", operator: "In", values: ["node-1"] }), []);
  assert.deepEqual(fields({ key: "metadata.uid", operator: "Exists" }), [
    `${path}.operator: Invalid value: "Exists": not a valid selector operator`,
    `${path}.key: Invalid value: "metadata.uid": not a valid field selector key`,
  ]);
  assert.deepEqual(fields({ key: "metadata.name", operator: "In", values: ["a", "b"] }), [
    `${path}.values: Required value: must be only one value when \`operator\` is 'In' or 'NotIn' for node field selector`,
  ]);
});

test("prepare() sets the status of a new volume to Pending", () => {
  const next = persistentVolumes.prepare?.(make({ ...base, hostPath }, { phase: "Bound", message: "x" }), undefined, hookContext());
  assert.deepEqual(next?.status, { phase: "Pending", lastPhaseTransitionTime: "2024-01-02T03:04:05Z" });
});

test("a status update sets the time of a phase change and keeps the spec", () => {
  const { write } = persistentVolumes.served["v1"]!.subresources!["status"]!;
  const before = "2020-01-01T00:00:00Z", now = "2024-01-02T03:04:05Z", given = "2022-02-02T02:02:02Z";
  const prior = make({ ...base, hostPath }, { phase: "Pending", lastPhaseTransitionTime: before });
  const written = (status: object) => write!(make({}, status), prior, hookContext({ subresource: "status" }));
  assert.equal(written({ phase: "Bound" }).status.lastPhaseTransitionTime, now);
  assert.equal(written({ phase: "Bound", lastPhaseTransitionTime: before }).status.lastPhaseTransitionTime, now);
  assert.equal(written({ phase: "Bound", lastPhaseTransitionTime: given }).status.lastPhaseTransitionTime, given);
  assert.equal(written({ phase: "Pending" }).status.lastPhaseTransitionTime, before);
  assert.equal(written({ phase: "Pending" }).spec, prior.spec);
});

test("source, mode and affinity of a volume are immutable, except a new expansion secret and renamed labels", () => {
  const source = "spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation";
  const secret = { name: "a", namespace: "b" };
  assert.deepEqual(updated({ csi }, { csi }), []);
  assert.deepEqual(updated({ csi: { ...csi, controllerExpandSecretRef: secret } }, { csi }), []);
  assert.deepEqual(updated({ csi }, { csi: { ...csi, controllerExpandSecretRef: secret } }), [source]);
  assert.deepEqual(updated({ hostPath }, { csi }), [source]);
  assert.deepEqual(updated({ csi, volumeMode: "Block" }, { csi }), ['volumeMode: Invalid value: "Block": field is immutable']);
  assert.deepEqual(updated({ csi, nodeAffinity: affinity("zone") }, { csi }), []);
  const old = { csi, nodeAffinity: affinity("failure-domain.beta.kubernetes.io/zone") };
  assert.deepEqual(updated({ csi, nodeAffinity: affinity("topology.kubernetes.io/zone") }, old), []);
  assert.equal(updated({ csi, nodeAffinity: affinity("topology.kubernetes.io/region") }, old)?.length, 1);
  assert.equal(updated({ csi }, old)?.length, 1);
  // The empty key counts as the successor of a key without one, so only the invalid key is reported, not the change.
  const emptied = updated({ csi, nodeAffinity: affinity("") }, { csi, nodeAffinity: affinity("zone") });
  assert.ok(emptied!.length > 0 && emptied!.every((text) => !text.startsWith("nodeAffinity:")));
});

test("the affinity of a volume is mutable with MutablePVNodeAffinity", () => {
  const next = { csi, nodeAffinity: affinity("rack") }, prior = { csi, nodeAffinity: affinity("zone") };
  assert.deepEqual(updated(next, prior, { gates: { MutablePVNodeAffinity: true } }), []);
  assert.deepEqual(updated(next, prior)?.map((text) => text.slice(0, 28)), ["nodeAffinity: Invalid value:"]);
});

test("the attributes class of a volume is dropped without VolumeAttributesClass, unless it is stored", () => {
  const named = make({ ...base, csi, volumeAttributesClassName: "gold" }), bare = make({ ...base, csi });
  const kept = (prior: unknown, on: boolean) =>
    persistentVolumes.prepare?.(named, prior as any, hookContext({ gates: { VolumeAttributesClass: on } }))?.spec.volumeAttributesClassName; // `any`: a partial volume
  assert.equal(kept(undefined, true), "gold");
  assert.equal(kept(bare, true), "gold");
  assert.equal(kept(undefined, false), undefined);
  assert.equal(kept(bare, false), undefined);
  assert.equal(kept(named, false), "gold");
  assert.deepEqual(updated({ csi }, { csi, volumeAttributesClassName: "gold" }), [
    "spec.volumeAttributesClassName: Forbidden: update from non-nil value to nil is forbidden",
  ]);
});

test("the attributes class of a volume is immutable without VolumeAttributesClass", () => {
  const off = { gates: { VolumeAttributesClass: false } };
  const isOff = "spec.volumeAttributesClassName: Forbidden: update is forbidden when the VolumeAttributesClass feature gate is disabled";
  const gold = { csi, volumeAttributesClassName: "gold" };
  assert.deepEqual(updated(gold, gold, off), []);
  assert.deepEqual(updated({ csi, volumeAttributesClassName: "silver" }, gold, off), [isOff]);
  assert.deepEqual(updated({ csi }, gold, off), [
    isOff,
    "spec.volumeAttributesClassName: Forbidden: update from non-nil value to nil is forbidden",
  ]);
});

test("an affinity with an invalid label value is rejected, unless the stored one has an invalid value", () => {
  const requiring = (value: string) => {
    const nodeAffinity = { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "In", values: [value] }] }] } };
    return { csi, nodeAffinity };
  };
  const created = (spec: object) => persistentVolumes.create?.(make({ ...base, ...spec }), hookContext()).map(({ path }) => path);
  const path = "spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].values[0]";
  assert.deepEqual(created(requiring("a")), []);
  assert.deepEqual(created(requiring("a b")), [path]);
  assert.deepEqual(updated(requiring("a b"), requiring("a b")), []);
  assert.deepEqual(updated(requiring("c d"), requiring("a b"), { gates: { MutablePVNodeAffinity: true } }), []);
});

test("sources with removed drivers give warnings with upstream's names", () => {
  const warned = (source: object) => persistentVolumes.warn?.(make({ ...base, ...source }), undefined, hookContext());
  assert.deepEqual(warned({ storageos: {} }), ["spec.storageOS: deprecated in v1.22, non-functional in v1.25+"]);
  assert.deepEqual(warned({ scaleIO: {} }), ["spec.scaleIO: deprecated in v1.16, non-functional in v1.22+"]);
});

test("the deprecated annotation for mount options is rejected for sources that do not support it", () => {
  const annotated = (spec: object) =>
    texts(
      persistentVolumes.create?.(
        make({ ...base, ...spec }, {}, { annotations: { "volume.beta.kubernetes.io/mount-options": "ro" } }),
        hookContext(),
      ),
    );
  assert.deepEqual(annotated({ nfs: { server: "s", path: "/p" } }), []);
  assert.deepEqual(annotated({ csi }), [
    "metadata.annotations.volume.beta.kubernetes.io/mount-options: Forbidden: may not specify mount options for this volume type",
  ]);
});

test("a status update of a volume gives no warnings", () => {
  const old = make({ ...base, persistentVolumeReclaimPolicy: "Recycle", rbd: {} });
  assert.equal(persistentVolumes.warn?.(old, undefined, hookContext())?.length, 2);
  assert.deepEqual(persistentVolumes.warn?.(old, old, hookContext({ subresource: "status" })), []);
});
