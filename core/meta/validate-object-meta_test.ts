import assert from "node:assert/strict";
import { test } from "node:test";
import { type FieldError, fieldErrorText } from "../field-error.ts";
import { defaultNames } from "../names.ts";
import type { ObjectMeta } from "./object-meta.ts";
import { type MetaRules, metaRulesOf, storedNameRules, validateObjectMeta, validateObjectMetaUpdate } from "./validate-object-meta.ts";
import { annotationsBytesMax } from "./labels.ts";
import { fieldErrorsOfListMax } from "./bounds.ts";

const rules: MetaRules = metaRulesOf({ scope: "Namespaced", strategy: { coreFinalizers: true } }, defaultNames);
const good: ObjectMeta = { name: "one", namespace: "demo", uid: "u", creationTimestamp: "2024-01-02T03:04:05Z" };
/** Paths and types of errors, for assertions of their order. */
const brief = (errors: readonly FieldError[]) => errors.map((error) => `${error.path} ${error.type}`);
const texts = (errors: readonly FieldError[]) => errors.map(fieldErrorText);

/** One violation of each metadata rule. */
const broken: readonly [string, Partial<ObjectMeta>, readonly string[]][] = [
  ["no name", { name: "" }, ["metadata.name: Required value: name or generateName is required"]],
  ["no namespace", { namespace: "" }, ["metadata.namespace: Required value"]],
  ["a negative generation", { generation: -1 }, ["metadata.generation: Invalid value: -1: must be greater than or equal to 0"]],
  ["a large negative generation", { generation: -9223372036854775808n }, [
    "metadata.generation: Invalid value: -9223372036854775808: must be greater than or equal to 0",
  ]],
  ["an empty prefix of a label", { labels: { "/b": "d" } }, ['metadata.labels: Invalid value: "/b": prefix part must be non-empty']],
  ["an empty owner", { ownerReferences: [{ apiVersion: "", kind: "", name: "", uid: "" }] }, [
    'metadata.ownerReferences.apiVersion: Invalid value: "": version must not be empty',
    'metadata.ownerReferences.kind: Invalid value: "": must not be empty',
    'metadata.ownerReferences.name: Invalid value: "": must not be empty',
    'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
  ]],
  ["an owner with an invalid version", { ownerReferences: [{ apiVersion: "a/b/c", kind: "Thing", name: "x", uid: "y" }] }, [
    'metadata.ownerReferences.apiVersion: Invalid value: "a/b/c": version must not be empty',
  ]],
  ["a finalizer without a domain", { finalizers: ["bare"] }, [
    'metadata.finalizers[0]: Invalid value: "bare": name is neither a standard finalizer name nor is it fully qualified',
  ]],
  ["an unknown operation", { managedFields: [{ operation: "Remove" }] }, [
    'metadata.managedFields[0].operation: Invalid value: "Remove": must be `Apply` or `Update`',
  ]],
  ["another format of field sets", { managedFields: [{ operation: "Apply", fieldsType: "FieldsV2" }] }, [
    'metadata.managedFields[0].fieldsType: Invalid value: "FieldsV2": must be `FieldsV1`',
  ]],
  ["an unprintable manager", { managedFields: [{ operation: "Apply", manager: "é\t" }] }, [
    'metadata.managedFields[0].manager: Invalid value: "é\\t": invalid character U+0009 (at position 2)',
  ]],
  ["a long manager", { managedFields: [{ operation: "Apply", manager: "m".repeat(129) }] }, [
    "metadata.managedFields[0].manager: Too long: may not be more than 128 bytes",
  ]],
  ["a long subresource", { managedFields: [{ operation: "Apply", subresource: "s".repeat(257) }] }, [
    "metadata.managedFields[0].subresource: Too long: may not be more than 256 bytes",
  ]],
];
for (const [what, change, wrong] of broken) {
  test(`validateObjectMeta() rejects ${what}`, () => assert.deepEqual(texts(validateObjectMeta({ ...good, ...change }, rules)), wrong));
}

test("validateObjectMeta() accepts metadata at every bound", () => {
  const fine: ObjectMeta = {
    ...good,
    name: "n".repeat(253),
    generateName: "web-",
    generation: 0,
    labels: { ["a".repeat(253) + "/" + "b".repeat(63)]: "c".repeat(63), empty: "" },
    annotations: { "Upper.Example.com/X": "x".repeat(annotationsBytesMax - 19) },
    finalizers: ["kubernetes", "orphan", "example.com/a"],
    managedFields: [{ operation: "Update", manager: "m".repeat(128), subresource: "s".repeat(256), fieldsType: "FieldsV1" }],
  };
  assert.deepEqual(validateObjectMeta(fine, rules), []);
});

test("validateObjectMeta() counts the bytes of annotations, not their characters", () => {
  const annotations = (bytes: number) => ({ ...good, annotations: { a: "é".repeat((bytes - 2) / 2) + "x" } });
  assert.deepEqual(validateObjectMeta(annotations(annotationsBytesMax), rules), []);
  assert.deepEqual(texts(validateObjectMeta(annotations(annotationsBytesMax + 2), rules)), [
    "metadata.annotations: Too long: may not be more than 262144 bytes",
  ]);
});

test("validateObjectMeta() reports labels, annotations, owners and finalizers in this order", () => {
  const errors = validateObjectMeta({
    ...good,
    labels: { "a/b/c": "not ok" },
    annotations: { "Upper.Example.com/X": "y", "-bad": "z" },
    finalizers: ["bare", "foregroundDeletion", "orphan"],
    ownerReferences: [
      { apiVersion: "v1", kind: "Event", name: "e", uid: "u" },
      { apiVersion: "", kind: "K", name: "a", uid: "u1", controller: true },
      { apiVersion: "v1", kind: "K", name: "b", uid: "u2", controller: true },
    ],
  }, rules);
  assert.deepEqual(brief(errors), [
    "metadata.labels Invalid",
    "metadata.labels Invalid",
    "metadata.annotations Invalid",
    "metadata.ownerReferences Invalid",
    "metadata.ownerReferences.apiVersion Invalid",
    "metadata.ownerReferences Invalid",
    "metadata.finalizers Invalid",
    "metadata.finalizers[0] Invalid",
  ]);
  assert.equal(errors[3]!.detail, "/v1, Kind=Event is disallowed from being an owner");
  assert.equal(errors[5]!.detail, 'Only one reference can have Controller set to true. Found "true" in references for K/a and K/b');
  assert.equal(errors[6]!.detail, "finalizer orphan and foregroundDeletion cannot be both set");
});

test("validateObjectMeta() accepts an Event of another group as owner, and uses the configured platform finalizer", () => {
  const owned = { ...good, ownerReferences: [{ apiVersion: "events.k8s.io/v1", kind: "Event", name: "e", uid: "u" }] };
  assert.deepEqual(validateObjectMeta(owned, rules), []);
  const ours = { ...rules, names: { ...defaultNames, platform: "thole" } };
  assert.deepEqual(validateObjectMeta({ ...good, finalizers: ["thole"] }, ours), []);
  assert.deepEqual(brief(validateObjectMeta({ ...good, finalizers: ["kubernetes"] }, ours)), ["metadata.finalizers[0] Invalid"]);
});

test("validateObjectMeta() validates generateName as a prefix before the name, also if both are set", () => {
  assert.deepEqual(brief(validateObjectMeta({ ...good, generateName: "Not_Fine", name: "Bad" }, rules)), [
    "metadata.generateName Invalid",
    "metadata.name Invalid",
  ]);
});

test("validateObjectMeta() rejects a namespace of a cluster-scoped object and a namespace that is not a label", () => {
  assert.deepEqual(texts(validateObjectMeta(good, { ...rules, namespaced: false })), [
    "metadata.namespace: Forbidden: not allowed on this type",
  ]);
  assert.deepEqual(brief(validateObjectMeta({ ...good, namespace: "a.b" }, rules)), ["metadata.namespace Invalid"]);
});

test("storedNameRules() accepts any name that is a path segment", () => {
  assert.deepEqual(validateObjectMeta({ ...good, name: "Any:Name", finalizers: ["bare"] }, storedNameRules("Namespaced")), []);
  assert.deepEqual(texts(validateObjectMeta({ ...good, name: "a%b" }, storedNameRules("Namespaced"))), [
    `metadata.name: Invalid value: "a%b": may not contain '%'`,
  ]);
});

test("validateObjectMetaUpdate() reports changed immutable fields in upstream's order", () => {
  const next = {
    name: "two",
    namespace: "other",
    uid: "v",
    creationTimestamp: "2024-01-02T03:04:06Z",
    deletionTimestamp: "2024-01-02T03:04:05Z",
    deletionGracePeriodSeconds: 0,
    generation: 1,
    labels: { "a b": "" },
  };
  assert.deepEqual(brief(validateObjectMetaUpdate(next, { ...good, generation: 2 })), [
    "metadata.generation Invalid",
    "metadata.name Invalid",
    "metadata.namespace Invalid",
    "metadata.uid Invalid",
    "metadata.creationTimestamp Invalid",
    "metadata.deletionTimestamp Invalid",
    "metadata.deletionGracePeriodSeconds Invalid",
    "metadata.labels Invalid",
  ]);
  assert.deepEqual(validateObjectMetaUpdate(good, good), []);
});

test("validateObjectMetaUpdate() accepts removed finalizers of an object under deletion and reports new ones, sorted", () => {
  const prior = { ...good, deletionTimestamp: "2024-01-02T03:04:05Z", finalizers: ["example.com/a", "example.com/b"] };
  assert.deepEqual(validateObjectMetaUpdate({ ...prior, finalizers: ["example.com/b"] }, prior), []);
  assert.deepEqual(texts(validateObjectMetaUpdate({ ...prior, finalizers: ["example.com/d", "example.com/b", "example.com/c"] }, prior)), [
    'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/c", "example.com/d"}',
  ]);
});

test("validateObjectMetaUpdate() checks standard finalizers only for kinds with `coreFinalizers`", () => {
  const next = { ...good, finalizers: ["nope"] };
  assert.deepEqual(validateObjectMetaUpdate(next, good), []);
  assert.deepEqual(brief(validateObjectMetaUpdate(next, good, "metadata", rules)), ["metadata.finalizers[0] Invalid"]);
});

test("validateObjectMeta() reads own keys only, such as __proto__", () => {
  const labels = JSON.parse('{"__proto__": "x y", "constructor": "ok"}') as Record<string, string>;
  assert.deepEqual(brief(validateObjectMeta({ ...good, labels }, rules)), ["metadata.labels Invalid", "metadata.labels Invalid"]);
});

test("validateObjectMeta() returns at most as many errors as a response shows", () => {
  const labels = Object.fromEntries(Array.from({ length: 300_000 }, (_, i) => [`-${i}`, "x"]));
  assert.equal(validateObjectMeta({ ...good, labels }, rules).length, fieldErrorsOfListMax);
  assert.equal(validateObjectMetaUpdate({ ...good, labels }, good).length, fieldErrorsOfListMax);
  const finalizers = Object.keys(labels);
  assert.ok(validateObjectMeta({ ...good, finalizers }, rules).length >= fieldErrorsOfListMax);
});
