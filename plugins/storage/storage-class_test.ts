import assert from "node:assert/strict";
import { test } from "node:test";
import { storageClasses, volumeAttributesClasses } from "./mod.ts";
import { hookContext, texts } from "./test-context.ts";
import { classParametersBytesMax, classParametersMax } from "./parameters.ts";

const metadata = { name: "fast", uid: "u", creationTimestamp: "2024-01-02T03:04:05Z" };
const make = (rest: object): any => ({
  kind: "StorageClass",
  apiVersion: "storage.k8s.io/v1",
  metadata,
  provisioner: "disks.example.com",
  reclaimPolicy: "Delete",
  volumeBindingMode: "Immediate",
  ...rest,
});
const created = (rest: object) => texts(storageClasses.create?.(make(rest), hookContext()));
const updated = (next: object, prior: object = {}) => texts(storageClasses.update?.(make(next), make(prior), hookContext()));
const many = (count: number, value = "") => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, value]));

test("the provisioner of a StorageClass is a qualified name in any case", () => {
  assert.deepEqual(created({ provisioner: "Disks.Example.com/Fast" }), []);
  assert.deepEqual(created({ provisioner: "" }), ["provisioner: Required value"]);
  assert.equal(created({ provisioner: "a b" })?.length, 1);
});

test("a StorageClass has at most 512 parameters and 256 KiB of them, with non-empty keys", () => {
  assert.deepEqual(created({ parameters: many(classParametersMax) }), []);
  assert.deepEqual(created({ parameters: many(classParametersMax + 1) }), ["parameters: Too long: may not be more than 512 bytes"]);
  assert.deepEqual(created({ parameters: { "": "x" } }), ['parameters: Invalid value: "": field can not be empty.']);
  const max = classParametersBytesMax;
  assert.deepEqual(created({ parameters: { k: "é".repeat((max - 2) / 2) + "x" } }), []);
  assert.deepEqual(created({ parameters: { k: "x".repeat(max) } }), ["parameters: Too long: may not be more than 262144 bytes"]);
});

test("reclaimPolicy and volumeBindingMode of a StorageClass are enums; Recycle is not allowed", () => {
  assert.deepEqual(created({ reclaimPolicy: "Recycle" }), [
    'reclaimPolicy: Unsupported value: "Recycle": supported values: "Delete", "Retain"',
  ]);
  assert.deepEqual(created({ reclaimPolicy: "Retain", volumeBindingMode: "WaitForFirstConsumer" }), []);
  assert.deepEqual(created({ volumeBindingMode: "" }), [
    'volumeBindingMode: Unsupported value: "": supported values: "Immediate", "WaitForFirstConsumer"',
  ]);
  assert.deepEqual(created({ volumeBindingMode: undefined }), ["volumeBindingMode: Required value"]);
});

test("allowedTopologies have no duplicate keys, values or terms", () => {
  const topologies = (...terms: object[]) =>
    created({ allowedTopologies: terms.map((matchLabelExpressions) => ({ matchLabelExpressions })) });
  const zone = (...values: string[]) => ({ key: "zone", values });
  assert.deepEqual(topologies([zone("a")], [zone("a", "b")]), []);
  assert.deepEqual(topologies([zone()]), ["allowedTopologies[0].matchLabelExpressions[0].values: Required value"]);
  assert.deepEqual(topologies([zone("a", "a")]), ['allowedTopologies[0].matchLabelExpressions[0].values[1]: Duplicate value: "a"']);
  assert.deepEqual(topologies([zone("a"), zone("b")]), ['allowedTopologies[0].matchLabelExpressions[1].key: Duplicate value: "zone"']);
  assert.deepEqual(topologies([zone("a", "b")], [zone("b", "a")]), ['allowedTopologies[1].matchLabelExpressions: Duplicate value: ""']);
  assert.deepEqual(topologies([{ key: "constructor", values: ["__proto__"] }], [{ key: "toString", values: ["__proto__"] }]), []);
  assert.deepEqual(topologies([], []), [0, 0, 1, 1, 1].map((i) => `allowedTopologies[${i}].matchLabelExpressions: Duplicate value: ""`));
});

test("the provisioning fields of a StorageClass are immutable, others are mutable", () => {
  assert.deepEqual(updated({ allowVolumeExpansion: true, mountOptions: ["ro"], allowedTopologies: [] }), []);
  assert.deepEqual(updated({ parameters: {} }), []);
  assert.deepEqual(
    updated({ parameters: { a: "1" }, provisioner: "x.example.com", reclaimPolicy: "Retain", volumeBindingMode: "WaitForFirstConsumer" }),
    [
      'parameters: Invalid value: {"a":"1"}: field is immutable',
      'provisioner: Invalid value: "x.example.com": field is immutable',
      'reclaimPolicy: Invalid value: "Retain": field is immutable',
      'volumeBindingMode: Invalid value: "WaitForFirstConsumer": field is immutable',
    ],
  );
});

test("deprecated labels in allowedTopologies give warnings", () => {
  const allowedTopologies = [{ matchLabelExpressions: [{ key: "beta.kubernetes.io/os", values: ["a"] }, { key: "zone", values: ["b"] }] }];
  assert.deepEqual(storageClasses.warn?.(make({ allowedTopologies }), undefined, hookContext()), [
    'allowedTopologies[0].matchLabelExpressions[0].key: deprecated since v1.14; use "kubernetes.io/os" instead',
  ]);
});

test("driverName and parameters of a VolumeAttributesClass are required and immutable", () => {
  const make = (rest: object): any => ({
    kind: "VolumeAttributesClass",
    metadata,
    driverName: "csi.example.com",
    parameters: { a: "1" },
    ...rest,
  });
  const created = (rest: object) => texts(volumeAttributesClasses.create?.(make(rest), hookContext()));
  assert.deepEqual(created({}), []);
  assert.deepEqual(created({ driverName: "", parameters: undefined }), [
    "driverName: Required value",
    "parameters: Required value: must contain at least one key/value pair",
  ]);
  assert.deepEqual(created({ parameters: many(classParametersMax + 1) }), ["parameters: Too long: may not be more than 512 bytes"]);
  assert.deepEqual(texts(volumeAttributesClasses.update?.(make({}), make({}), hookContext())), []);
  assert.deepEqual(texts(volumeAttributesClasses.update?.(make({ driverName: "b", parameters: { a: "2" } }), make({}), hookContext())), [
    "driverName: Forbidden: updates to driverName are forbidden.",
    "parameters: Forbidden: updates to parameters are forbidden.",
  ]);
});
