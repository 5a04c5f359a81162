import assert from "node:assert/strict";
import { dropDisabled } from "../../core/derive/gates.ts";
import { test } from "node:test";
import { defaulter } from "../../core/derive/apply-defaults.ts";
import { type FieldError, fieldErrorText } from "../../core/field-error.ts";
import { defaultNames } from "../../core/names.ts";
import type { Gates } from "../../core/controller.ts";
import type { HookContext } from "../../core/hook-context.ts";
import { noMetric } from "../../core/test-context.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import type { Typed } from "../../core/schema.ts";
import { csiDrivers, csiNodes, csiStorageCapacities, volumeAttachments } from "./mod.ts";
import { attachmentMetadataBytesMax, volumeErrorBytesMax } from "./volume-attachment.ts";

const groupVersion = "storage.{domain}/v1";
const at: HookContext = {
  names: defaultNames,
  gates: () => true,
  now: "2024-01-02T03:04:05Z",
  subresource: "",
  requestVersion: "storage.k8s.io/v1",
  minCompatibility: "1.34",
  caller: { name: "alice", groups: [] },
  metric: noMetric,
};
const without = (gate: string): HookContext => ({ ...at, gates: (name) => name !== gate });
const metadata = { name: "one", uid: "u", creationTimestamp: "2024-01-02T03:04:05Z" };
const texts = (errors: readonly FieldError[] | undefined) => errors?.map(fieldErrorText);
// `any`: tests build partial objects.
const make = (kind: string, rest: object): any => ({ kind, apiVersion: "storage.k8s.io/v1", metadata, ...rest });

const fillDriver = (spec: object, here = at) =>
  defaulter(csiDrivers.served[groupVersion]!.schema as Typed<ApiObject>)(make("CSIDriver", { spec }), here.gates) as any; // as above
const driverErrors = (spec: object, here = at) => texts(csiDrivers.create?.(fillDriver(spec), here));

test("an empty spec of a CSIDriver gets upstream's defaults and is valid", () => {
  assert.deepEqual(fillDriver({}).spec, {
    attachRequired: true,
    podInfoOnMount: false,
    volumeLifecycleModes: ["Persistent"],
    storageCapacity: false,
    fsGroupPolicy: "ReadWriteOnceWithFSType",
    requiresRepublish: false,
    seLinuxMount: false,
  });
  assert.deepEqual(driverErrors({}), []);
  assert.deepEqual(fillDriver({ attachRequired: false }).spec.attachRequired, false);
});

test("seLinuxMount of a CSIDriver has no default without its gate, and keeps its value", () => {
  const off = without("SELinuxMountReadWriteOncePod");
  assert.equal("seLinuxMount" in fillDriver({}, off).spec, false);
  assert.equal(fillDriver({ seLinuxMount: true }, off).spec.seLinuxMount, true);
  assert.equal(fillDriver({ seLinuxMount: true }).spec.seLinuxMount, true);
  assert.deepEqual(texts(csiDrivers.create?.(fillDriver({}, off), off)), []);
});

test("fields of a CSIDriver with defaults are required; the path of attachRequired is misspelt as upstream", () => {
  assert.deepEqual(texts(csiDrivers.create?.(make("CSIDriver", { spec: {} }), at)), [
    "spec.attachedRequired: Required value",
    "spec.podInfoOnMount: Required value",
    "spec.storageCapacity: Required value",
    "spec.seLinuxMount: Required value",
  ]);
});

test("tokenRequests of a CSIDriver have a lifetime of 600 to 2^32 seconds and unique audiences", () => {
  const of = (...expirationSeconds: number[]) =>
    driverErrors({ tokenRequests: expirationSeconds.map((seconds, i) => ({ audience: `${i}`, expirationSeconds: seconds })) });
  assert.deepEqual(of(600, 2 ** 32), []);
  assert.deepEqual(of(599, 2 ** 32 + 1), [
    "spec.tokenRequests[0].expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes",
    "spec.tokenRequests[1].expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds",
  ]);
  assert.deepEqual(driverErrors({ tokenRequests: [{ audience: "" }, { audience: "", expirationSeconds: 1 }] }), [
    'spec.tokenRequests[1].audience: Duplicate value: ""',
  ]);
});

test("nodeAllocatableUpdatePeriodSeconds of a CSIDriver is at least ten", () => {
  assert.deepEqual(driverErrors({ nodeAllocatableUpdatePeriodSeconds: 10 }), []);
  assert.deepEqual(driverErrors({ nodeAllocatableUpdatePeriodSeconds: 9 }), [
    "spec.nodeAllocatableUpdatePeriodSeconds: Invalid value: 9: must be greater than or equal to 10 seconds",
  ]);
});

test("serviceAccountTokenInSecrets needs tokenRequests, and new tokenRequests without it give a warning", () => {
  assert.deepEqual(driverErrors({ serviceAccountTokenInSecrets: false }), [
    "spec.serviceAccountTokenInSecrets: Invalid value: false: serviceAccountTokenInSecrets is set but no tokenRequests are specified",
  ]);
  const driver = fillDriver({ tokenRequests: [{ audience: "a" }] });
  assert.equal(csiDrivers.warn?.(driver, undefined, at).length, 1);
  assert.deepEqual(csiDrivers.warn?.(driver, driver, at), []);
  assert.equal(csiDrivers.warn?.(fillDriver({ tokenRequests: [{ audience: "b" }] }), driver, at).length, 1);
  assert.deepEqual(csiDrivers.warn?.(fillDriver({}), undefined, at), []);
  assert.deepEqual(csiDrivers.warn?.(driver, undefined, without("CSIServiceAccountTokenSecrets")), [], "no warning without the gate");
});

test("attachRequired and volumeLifecycleModes of a CSIDriver are immutable", () => {
  const paths = csiDrivers.update?.(fillDriver({ attachRequired: false, volumeLifecycleModes: ["Ephemeral"] }), fillDriver({}), at);
  assert.deepEqual(paths?.map(({ path }) => path), ["spec.attachedRequired", "spec.volumeLifecycleModes"]);
});

const dropped = dropDisabled(csiDrivers.served["storage.{domain}/v1"]!.schema) as (next: any, prior: any, gates: Gates) => any; // the schema has lost its type

for (
  const [key, gate, value] of [
    ["seLinuxMount", "SELinuxMountReadWriteOncePod", true],
    ["nodeAllocatableUpdatePeriodSeconds", "MutableCSINodeAllocatableCount", 20],
    ["serviceAccountTokenInSecrets", "CSIServiceAccountTokenSecrets", true],
  ] as const
) {
  test(`${key} of a CSIDriver is dropped without ${gate}, unless it is stored`, () => {
    const bare = make("CSIDriver", { spec: {} }), full = make("CSIDriver", { spec: { [key]: value } });
    assert.deepEqual(dropped(full, undefined, at.gates).spec, { [key]: value });
    assert.deepEqual(dropped(full, undefined, without(gate).gates).spec, {});
    assert.deepEqual(dropped(full, bare, without(gate).gates).spec, {});
    assert.deepEqual(dropped(full, full, without(gate).gates).spec, { [key]: value });
  });
}

const nodeErrors = (...drivers: object[]) => texts(csiNodes.create?.(make("CSINode", { spec: { drivers } }), at));
const driver = { name: "disk.example.com", nodeID: "n" };

test("a driver of a CSINode has a name of at most 63 bytes and a node ID of at most 256 bytes", () => {
  assert.deepEqual(nodeErrors({ name: "d".repeat(63), nodeID: "ž".repeat(128) }), []);
  assert.deepEqual(nodeErrors({ name: "d".repeat(64), nodeID: "n".repeat(257) }), [
    "spec.drivers[0].name: Too long: may not be more than 63 bytes",
    `spec.drivers[0].nodeID: Invalid value: "${"n".repeat(257)}": must be 256 characters or less`,
  ]);
  assert.deepEqual(nodeErrors({ name: "constructor", nodeID: "n" }, { name: "tostring", nodeID: "n" }), []);
});

test("topologyKeys of a CSINode are unique label keys; errors have the path of the driver", () => {
  assert.deepEqual(nodeErrors({ ...driver, topologyKeys: ["a/b", "c"] }), []);
  const found = csiNodes.create?.(make("CSINode", { spec: { drivers: [{ ...driver, topologyKeys: ["a", "a", ""] }] } }), at);
  assert.deepEqual(found?.map(({ type, path }) => `${type} ${path}`), [
    "Duplicate spec.drivers[0]",
    "Required spec.drivers[0]",
    "Invalid spec.drivers[0]",
    "Invalid spec.drivers[0]",
  ]);
});

test("a driver of a CSINode is immutable, except allocatable.count with the gate", () => {
  const prior = make("CSINode", { spec: { drivers: [{ ...driver, topologyKeys: null, allocatable: { count: 1 } }] } });
  const next = (change: object) => make("CSINode", { spec: { drivers: [{ ...driver, topologyKeys: [], ...change }] } });
  assert.deepEqual(csiNodes.update?.(next({ allocatable: { count: 2 } }), prior, at), []);
  const withoutGate = without("MutableCSINodeAllocatableCount");
  assert.deepEqual(csiNodes.update?.(next({ allocatable: { count: 2 } }), prior, withoutGate).map(({ path }) => path), ["spec.drivers"]);
  assert.deepEqual(csiNodes.update?.(next({ allocatable: { count: 1 } }), prior, withoutGate), []);
  assert.deepEqual(csiNodes.update?.(next({ nodeID: "m" }), prior, at).map(({ path }) => path), ["spec.drivers"]);
  assert.deepEqual(csiNodes.update?.(make("CSINode", { spec: { drivers: null } }), prior, at), []);
});

test("nodeTopology and storageClassName of a CSIStorageCapacity are immutable, and its capacity is not negative", () => {
  const capacity = (rest: object) => ({
    ...make("CSIStorageCapacity", { storageClassName: "fast", ...rest }),
    metadata: { ...metadata, namespace: "demo" },
  });
  assert.deepEqual(texts(csiStorageCapacities.create?.(capacity({ capacity: "0" }), at)), []);
  assert.deepEqual(texts(csiStorageCapacities.create?.(capacity({ capacity: "-1" }), at)), [
    'capacity: Invalid value: "-1": must be greater than or equal to 0',
  ]);
  const prior = capacity({ nodeTopology: { matchLabels: { a: "b" } } });
  const changed = csiStorageCapacities.update?.(capacity({ storageClassName: "slow", nodeTopology: {} }), prior, at);
  assert.deepEqual(changed?.map(({ path }) => path), ["nodeTopology", "storageClassName"]);
  assert.deepEqual(
    csiStorageCapacities.update?.(capacity({ nodeTopology: { matchLabels: { a: "b" }, matchExpressions: [] } }), prior, at),
    [],
  );
  assert.deepEqual(csiStorageCapacities.update?.(capacity({}), capacity({ nodeTopology: {} }), at).map(({ path }) => path), [
    "nodeTopology",
  ]);
});

test("an update of a CSIStorageCapacity accepts an invalid label value if it is stored", () => {
  const odd = { ...make("CSIStorageCapacity", { storageClassName: "fast" }), metadata: { ...metadata, namespace: "demo" } };
  odd.nodeTopology = { matchExpressions: [{ key: "a", operator: "In", values: ["-"] }] };
  assert.equal(csiStorageCapacities.create?.(odd, at).length, 1);
  assert.deepEqual(csiStorageCapacities.update?.(odd, odd, at), []);
});

const spec = { attacher: "disk.example.com", source: { persistentVolumeName: "v" }, nodeName: "n" };
const attachment = (status: object = { attached: false }, over: object = {}) =>
  make("VolumeAttachment", { spec: { ...spec, ...over }, status });

test("a VolumeAttachment has exactly one source", () => {
  const errors = (source: object) => texts(volumeAttachments.create?.(attachment(undefined, { source }), at));
  const one = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
  assert.deepEqual(errors({ persistentVolumeName: "v" }), []);
  assert.deepEqual(errors({}), [`spec.source: Required value: ${one}`]);
  assert.deepEqual(errors({ persistentVolumeName: "v", inlineVolumeSpec: {} }), [`spec.source: Forbidden: ${one}`]);
  assert.equal(
    errors({ persistentVolumeName: "" })?.[0],
    "spec.source.persistentVolumeName: Required value: must specify non empty persistentVolumeName",
  );
  assert.equal(errors({ persistentVolumeName: "A" })?.length, 1);
});

test("a VolumeAttachment is validated in upstream's order, the attacher before the source", () => {
  const errors = (attacher: string) =>
    texts(volumeAttachments.create?.(attachment(undefined, { attacher, source: {}, nodeName: "" }), at))?.map((text) => text.split(":")[0]);
  assert.deepEqual(errors(""), ["spec.attacher", "spec.source", "spec.nodeName"]);
  assert.deepEqual(errors("a_b"), ["spec.attacher", "spec.source", "spec.nodeName"]);
});

test("status of a VolumeAttachment: at most 256 KiB of metadata and 1 KiB of message, no negative error code", () => {
  const errors = (status: object) => volumeAttachments.update?.(attachment({ attached: true, ...status }), attachment(), at);
  const max = attachmentMetadataBytesMax;
  assert.deepEqual(errors({ attachmentMetadata: { k: "x".repeat(max - 1) } }), []);
  assert.deepEqual(texts(errors({ attachmentMetadata: { k: "x".repeat(max) } })), [
    `status.attachmentMetadata: Too long: may not be more than ${max} bytes`,
  ]);
  assert.deepEqual(errors({ attachError: { time: null, message: "x".repeat(volumeErrorBytesMax), errorCode: 0 } }), []);
  assert.deepEqual(
    errors({ detachError: { time: null, message: "x".repeat(volumeErrorBytesMax + 1), errorCode: -1 } })?.map(({ path }) => path),
    [
      "status.detachError.message",
      "status.detachError.errorCode",
    ],
  );
  assert.deepEqual(texts(errors({ attachError: { time: null, errorCode: -1 } })), [
    "status.attachError.errorCode: Invalid value: -1: must be between 0 and 2147483647, inclusive",
  ]);
});

test("prepare() resets the status of a new VolumeAttachment; main resource and status do not change each other", () => {
  assert.deepEqual(volumeAttachments.prepare?.(attachment({ attached: true }), undefined, at).status, { attached: false });
  const prior = attachment({ attached: true });
  assert.deepEqual(volumeAttachments.prepare?.(attachment(), prior, at).status, { attached: true });
  const { status } = volumeAttachments.served[groupVersion]!.subresources!;
  const sent = { ...attachment({ attached: false }, { nodeName: "m" }), metadata: { ...metadata, labels: { a: "b" } } };
  assert.deepEqual(status!.write!(sent, prior, at), attachment({ attached: false }));
  assert.deepEqual(volumeAttachments.update?.(attachment(undefined, { nodeName: "m" }), attachment(), at).map(({ path }) => path), [
    "spec",
  ]);
});
