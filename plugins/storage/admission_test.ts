import assert from "node:assert/strict";
import { test } from "node:test";
import type { Admission, Reader } from "../../core/plugin.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { storageAdmission } from "./admission.ts";
import { at } from "./test-at.ts";

const step = (name: string): Admission => storageAdmission.find((each) => each.name === name)!;
/** A cluster that has these storage classes and nothing else. */
const having = (...classes: readonly object[]): Reader => ({
  get: (_groupVersion, resource, _namespace, name) =>
    Promise.resolve((classes as ApiObject[]).find(({ metadata }) => resource === "storageclasses" && metadata.name === name)),
  list: (_groupVersion, resource) => Promise.resolve(resource === "storageclasses" ? classes as ApiObject[] : []),
});
const storageClass = (name: string, creationTimestamp: string, annotations: object = {}, rest: object = {}) => ({
  kind: "StorageClass",
  apiVersion: "storage.k8s.io/v1",
  metadata: { name, creationTimestamp, annotations },
  ...rest,
});
const claim = (spec: object = {}, status: object = {}, annotations: object = {}): any => ({
  kind: "PersistentVolumeClaim",
  apiVersion: "v1",
  metadata: { name: "data", annotations },
  spec: { resources: {}, ...spec },
  status,
});
const isDefault = { "storageclass.kubernetes.io/is-default-class": "true" };

test("DefaultStorageClass gives a new claim the newest default class, the first by name of one age", async () => {
  const { mutate } = step("DefaultStorageClass");
  const named = async (next: any, ...classes: object[]) => (await mutate!(next, undefined, at(), having(...classes))).spec.storageClassName;
  const old = storageClass("old", "2020-01-01T00:00:00Z", isDefault);
  const b = storageClass("b", "2021-01-01T00:00:00Z", { "storageclass.beta.kubernetes.io/is-default-class": "true" });
  const a = storageClass("a", "2021-01-01T00:00:00Z", isDefault);
  const other = storageClass("other", "2022-01-01T00:00:00Z", { "storageclass.kubernetes.io/is-default-class": "yes" });
  assert.equal(await named(claim(), old, b, a, other), "a");
  assert.equal(await named(claim(), old, b), "b");
  assert.equal(await named(claim(), other), undefined);
  assert.equal(await named(claim({ storageClassName: "" }), old), "");
  assert.equal(await named(claim({}, {}, { "volume.beta.kubernetes.io/storage-class": "" }), old), undefined);
  const same = claim();
  assert.equal(await mutate!(same, claim(), at(), having(old)), same, "an update is left alone");
});

test("PersistentVolumeClaimResize lets a bound claim grow only where its class allows it", async () => {
  const { refuse } = step("PersistentVolumeClaimResize");
  const asks = (storage: string, storageClassName?: string) =>
    claim({ resources: { requests: { storage } }, ...(storageClassName === undefined ? {} : { storageClassName }) }, { phase: "Bound" });
  const classes = having(
    storageClass("fast", "2020-01-01T00:00:00Z", {}, { allowVolumeExpansion: true }),
    storageClass("slow", "2020-01-01T00:00:00Z", {}, { allowVolumeExpansion: false }),
  );
  const refused = (next: any, prior: any, options?: Parameters<typeof at>[0]) => refuse!(next, prior, at(options), classes);
  assert.equal(await refused(asks("2Gi", "fast"), asks("1Gi", "fast")), undefined);
  assert.match(await refused(asks("2Gi", "fast"), asks("1Gi")) ?? "", /^only dynamically provisioned/, "the class is new");
  for (const name of ["slow", "gone", "", undefined]) {
    assert.match(await refused(asks("2Gi", name), asks("1Gi", name)) ?? "", /^only dynamically provisioned pvc can be resized/);
    assert.equal(await refused(asks("1Gi", name), asks("1Gi", name)), undefined, "not more");
    assert.equal(await refused(asks("1Gi", name), undefined), undefined, "new");
    assert.equal(await refused(asks("2Gi", name), asks("1Gi", name), { subresource: "status" }), undefined);
  }
});

test("StorageObjectInUseProtection adds the finalizer of the kind at creation, once, behind those that are there", async () => {
  const { mutate } = step("StorageObjectInUseProtection");
  const finalizers = async (kind: string, metadata: object, prior?: any, gates = {}) =>
    (await mutate!({ kind, metadata } as any, prior, at({ gates }), having())).metadata.finalizers; // the step looks at no more
  assert.deepEqual(await finalizers("PersistentVolume", {}), ["kubernetes.io/pv-protection"]);
  assert.deepEqual(await finalizers("PersistentVolumeClaim", { finalizers: ["a.b/c"] }), ["a.b/c", "kubernetes.io/pvc-protection"]);
  assert.deepEqual(await finalizers("VolumeAttributesClass", { finalizers: ["kubernetes.io/vac-protection", "a.b/c"] }), [
    "kubernetes.io/vac-protection",
    "a.b/c",
  ]);
  assert.equal(await finalizers("VolumeAttributesClass", {}, undefined, { VolumeAttributesClass: false }), undefined);
  assert.equal(await finalizers("PersistentVolume", {}, claim()), undefined);
});
