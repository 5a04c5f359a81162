// Golden objects: one per kind and version of kube-apiserver with every field set, in JSON, YAML and protobuf. The values are our own. Each must
// decode to one object from all three and encode back to the same bytes. Files of kinds that are not served are not read.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { prettyJson } from "../../core/tree/json-text.ts";
import { readCbor } from "../../core/codec/cbor/read.ts";
import { readEnvelope, writeEnvelope } from "../../core/codec/protobuf.ts";
import { writeYaml } from "../../core/codec/yaml.ts";
import { cborReader } from "../../core/derive/cbor-read.ts";
import { cborWriter } from "../../core/derive/cbor-write.ts";
import { decoder } from "../../core/derive/decode.ts";
import { encoder } from "../../core/derive/encode.ts";
import { protobufReader, protobufWriter } from "../../core/derive/protobuf.ts";
import { defaultNames, spell } from "../../core/names.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import type { StructNode, Typed } from "../../core/schema.ts";
import { readJson } from "../../core/tree/json.ts";
import type { Read } from "../../core/tree/tree.ts";
import { readYaml } from "../../core/tree/yaml.ts";
import { jsonFromTree } from "../../core/tree/values.ts";
import { plugins } from "../../plugins/mod.ts";

/** Newest first: for a removed kind the files of the last release with it are used. */
const releases = ["v1.35", "v1.34"];

/** Served kinds that cannot be compared, each with its reason. */
const notCompared: Readonly<Record<string, string>> = {
  "core.v1.Pod": "its collection can only be read and is empty, so the schema has no status; core.v1.PodTemplate has all of its spec",
  "core.v1.Service": "its collection can only be read and is empty, so the schema has no status",
  "apiextensions.k8s.io.v1beta1.CustomResourceDefinition":
    "there are no files of this removed version; test/import/kube-apiserver_test.ts reads those that a kube-apiserver has stored",
  "kwok.x-k8s.io.v1alpha1.Stage": "it is a custom resource in upstream, and has no protobuf",
};

/** Kinds whose protobuf holds values that JSON and YAML cannot express, each with its reason. */
const protobufHoldsMore: Readonly<Record<string, string>> = {
  "apiextensions.k8s.io.v1.CustomResourceDefinition":
    "items and dependencies of its schema have both of their forms, of which JSON has one",
};

function fileOf(name: string): ((extension: string) => Uint8Array) | undefined {
  const release = releases.find((each) => existsSync(new URL(`${each}/${name}.json`, import.meta.url)));
  return release === undefined
    ? undefined
    : ((extension) => new Uint8Array(readFileSync(new URL(`${release}/${name}.${extension}`, import.meta.url))));
}

function decode(schema: Typed<ApiObject>, read: Read, reader: "json" | "yaml"): ApiObject {
  assert.ok(read.ok, read.ok ? "" : read.error);
  const report = { reader, findings: [] };
  const object = decoder(schema)(read.tree, report);
  assert.deepEqual([...report.findings, ...read.duplicates], []);
  return object;
}
/** The JSON with one space for each level, as the files have it. */
const indentedByOne = (json: string) => `${prettyJson(json).trimEnd().replace(/^ +/gm, (spaces) => " ".repeat(spaces.length / 2))}\n`;
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

const resources = plugins.flatMap((plugin) => plugin.resources ?? []);
/** Kinds that subresources alone read or answer, such as TokenRequest. The kind Status has no golden object. */
const ofSubresources = resources.flatMap(({ served }) => Object.values(served))
  .flatMap(({ subresources = {} }) => Object.values(subresources))
  .flatMap(({ view, create }) => [view, create?.request, create?.response])
  .flatMap((own) => own === undefined ? [] : [{ ...own, kind: own.schema.name, apiVersion: spell(defaultNames, own.groupVersion) }]);

const kinds = [
  ...resources.flatMap(({ kind, served }) =>
    Object.entries(served).map(([groupVersion, { schema }]) => ({ kind, apiVersion: spell(defaultNames, groupVersion), schema }))
  ),
  ...new Map(ofSubresources.map((each) => [`${each.apiVersion} ${each.kind}`, each])).values().filter(({ kind }) => kind !== "Status"),
].map(({ kind, apiVersion, schema }) => ({
  kind,
  apiVersion,
  name: `${(apiVersion.includes("/") ? apiVersion : `core/${apiVersion}`).replace("/", ".")}.${kind}`,
  schema: schema as Typed<ApiObject, StructNode>, // Schemas of served versions are made by object().
}));

for (const { kind, apiVersion, name, schema } of kinds) {
  test(`golden ${name} is one object in JSON, YAML and protobuf, and encodes to the same bytes`, {
    skip: Object.hasOwn(notCompared, name) ? notCompared[name]! : false,
  }, () => {
    const file = fileOf(name);
    assert.ok(file, `test/golden has no files for ${name}`);
    const object = decode(schema, readJson(file("json")), "json");
    assert.deepEqual([object.kind, object.apiVersion], [kind, apiVersion]);
    assert.deepEqual(decode(schema, readYaml(file("yaml")), "yaml"), object);
    const envelope = readEnvelope(file("pb"));
    assert.deepEqual({ ...protobufReader(schema)(envelope.raw), kind: envelope.kind, apiVersion: envelope.apiVersion }, object);

    assert.equal(indentedByOne(encoder(schema)(object)), text(file("json")));
    const written = readJson(encoder(schema)(object));
    assert.ok(written.ok);
    assert.equal(writeYaml(jsonFromTree(written.tree)), text(file("yaml")));
    const protobuf = new Uint8Array(writeEnvelope(object, protobufWriter(schema)(object)));
    if (Object.hasOwn(protobufHoldsMore, name)) {
      assert.deepEqual(protobufReader(schema)(readEnvelope(protobuf).raw), protobufReader(schema)(envelope.raw));
    } else assert.deepEqual(protobuf, file("pb"));

    // There are no golden bytes of CBOR; the object must survive a round trip.
    const cbor = cborWriter(schema)(object).finish();
    const back = cborReader(schema)(readCbor(cbor), []);
    assert.deepEqual(back, object);
    assert.deepEqual(cborWriter(schema)(back).finish(), cbor);
  });
}

const served = new Set(kinds.map(({ name }) => name));
const notServed = releases.flatMap((release) => readdirSync(new URL(`${release}/`, import.meta.url)))
  .flatMap((file) => file.endsWith(".json") ? [file.slice(0, -".json".length)] : [])
  .filter((name) => !served.has(name));

/** Kinds of 1.35 that no path of a kube-apiserver 1.35 reads or answers: bodies to webhooks, and objects of programs beside the server. */
const withoutPath = [
  "admission.k8s.io.v1.AdmissionReview",
  "apiextensions.k8s.io.v1.ConversionReview",
  "core.v1.PodStatusResult",
  "core.v1.RangeAllocation",
  "core.v1.SerializedReference",
];
/** Versions that no kube-apiserver 1.35 serves, with their kinds: with every version and gate on, its discovery has none of them. */
const oldVersions: Readonly<Record<string, string>> = {
  "admissionregistration.k8s.io.v1alpha1": "ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding",
  "admissionregistration.k8s.io.v1beta1":
    "MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding ValidatingWebhookConfiguration",
  "apps.v1beta1": "ControllerRevision Deployment DeploymentRollback Scale StatefulSet",
  "apps.v1beta2": "ControllerRevision DaemonSet Deployment ReplicaSet Scale StatefulSet",
  "authentication.k8s.io.v1alpha1": "SelfSubjectReview",
  "authentication.k8s.io.v1beta1": "SelfSubjectReview TokenReview",
  "authorization.k8s.io.v1beta1": "LocalSubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview",
  "autoscaling.v2beta1": "HorizontalPodAutoscaler",
  "autoscaling.v2beta2": "HorizontalPodAutoscaler",
  "batch.v1beta1": "CronJob",
  "certificates.k8s.io.v1beta1": "CertificateSigningRequest",
  "discovery.k8s.io.v1beta1": "EndpointSlice",
  "events.k8s.io.v1beta1": "Event",
  "extensions.v1beta1": "DaemonSet Deployment DeploymentRollback Ingress NetworkPolicy ReplicaSet Scale",
  "flowcontrol.apiserver.k8s.io.v1beta1": "FlowSchema PriorityLevelConfiguration",
  "flowcontrol.apiserver.k8s.io.v1beta2": "FlowSchema PriorityLevelConfiguration",
  "flowcontrol.apiserver.k8s.io.v1beta3": "FlowSchema PriorityLevelConfiguration",
  "networking.k8s.io.v1beta1": "Ingress IngressClass",
  "node.k8s.io.v1alpha1": "RuntimeClass",
  "node.k8s.io.v1beta1": "RuntimeClass",
  "policy.v1beta1": "Eviction PodDisruptionBudget",
  "rbac.authorization.k8s.io.v1alpha1": "ClusterRole ClusterRoleBinding Role RoleBinding",
  "rbac.authorization.k8s.io.v1beta1": "ClusterRole ClusterRoleBinding Role RoleBinding",
  "scheduling.k8s.io.v1alpha1": "PriorityClass",
  "scheduling.k8s.io.v1beta1": "PriorityClass",
  "storage.k8s.io.v1alpha1": "CSIStorageCapacity VolumeAttachment VolumeAttributesClass",
  "storage.k8s.io.v1beta1": "CSIDriver CSINode StorageClass VolumeAttachment",
};

test("every golden kind is served, or has a reason why it is not", () => {
  const old = Object.entries(oldVersions).flatMap(([version, names]) => names.split(" ").map((kind) => `${version}.${kind}`));
  assert.deepEqual(notServed.toSorted(), [...withoutPath, ...old].toSorted());
});

test("the reasons for what is not compared belong to served kinds", () => {
  assert.deepEqual([...Object.keys(notCompared), ...Object.keys(protobufHoldsMore)].filter((name) => !served.has(name)), []);
});
