import assert from "node:assert/strict";
import { test } from "node:test";
import { type FieldError, fieldErrorText } from "../../core/field-error.ts";
import { defaultNames } from "../../core/names.ts";
import type { HookContext } from "../../core/hook-context.ts";
import { cellAt } from "../../core/test-cells.ts";
import { noMetric } from "../../core/test-context.ts";
import { namespaces } from "./namespace.ts";
import { clusterPlugin } from "./mod.ts";

const at: HookContext = {
  names: defaultNames,
  gates: () => false,
  now: "2024-01-02T03:04:05Z",
  subresource: "",
  requestVersion: "v1",
  minCompatibility: "1.34",
  caller: { name: "alice", groups: [] },
  metric: noMetric,
};
const labels = { "kubernetes.io/metadata.name": "one" };
const metadata = { name: "one", uid: "u", creationTimestamp: "2024-01-02T03:04:05Z", labels };
const make = (rest: object = {}) => ({ kind: "Namespace", apiVersion: "v1", metadata, spec: {}, status: {}, ...rest });
const active = make({ spec: { finalizers: ["kubernetes"] }, status: { phase: "Active" } });
const texts = (errors: readonly FieldError[] | undefined) => errors?.map(fieldErrorText);
const served = namespaces.served["v1"]!;
const { status, finalize } = served.subresources!;

test("prepare() sets a new namespace to Active and appends the platform's finalizer", () => {
  const made = (spec: object) => namespaces.prepare?.(make({ spec, status: { phase: "Terminating", conditions: [] } }), undefined, at);
  assert.deepEqual(made({}), active);
  assert.deepEqual(made({ finalizers: ["example.com/a", "orphan"] })?.spec, { finalizers: ["example.com/a", "orphan", "kubernetes"] });
  assert.deepEqual(made({ finalizers: ["kubernetes", "example.com/a"] })?.spec, { finalizers: ["kubernetes", "example.com/a"] });
});

test("the server sets the name label of a namespace in every write", () => {
  const other = { ...metadata, labels: { a: "b", "kubernetes.io/metadata.name": "other" } };
  const right = { a: "b", "kubernetes.io/metadata.name": "one" };
  const bare = make({ metadata: { ...metadata, labels: undefined } });
  assert.deepEqual(namespaces.prepare?.(make({ metadata: other }), active, at).metadata.labels, right);
  for (const { write } of [status!, finalize!]) assert.deepEqual(write!(make({ metadata: other }), active, at).metadata.labels, right);
  assert.deepEqual(served.applyDefaults?.(bare, defaultNames).metadata.labels, labels);
  assert.equal(served.applyDefaults?.(active, defaultNames), active);
  const unnamed = make({ metadata: { generateName: "one-" } });
  assert.equal(served.applyDefaults?.(unnamed, defaultNames), unnamed);
  assert.deepEqual(served.applyDefaults?.(make({ metadata: { name: "one" } }), { domain: "d", platform: "thole" }).metadata.labels, {
    "thole.io/metadata.name": "one",
  });
});

test("an update of a namespace keeps the stored spec and status", () => {
  const next = make({ spec: { finalizers: ["plain"] }, status: { phase: "Terminating" } });
  assert.deepEqual(namespaces.prepare?.(next, active, at), active);
});

test("status keeps the spec, finalize keeps the status, and finalize supports update only", () => {
  const next = make({ spec: { finalizers: [] }, status: { phase: "Terminating" } });
  assert.deepEqual(status!.write!(next, active, at), make({ spec: active.spec, status: next.status }));
  assert.deepEqual(finalize!.write!(next, active, at), make({ spec: next.spec, status: active.status }));
  assert.deepEqual(finalize!.verbs, ["update"]);
});

const unqualified = "name is neither a standard finalizer name nor is it fully qualified";

test("finalizers of a namespace are standard or qualified names; the path has an index in finalize only", () => {
  const next = make({ spec: { finalizers: ["plain", "kubernetes", "orphan", "example.com/a", "/x"] } });
  const wrong = (path: (i: number) => string) => [
    `${path(0)}: Invalid value: "plain": ${unqualified}`,
    `${path(4)}: Invalid value: "/x": prefix part must be non-empty`,
  ];
  assert.deepEqual(texts(namespaces.create?.(next, at)), wrong(() => "spec.finalizers"));
  assert.deepEqual(texts(finalize!.update?.(next, active, at)), wrong((i) => `spec.finalizers[${i}]`));
  assert.deepEqual(namespaces.create?.(active, at), []);
});

test("the phase of a namespace must match its deletionTimestamp", () => {
  const pending = { ...metadata, deletionTimestamp: "2024-01-02T03:04:06Z" };
  const problem = (meta: object, phase: string) =>
    texts(status!.update?.(make({ metadata: meta, status: { phase } }), make({ metadata: meta }), at));
  assert.deepEqual(problem(metadata, "Active"), []);
  assert.deepEqual(problem(pending, "Terminating"), []);
  assert.deepEqual(problem(metadata, "Terminating"), [
    "status.Phase: Invalid value: \"Terminating\": may only be 'Active' if `deletionTimestamp` is empty",
  ]);
  assert.deepEqual(problem(pending, "Active"), [
    "status.Phase: Invalid value: \"Active\": may only be 'Terminating' if `deletionTimestamp` is not empty",
  ]);
});

test("an update of a namespace reports metadata errors twice", () => {
  const broken = { ...active, metadata: { ...metadata, labels: { "a b": "" }, finalizers: ["bare"] } };
  assert.deepEqual(namespaces.update?.(broken, active, at).map((error) => error.path), [
    "metadata.labels",
    "metadata.finalizers[0]",
    "metadata.labels",
    "metadata.finalizers[0]",
  ]);
});

test("deletion sets a namespace to Terminating without grace period, and waits for the finalizers of its spec", () => {
  const deletion = namespaces.deletion!;
  const pending = { ...active, metadata: { ...metadata, deletionTimestamp: "2024-01-02T03:04:06Z", deletionGracePeriodSeconds: 0 } };
  const marked = deletion.begin(pending, at, active);
  assert.deepEqual(marked.status, { phase: "Terminating" });
  assert.deepEqual(marked.metadata, { ...metadata, deletionTimestamp: "2024-01-02T03:04:06Z" });
  assert.equal(deletion.holds(marked), true);
  assert.equal(deletion.holds(make({ spec: { finalizers: [] } })), false);
  assert.equal(deletion.holds(make()), false);
});

test("three namespaces cannot be deleted, and four are bootstrap objects", () => {
  const refuse = namespaces.deletion!.refuse!;
  for (const name of ["default", "kube-system", "kube-public"]) assert.equal(refuse(name), "this namespace may not be deleted");
  assert.equal(refuse("kube-node-lease"), undefined);
  const bootstrapObjects = clusterPlugin.bootstrapObjects?.filter(({ resource }) => resource === "namespaces").map(({ object }) => object);
  assert.deepEqual(bootstrapObjects, ["default", "kube-system", "kube-public", "kube-node-lease"].map((name) => ({ metadata: { name } })));
});

test("namespaces are selectable by phase, which defaults to Active", () => {
  assert.equal(served.selectableFields!["status.phase"]!(active), "Active");
  const { node } = served.schema.fields["status"]!;
  assert.ok(node.tag === "struct");
  assert.deepEqual(node.applyDefaults?.({}), { phase: "Active" });
  assert.deepEqual(served.columns!.map((column) => cellAt(column.cell(active), Date.parse("2024-01-02T03:05:05Z"))), [
    "one",
    "Active",
    "60s",
  ]);
});
