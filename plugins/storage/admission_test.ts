import assert from "node:assert/strict";
import { test } from "node:test";
import type { Reader } from "../../core/access.ts";
import type { Admission } from "../../core/plugin.ts";
import { fakeRequestContext } from "../../core/test-context.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { storageAdmission } from "./admission.ts";
import { hookContext } from "./test-context.ts";

const step = (name: string): Admission => storageAdmission.find((each) => each.name === name)!;
/** A reader of a cluster that contains these storage classes only. */
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

test("DefaultStorageClass sets the newest default class on a new claim; among equal ages, the first by name", async () => {
  const { mutate } = step("DefaultStorageClass");
  const named = async (next: any, ...classes: object[]) =>
    (await mutate!(next, undefined, fakeRequestContext(hookContext(), { read: having(...classes) }))).spec.storageClassName;
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
  assert.equal(await mutate!(same, claim(), fakeRequestContext(hookContext(), { read: having(old) })), same, "an update is not changed");
});

test("PersistentVolumeClaimResize rejects a larger request of a bound claim unless its class allows it", async () => {
  const { refuse } = step("PersistentVolumeClaimResize");
  const requesting = (storage: string, storageClassName?: string) =>
    claim({ resources: { requests: { storage } }, ...(storageClassName === undefined ? {} : { storageClassName }) }, { phase: "Bound" });
  const classes = having(
    storageClass("fast", "2020-01-01T00:00:00Z", {}, { allowVolumeExpansion: true }),
    storageClass("slow", "2020-01-01T00:00:00Z", {}, { allowVolumeExpansion: false }),
  );
  const rejection = (next: any, prior: any, options?: Parameters<typeof hookContext>[0]) =>
    refuse!(next, prior, fakeRequestContext(hookContext(options), { read: classes }));
  assert.equal(await rejection(requesting("2Gi", "fast"), requesting("1Gi", "fast")), undefined);
  assert.match(await rejection(requesting("2Gi", "fast"), requesting("1Gi")) ?? "", /^only dynamically provisioned/, "the class is new");
  for (const name of ["slow", "gone", "", undefined]) {
    assert.match(
      await rejection(requesting("2Gi", name), requesting("1Gi", name)) ?? "",
      /^only dynamically provisioned pvc can be resized/,
    );
    assert.equal(await rejection(requesting("1Gi", name), requesting("1Gi", name)), undefined, "not more");
    assert.equal(await rejection(requesting("1Gi", name), undefined), undefined, "new");
    assert.equal(await rejection(requesting("2Gi", name), requesting("1Gi", name), { subresource: "status" }), undefined);
  }
});

test("StorageObjectInUseProtection appends the finalizer of the kind at creation, once", async () => {
  const { mutate } = step("StorageObjectInUseProtection");
  const finalizers = async (kind: string, metadata: object, prior?: any, gates = {}) =>
    (await mutate!({ kind, metadata } as any, prior, fakeRequestContext(hookContext({ gates }), { read: having() }))).metadata.finalizers; // `any`: the step reads these members only
  assert.deepEqual(await finalizers("PersistentVolume", {}), ["kubernetes.io/pv-protection"]);
  assert.deepEqual(await finalizers("PersistentVolumeClaim", { finalizers: ["a.b/c"] }), ["a.b/c", "kubernetes.io/pvc-protection"]);
  assert.deepEqual(await finalizers("VolumeAttributesClass", { finalizers: ["kubernetes.io/vac-protection", "a.b/c"] }), [
    "kubernetes.io/vac-protection",
    "a.b/c",
  ]);
  assert.equal(await finalizers("VolumeAttributesClass", {}, undefined, { VolumeAttributesClass: false }), undefined);
  assert.equal(await finalizers("PersistentVolume", {}, claim()), undefined);
});
