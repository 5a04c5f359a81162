import assert from "node:assert/strict";
import { test } from "node:test";
import { dropDisabled } from "../../core/derive/gates.ts";
import { PersistentVolumeClaim } from "../shared/volumes/claim.ts";
import { persistentVolumeClaims } from "./mod.ts";
import { hookContext, texts } from "./test-context.ts";

const base = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "2Gi" } }, volumeMode: "Filesystem" };
const make = (spec: object = {}, status: object = { phase: "Pending" }, annotations?: object): any => ({
  kind: "PersistentVolumeClaim",
  apiVersion: "v1",
  metadata: {
    name: "data",
    namespace: "demo",
    uid: "u",
    creationTimestamp: "2024-01-02T03:04:05Z",
    ...(annotations === undefined ? {} : { annotations }),
  },
  spec: { ...base, ...spec },
  status,
});
const requesting = (storage: string) => ({ resources: { requests: { storage } } });
const created = (spec: object) => texts(persistentVolumeClaims.create?.(make(spec), hookContext()));
const updated = (next: any, prior: any, options?: Parameters<typeof hookContext>[0]) =>
  texts(persistentVolumeClaims.update?.(next, prior, hookContext(options)));
const immutable =
  "spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
const tooSmall = "spec.resources.requests.storage: Forbidden: field can not be less than status.capacity";

test("a claim is validated in upstream's order, with the selector between the modes", () => {
  assert.deepEqual(
    created({ accessModes: [], selector: { matchLabels: { "a b": "" } }, resources: {}, volumeMode: "File", storageClassName: "A" })?.map((
      text,
    ) => text.slice(0, text.indexOf(":"))),
    ["spec.accessModes", "spec.selector.matchLabels", "spec.resources[storage]", "spec.storageClassName", "spec.volumeMode"],
  );
  assert.deepEqual(created({ accessModes: ["x"], selector: { matchLabels: { "a b": "" } } })?.map((text) => text.slice(0, 14)), [
    "spec.selector.",
    "spec.accessMod",
  ]);
});

test("the data sources of a claim have kind and name, and are equal", () => {
  const claim = { kind: "PersistentVolumeClaim", name: "one" };
  assert.deepEqual(created({ dataSource: claim, dataSourceRef: claim }), []);
  assert.deepEqual(created({ dataSource: { kind: "", name: "" } }), [
    "spec.dataSource.name: Required value",
    "spec.dataSource.kind: Required value",
    `spec.dataSource: Invalid value: "": must be 'PersistentVolumeClaim' when referencing the default apiGroup`,
  ]);
  assert.deepEqual(created({ dataSource: claim, dataSourceRef: { ...claim, name: "two" } }), [
    "spec: Invalid value: {}: must match dataSourceRef",
  ]);
  assert.deepEqual(created({ dataSource: claim, dataSourceRef: { ...claim, apiGroup: "" } }), [
    "spec: Invalid value: {}: must match dataSourceRef",
  ]);
  assert.deepEqual(created({ dataSource: { ...claim, apiGroup: "" }, dataSourceRef: { ...claim, apiGroup: "" } }), []);
  assert.deepEqual(created({ dataSource: claim, dataSourceRef: { ...claim, namespace: "other" } }), [
    "spec: Invalid value: {}: may not be specified when dataSourceRef.namespace is specified",
  ]);
  assert.deepEqual(created({ dataSourceRef: { ...claim, namespace: "a.b" } })?.length, 1);
  const odd = { apiGroup: "a_b", kind: "K", name: "n" };
  assert.equal(created({ dataSourceRef: odd })?.length, 1);
  assert.deepEqual(updated(make({ dataSource: odd, dataSourceRef: odd }), make({ dataSourceRef: odd })), [], "one is stored already");
  const none = { ...claim, apiGroup: null }, other = { ...claim, apiGroup: "a_b" };
  const moved = updated(make({ dataSource: other, dataSourceRef: other }), make({ dataSource: none, dataSourceRef: none }));
  assert.deepEqual(moved?.map((text) => text.slice(0, text.indexOf(":"))), [
    "spec.dataSource.apiGroup",
    "spec.dataSourceRef.apiGroup",
    "spec",
  ], "a stored source without a group allows no wrong one");
});

test("the data sources of a claim are copied to each other; kinds that dataSource does not support are dropped", () => {
  const prepared = (spec: object, prior?: any) => {
    const { dataSource, dataSourceRef } = persistentVolumeClaims.prepare!(make(spec), prior, hookContext()).spec;
    return { dataSource, dataSourceRef };
  };
  const claim = { kind: "PersistentVolumeClaim", name: "one" };
  const snapshot = { apiGroup: "snapshot.storage.k8s.io", kind: "VolumeSnapshot", name: "s" };
  const other = { apiGroup: "fill.example.com", kind: "Filler", name: "f" };
  assert.deepEqual(prepared({ dataSource: claim }), { dataSource: claim, dataSourceRef: claim });
  assert.deepEqual(prepared({ dataSource: snapshot }), { dataSource: snapshot, dataSourceRef: snapshot });
  assert.deepEqual(prepared({ dataSource: other }), { dataSource: undefined, dataSourceRef: undefined });
  assert.deepEqual(prepared({ dataSource: other }, make({ dataSource: other })), { dataSource: other, dataSourceRef: other });
  assert.deepEqual(prepared({ dataSourceRef: { ...other, namespace: "" } }), {
    dataSource: other,
    dataSourceRef: { ...other, namespace: "" },
  });
});

test("a data source in another namespace is dropped without CrossNamespaceVolumeDataSource, unless it is stored", () => {
  const foreign = { kind: "PersistentVolumeClaim", name: "one", namespace: "other" };
  const kept = (prior: any, on: boolean) =>
    persistentVolumeClaims.prepare!(make({ dataSourceRef: foreign }), prior, hookContext({ gates: { CrossNamespaceVolumeDataSource: on } }))
      .spec
      .dataSourceRef;
  assert.deepEqual(kept(undefined, true), foreign);
  assert.deepEqual(kept(make(), true), foreign);
  assert.equal(kept(undefined, false), undefined);
  assert.equal(kept(make(), false), undefined);
  assert.deepEqual(kept(make({ dataSourceRef: foreign }), false), foreign);
});

test("the attributes class of a claim is dropped without VolumeAttributesClass, unless it is stored", () => {
  const named = make({ volumeAttributesClassName: "gold" });
  const kept = (prior: any, on: boolean) =>
    persistentVolumeClaims.prepare!(named, prior, hookContext({ gates: { VolumeAttributesClass: on } })).spec.volumeAttributesClassName;
  assert.equal(kept(undefined, true), "gold");
  assert.equal(kept(make(), true), "gold");
  assert.equal(kept(undefined, false), undefined);
  assert.equal(kept(make(), false), undefined);
  assert.equal(kept(named, false), "gold");
});

test("the attributes class in the status of a claim is dropped without VolumeAttributesClass, unless it is stored", () => {
  const drop = dropDisabled(PersistentVolumeClaim);
  const status = { phase: "Bound", currentVolumeAttributesClassName: "gold", modifyVolumeStatus: { status: "Pending" } };
  const named = make({}, status), bare = make({}, { phase: "Bound" });
  assert.equal(drop(named, undefined, () => true), named);
  assert.equal(drop(named, bare, () => true), named);
  assert.deepEqual(drop(named, undefined, () => false).status, { phase: "Bound" });
  assert.deepEqual(drop(named, bare, () => false).status, { phase: "Bound" });
  assert.equal(drop(named, named, () => false), named);
});

test("the spec of an unbound claim is immutable; volume and class can be set once", () => {
  assert.deepEqual(updated(make(requesting("2048Mi")), make()), [], "the same quantity in another notation");
  assert.deepEqual(updated(make(requesting("3Gi")), make()), [immutable]);
  assert.deepEqual(updated(make({ volumeName: "v" }), make()), []);
  assert.deepEqual(updated(make({ volumeName: "w" }), make({ volumeName: "v" })), [immutable]);
  assert.deepEqual(updated(make({ storageClassName: "fast" }), make()), []);
  assert.deepEqual(updated(make({ storageClassName: "fast" }), make({ storageClassName: "" })), [immutable]);
  assert.deepEqual(updated(make({ volumeMode: "Block" }), make()), [immutable, 'volumeMode: Invalid value: "Block": field is immutable']);
});

test("a bound claim can request more, or less if that exceeds its capacity", () => {
  const status = { phase: "Bound", capacity: { storage: "2Gi" } };
  const resized = (from: string, to: string) => updated(make(requesting(to), status), make(requesting(from), status));
  assert.deepEqual(resized("2Gi", "3Gi"), []);
  assert.deepEqual(resized("4Gi", "3Gi"), []);
  assert.deepEqual(resized("4Gi", "2049Mi"), []);
  assert.deepEqual(resized("4Gi", "2Gi"), [tooSmall]);
  assert.deepEqual(resized("4Gi", "2047Mi"), [tooSmall]);
  assert.deepEqual(updated(make({ resources: { requests: { storage: "2Gi", cpu: "1" } } }, status), make({}, status)), [immutable]);
});

test("the class of a claim can be copied from the deprecated annotation to the field, unchanged", () => {
  const key = "volume.beta.kubernetes.io/storage-class", old = make({}, undefined, { [key]: "old" });
  assert.deepEqual(updated(make({ storageClassName: "old" }), old), []);
  assert.deepEqual(updated(make({ storageClassName: "old" }, undefined, { [key]: "old" }), old), []);
  assert.deepEqual(updated(make({ storageClassName: "new" }, undefined, { [key]: "old" }), old), [immutable]);
  assert.deepEqual(updated(make(), old), [`metadata.annotations.${key}: Invalid value: "": field is immutable`]);
});

test("an applied attributes class of a claim cannot be removed", () => {
  const status = { phase: "Bound", currentVolumeAttributesClassName: "gold" };
  const changed = (volumeAttributesClassName?: string) =>
    updated(
      make(volumeAttributesClassName === undefined ? {} : { volumeAttributesClassName }, status),
      make({ volumeAttributesClassName: "gold" }, status),
    );
  assert.deepEqual(changed("silver"), []);
  const errors = (what: string) => [
    `spec.volumeAttributesClassName: Forbidden: update to ${what} is forbidden when status.currentVolumeAttributesClassName is not nil`,
  ];
  assert.deepEqual(changed(""), errors("empty string"));
  assert.deepEqual(changed(), errors("nil"));
});

test("the attributes class of a claim is immutable without VolumeAttributesClass", () => {
  const off = { gates: { VolumeAttributesClass: false } };
  const status = { phase: "Bound", currentVolumeAttributesClassName: "gold" };
  const changed = (next: object) => updated(make(next, status), make({ volumeAttributesClassName: "gold" }, status), off);
  const forbidden = "spec.volumeAttributesClassName: Forbidden: ";
  const isOff = `${forbidden}update is forbidden when the VolumeAttributesClass feature gate is disabled`;
  assert.deepEqual(changed({ volumeAttributesClassName: "gold" }), []);
  assert.deepEqual(changed({ volumeAttributesClassName: "silver" }), [isOff]);
  assert.deepEqual(changed({}), [isOff, `${forbidden}update to nil is forbidden when status.currentVolumeAttributesClassName is not nil`]);
});

test("the status of a claim has non-negative quantities of storage or of resources with a domain", () => {
  const { update } = persistentVolumeClaims.served["v1"]!.subresources!["status"]!;
  const checked = (status: object) => texts(update?.(make({}, status), make(), hookContext({ subresource: "status" })));
  assert.deepEqual(
    checked({ capacity: { storage: "0", "any key": "1" }, allocatedResources: { storage: "1Gi", "example.com/x": "1" } }),
    [],
  );
  assert.deepEqual(checked({ capacity: { storage: "-1" } }), [
    "status.capacity[storage]: Invalid value: -1: must be a valid resource quantity",
  ]);
  assert.deepEqual(checked({ allocatedResources: { "kubernetes.io/x": "1" } }), [
    'status.allocatedResources: Unsupported value: "kubernetes.io/x": supported values: "storage"',
  ]);
  assert.deepEqual(checked({ allocatedResources: { storage: "500m" } }), []);
  assert.deepEqual(checked({ allocatedResources: { cpu: "-1" } }), [
    'status.allocatedResources: Unsupported value: "cpu": supported values: "storage"',
  ]);
  assert.equal(checked({ allocatedResourceStatuses: { storage: "Sleeping" } })?.length, 1);
});

test("fractional bytes and the deprecated annotation of a claim give warnings", () => {
  const claim = make({ resources: { requests: { storage: "1500m" }, limits: { storage: "1" } } }, undefined, {
    "volume.beta.kubernetes.io/storage-class": "x",
  });
  assert.deepEqual(persistentVolumeClaims.warn?.(claim, undefined, hookContext()), [
    'metadata.annotations[volume.beta.kubernetes.io/storage-class]: deprecated since v1.8; use "storageClassName" attribute instead',
    'spec.resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer',
  ]);
});
