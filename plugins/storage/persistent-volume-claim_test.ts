import assert from "node:assert/strict";
import { test } from "node:test";
import { dropDisabled } from "../../core/derive/gates.ts";
import { PersistentVolumeClaim } from "./claim-schema.ts";
import { persistentVolumeClaims } from "./mod.ts";
import { at, texts } from "./test-at.ts";

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
const asks = (storage: string) => ({ resources: { requests: { storage } } });
const created = (spec: object) => texts(persistentVolumeClaims.create?.(make(spec), at()));
const updated = (next: any, prior: any, options?: Parameters<typeof at>[0]) =>
  texts(persistentVolumeClaims.update?.(next, prior, at(options)));
const sealed = "spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
const tooSmall = "spec.resources.requests.storage: Forbidden: field can not be less than status.capacity";

test("a claim is checked in upstream's order, the selector between the modes", () => {
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

test("the data sources of a claim name something, and agree", () => {
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
});

test("the sources of a claim are copied into each other, and what the older one never took is dropped", () => {
  const prepared = (spec: object, prior?: any) => {
    const { dataSource, dataSourceRef } = persistentVolumeClaims.prepare!(make(spec), prior, at()).spec;
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

test("gate CrossNamespaceVolumeDataSource keeps a source elsewhere: on and off, absent and stored", () => {
  const away = { kind: "PersistentVolumeClaim", name: "one", namespace: "other" };
  const kept = (prior: any, on: boolean) =>
    persistentVolumeClaims.prepare!(make({ dataSourceRef: away }), prior, at({ gates: { CrossNamespaceVolumeDataSource: on } })).spec
      .dataSourceRef;
  assert.deepEqual(kept(undefined, true), away);
  assert.deepEqual(kept(make(), true), away);
  assert.equal(kept(undefined, false), undefined);
  assert.equal(kept(make(), false), undefined);
  assert.deepEqual(kept(make({ dataSourceRef: away }), false), away);
});

test("gate VolumeAttributesClass keeps the class of a claim: on and off, absent and stored", () => {
  const named = make({ volumeAttributesClassName: "gold" });
  const kept = (prior: any, on: boolean) =>
    persistentVolumeClaims.prepare!(named, prior, at({ gates: { VolumeAttributesClass: on } })).spec.volumeAttributesClassName;
  assert.equal(kept(undefined, true), "gold");
  assert.equal(kept(make(), true), "gold");
  assert.equal(kept(undefined, false), undefined);
  assert.equal(kept(make(), false), undefined);
  assert.equal(kept(named, false), "gold");
});

test("gate VolumeAttributesClass keeps what the status says of classes: on and off, absent and stored", () => {
  const drop = dropDisabled(PersistentVolumeClaim);
  const status = { phase: "Bound", currentVolumeAttributesClassName: "gold", modifyVolumeStatus: { status: "Pending" } };
  const named = make({}, status), bare = make({}, { phase: "Bound" });
  assert.equal(drop(named, undefined, () => true), named);
  assert.equal(drop(named, bare, () => true), named);
  assert.deepEqual(drop(named, undefined, () => false).status, { phase: "Bound" });
  assert.deepEqual(drop(named, bare, () => false).status, { phase: "Bound" });
  assert.equal(drop(named, named, () => false), named);
});

test("a claim that is not bound keeps its specification; volume and class may be given once", () => {
  assert.deepEqual(updated(make(asks("2048Mi")), make()), [], "the same amount, written otherwise");
  assert.deepEqual(updated(make(asks("3Gi")), make()), [sealed]);
  assert.deepEqual(updated(make({ volumeName: "v" }), make()), []);
  assert.deepEqual(updated(make({ volumeName: "w" }), make({ volumeName: "v" })), [sealed]);
  assert.deepEqual(updated(make({ storageClassName: "fast" }), make()), []);
  assert.deepEqual(updated(make({ storageClassName: "fast" }), make({ storageClassName: "" })), [sealed]);
  assert.deepEqual(updated(make({ volumeMode: "Block" }), make()), [sealed, 'volumeMode: Invalid value: "Block": field is immutable']);
});

test("a bound claim may ask for more, and for less down to more than it has", () => {
  const status = { phase: "Bound", capacity: { storage: "2Gi" } };
  const resized = (from: string, to: string) => updated(make(asks(to), status), make(asks(from), status));
  assert.deepEqual(resized("2Gi", "3Gi"), []);
  assert.deepEqual(resized("4Gi", "3Gi"), []);
  assert.deepEqual(resized("4Gi", "2049Mi"), []);
  assert.deepEqual(resized("4Gi", "2Gi"), [tooSmall]);
  assert.deepEqual(resized("4Gi", "2047Mi"), [tooSmall]);
  assert.deepEqual(updated(make({ resources: { requests: { storage: "2Gi", cpu: "1" } } }, status), make({}, status)), [sealed]);
});

test("the class of a claim may move from the old annotation into the field, and not change on the way", () => {
  const key = "volume.beta.kubernetes.io/storage-class", old = make({}, undefined, { [key]: "old" });
  assert.deepEqual(updated(make({ storageClassName: "old" }), old), []);
  assert.deepEqual(updated(make({ storageClassName: "old" }, undefined, { [key]: "old" }), old), []);
  assert.deepEqual(updated(make({ storageClassName: "new" }, undefined, { [key]: "old" }), old), [sealed]);
  assert.deepEqual(updated(make(), old), [`metadata.annotations.${key}: Invalid value: "": field is immutable`]);
});

test("a claim whose attributes class was applied does not go back to none", () => {
  const status = { phase: "Bound", currentVolumeAttributesClassName: "gold" };
  const changed = (volumeAttributesClassName?: string) =>
    updated(
      make(volumeAttributesClassName === undefined ? {} : { volumeAttributesClassName }, status),
      make({ volumeAttributesClassName: "gold" }, status),
    );
  assert.deepEqual(changed("silver"), []);
  const told = (what: string) => [
    `spec.volumeAttributesClassName: Forbidden: update to ${what} is forbidden when status.currentVolumeAttributesClassName is not nil`,
  ];
  assert.deepEqual(changed(""), told("empty string"));
  assert.deepEqual(changed(), told("nil"));
});

test("while gate VolumeAttributesClass is off the class of a claim that has one does not change", () => {
  const off = { gates: { VolumeAttributesClass: false } };
  const status = { phase: "Bound", currentVolumeAttributesClassName: "gold" };
  const changed = (next: object) => updated(make(next, status), make({ volumeAttributesClassName: "gold" }, status), off);
  const forbidden = "spec.volumeAttributesClassName: Forbidden: ";
  const isOff = `${forbidden}update is forbidden when the VolumeAttributesClass feature gate is disabled`;
  assert.deepEqual(changed({ volumeAttributesClassName: "gold" }), []);
  assert.deepEqual(changed({ volumeAttributesClassName: "silver" }), [isOff]);
  assert.deepEqual(changed({}), [isOff, `${forbidden}update to nil is forbidden when status.currentVolumeAttributesClassName is not nil`]);
});

test("the status of a claim has amounts that are not negative, of storage or of what is named with a domain", () => {
  const { update } = persistentVolumeClaims.served["v1"]!.subresources!["status"]!;
  const checked = (status: object) => texts(update?.(make({}, status), make(), at({ subresource: "status" })));
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

test("fractional bytes and the old annotation are warned of", () => {
  const claim = make({ resources: { requests: { storage: "1500m" }, limits: { storage: "1" } } }, undefined, {
    "volume.beta.kubernetes.io/storage-class": "x",
  });
  assert.deepEqual(persistentVolumeClaims.warn?.(claim, undefined, at()), [
    'metadata.annotations[volume.beta.kubernetes.io/storage-class]: deprecated since v1.8; use "storageClassName" attribute instead',
    'spec.resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer',
  ]);
});
