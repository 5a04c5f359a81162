// In Deno's suite only: rules of kinds use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { defaulter } from "../../core/derive/apply-defaults.ts";
import { fieldErrorText } from "../../core/field-error.ts";
import { replicationControllers } from "./replication-controller.ts";
import { at } from "./test-template.ts";

const metadata = {
  name: "one",
  namespace: "demo",
  uid: "u",
  resourceVersion: "1",
  generation: 1,
  creationTimestamp: "2024-01-02T03:04:05Z",
};
const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i", resources: {} }] } };
const make = (spec: object = {}, meta: object = {}): any =>
  // `any`: partial, as a client sends it
  defaulter(replicationControllers.served["v1"]!.schema)(
    { kind: "ReplicationController", apiVersion: "v1", metadata: { ...metadata, ...meta }, spec: { template, ...spec } } as any,
    () => true,
  );
const created = (spec: object) => replicationControllers.create!(make(spec), at).map(fieldErrorText);

test("a ReplicationController takes selector and labels from its template", () => {
  const { spec, metadata: { labels } } = make();
  assert.deepEqual([spec.selector, spec.replicas, labels], [{ a: "b" }, 1, { a: "b" }]);
  const own = make({ selector: { a: "b" } }, { labels: { x: "y" } });
  assert.deepEqual([own.spec.selector, own.metadata.labels], [{ a: "b" }, { x: "y" }]);
});

test("each field of a ReplicationController is checked", () => {
  assert.deepEqual(created({}), []);
  assert.deepEqual(created({ minReadySeconds: -1, replicas: -1 }), [
    "spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0",
    "spec.replicas: Invalid value: -1: must be greater than or equal to 0",
  ]);
  assert.deepEqual(created({ template: undefined }), ["spec.selector: Required value", "spec.template: Required value"]);
  assert.deepEqual(created({ selector: { a: "c" } }), [
    'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
  ]);
  assert.deepEqual(created({ template: { ...template, spec: { ...template.spec, restartPolicy: "Never", activeDeadlineSeconds: 1 } } }), [
    'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
    "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicationController is not Supported",
  ]);
});

test("a field that another version could not express does not change", () => {
  const annotated = (name: string, spec: object = {}) => make(spec, { annotations: { [`non-convertible.kubernetes.io/${name}`]: "x" } });
  const wider = { selector: { a: "b", c: "d" }, template: { ...template, metadata: { labels: { a: "b", c: "d" } } } };
  const errors = (next: any, prior: any) => replicationControllers.update!(next, prior, at).map(fieldErrorText);
  assert.deepEqual(errors(annotated("spec.selector", wider), annotated("spec.selector")), [
    'spec.selector: Invalid value: {"a":"b","c":"d"}: cannot update non-convertible selector',
  ]);
  assert.deepEqual(errors(annotated("spec.selector"), annotated("spec.selector")), []);
  assert.deepEqual(errors(annotated("odd"), annotated("odd")), ['odd: Not found: "x": unknown non-convertible field']);
});

test("labels that a status leaves out come back from the template", () => {
  const { status } = replicationControllers.served["v1"]!.subresources!, stored = make({}, { labels: { x: "y" } });
  const { labels: _, ...bare } = stored.metadata;
  assert.deepEqual(status!.write!({ ...stored, metadata: bare }, stored, at as never).metadata.labels, { a: "b" });
  assert.deepEqual(status!.write!(stored, stored, at as never).metadata.labels, { x: "y" });
});
