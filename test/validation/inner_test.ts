// Rules that no client can violate, because an earlier step prevents it: tested by direct calls.
// In Deno's suite only: rules of kinds use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FieldError, FieldErrorType } from "../../core/field-error.ts";
import { defaultNames } from "../../core/names.ts";
import { metaRulesOf, validateObjectMeta, validateObjectMetaUpdate } from "../../core/meta/validate-object-meta.ts";
import type { ObjectMeta } from "../../core/meta/object-meta.ts";
import type { Resource } from "../../core/plugin.ts";
import type { HookContext } from "../../core/hook-context.ts";
import { noMetric } from "../../core/test-context.ts";
import { plugins } from "../../plugins/mod.ts";
import { tables } from "./tables.ts";

const at: HookContext = {
  names: defaultNames,
  gates: () => true,
  now: "2024-01-02T03:04:05Z",
  subresource: "",
  requestVersion: "v1",
  minCompatibility: "1.34",
  caller: { name: "alice", groups: [] },
  metric: noMetric,
};
const meta: ObjectMeta = { name: "a", namespace: "default", uid: "u", creationTimestamp: at.now, generation: 2 };
type Scope = Resource["scope"];

function ofMeta(change: object, scope: Scope = "Namespaced"): readonly FieldError[] {
  return validateObjectMeta({ ...meta, ...change }, metaRulesOf({ scope }, defaultNames));
}
const ofChange = (change: object) => validateObjectMetaUpdate({ ...meta, ...change }, meta);

function resourceOf(kind: string): Resource {
  const resource = plugins.flatMap((plugin) => plugin.resources ?? []).find((each) => each.kind === kind);
  assert.ok(resource);
  return resource;
}
/** A kind's own rules of creation, for an object without defaults. */
function created(kind: string, rest: object, requestVersion = "v1"): readonly FieldError[] {
  const resource = resourceOf(kind);
  assert.ok(resource.create);
  return resource.create({ metadata: meta, ...rest }, { ...at, requestVersion });
}
const event = { involvedObject: {}, source: {}, reportingComponent: "", reportingInstance: "" };
const badNamespace = { ...event, metadata: { ...meta, namespace: "A b" } };
const pod = { metadata: {}, spec: { containers: [], volumes: [{ name: "a" }] } };

function claimStatus(): readonly FieldError[] {
  const { update } = resourceOf("PersistentVolumeClaim").served["v1"]?.subresources?.["status"] ?? {};
  assert.ok(update);
  const claim = { metadata: meta, spec: { resources: {} }, status: {} };
  return update(claim, claim, at);
}

type Proof = readonly [type: FieldErrorType, path: string, errors: () => readonly FieldError[]];
const driver = (path: string): Proof => ["Required", path, () => created("CSIDriver", { spec: {} })];

/** By kind, field and text of the rule. */
const proofs: Readonly<Record<string, Proof>> = {
  "objectMeta metadata.namespace: namespaced kind: non-empty": ["Required", "metadata.namespace", () => ofMeta({ namespace: "" })],
  "objectMeta metadata.namespace: namespaced kind: dns1123Label": ["Invalid", "metadata.namespace", () => ofMeta({ namespace: "a.b" })],
  "objectMeta metadata.namespace: cluster kind: must be empty (store clears it before validation, error only reachable inside)": [
    "Forbidden",
    "metadata.namespace",
    () => ofMeta({}, "Cluster"),
  ],
  "objectMeta metadata.managedFields[i].operation: Apply or Update": [
    "Invalid",
    "metadata.managedFields[0].operation",
    () => ofMeta({ managedFields: [{ operation: "Write" }] }),
  ],
  "objectMeta metadata.managedFields[i].fieldsType: empty or FieldsV1": [
    "Invalid",
    "metadata.managedFields[0].fieldsType",
    () => ofMeta({ managedFields: [{ operation: "Apply", fieldsType: "FieldsV2" }] }),
  ],
  "objectMeta metadata.generation: not decremented": ["Invalid", "metadata.generation", () => ofChange({ generation: 1 })],
  "objectMeta metadata.name: immutable": ["Invalid", "metadata.name", () => ofChange({ name: "b" })],
  "objectMeta metadata.namespace: immutable": ["Invalid", "metadata.namespace", () => ofChange({ namespace: "b" })],
  "objectMeta metadata.uid: immutable (empty filled from old first)": ["Invalid", "metadata.uid", () => ofChange({ uid: "v" })],
  "objectMeta metadata.creationTimestamp: immutable (old value copied first)": [
    "Invalid",
    "metadata.creationTimestamp",
    () => ofChange({ creationTimestamp: "2024-01-02T03:04:06Z" }),
  ],
  "v1/Event namespace: dns1123Subdomain": ["Invalid", "namespace", () => created("Event", badNamespace)],
  "events.k8s.io/v1/Event namespace: dns1123Subdomain": [
    "Invalid",
    "namespace",
    () => created("Event", badNamespace, "events.k8s.io/v1"),
  ],
  "storage.k8s.io/v1/CSIDriver spec.attachedRequired: attachRequired non-nil (misspelt path)": driver("spec.attachedRequired"),
  "storage.k8s.io/v1/CSIDriver spec.podInfoOnMount: non-nil": driver("spec.podInfoOnMount"),
  "storage.k8s.io/v1/CSIDriver spec.storageCapacity: non-nil": driver("spec.storageCapacity"),
  "storage.k8s.io/v1/CSIDriver spec.seLinuxMount: non-nil (gate SELinuxMountReadWriteOncePod on)": driver("spec.seLinuxMount"),
  "storage.k8s.io/v1/StorageClass volumeBindingMode: non-nil": [
    "Required",
    "volumeBindingMode",
    () => created("StorageClass", { provisioner: "a" }),
  ],
  "v1/PersistentVolumeClaim Spec.accessModes: non-empty": ["Required", "Spec.accessModes", claimStatus],
  "v1/Volume (embedded) volumes[i]: no source": [
    "Required",
    "template.spec.volumes[0]",
    () => created("PodTemplate", { template: pod }),
  ],
};

/** Rules without a check, because their violation is impossible. */
const settledBefore: readonly string[] = [
  "authentication.k8s.io/v1/TokenReview namespace: not allowed",
  "authentication.k8s.io/v1/TokenReview spec.token: non-empty",
  "authorization.k8s.io/v1/SelfSubjectRulesReview spec.namespace: non-empty",
  "objectMeta metadata.resourceVersion: non-empty on update validation",
  "v1/PersistentVolumeClaim resourceVersion: non-empty",
  "v1/PersistentVolume resourceVersion: non-empty",
  "v1/Volume (embedded) persistentVolumeClaim.claimName: not the claim generated for an ephemeral volume of same pod",
  "v1/Volume (embedded) name: <pod>-<volume> must be dns1123Subdomain for ephemeral",
  "v1/Volume (embedded) image.reference: non-empty for pods (not for templates)",
];

/** Rules of upstream that are left out on purpose (`docs/differences.md`); `test/migration/alpha_test.ts` has the opposite. */
const leftOut: readonly string[] = [
  "storagemigration.k8s.io/v1alpha1/StorageVersionMigration status.conditions[i].lastTransitionTime: lastUpdateTime set (path quirk)",
];

for (const [name, [type, path, errors]] of Object.entries(proofs)) {
  test(`${name} (direct call)`, () => {
    const found = errors();
    assert.ok(found.some((each) => each.type === type && each.path === path), JSON.stringify(found));
  });
}

test("every rule that no request can violate is tested by a direct call, cannot be violated, or is left out on purpose", () => {
  const excepted = tables.flatMap(({ kind, rules }) =>
    rules.filter(({ except }) => except.all !== undefined).map(({ field, words }) => `${kind} ${field}: ${words}`)
  );
  assert.deepEqual([...Object.keys(proofs), ...settledBefore, ...leftOut].sort(), excepted.sort());
});
