import assert from "node:assert/strict";
import { test } from "node:test";
import { type FieldError, fieldErrorText } from "../../core/field-error.ts";
import { defaultNames } from "../../core/names.ts";
import type { HookContext } from "../../core/hook-context.ts";
import { cellAt } from "../../core/test-cells.ts";
import { noMetric } from "../../core/test-context.ts";
import { leases } from "./lease.ts";

const groupVersion = "coordination.{domain}/v1";
const at: HookContext = {
  names: defaultNames,
  gates: () => true,
  now: "2024-01-02T03:04:05Z",
  subresource: "",
  requestVersion: groupVersion,
  minCompatibility: "1.34",
  caller: { name: "alice", groups: [] },
  metric: noMetric,
};
const metadata = { name: "one", namespace: "demo", uid: "u", creationTimestamp: "2024-01-02T03:04:05Z" };
const make = (spec: object) => ({ kind: "Lease", apiVersion: "coordination.k8s.io/v1", metadata, spec });
const texts = (errors: readonly FieldError[] | undefined) => errors?.map(fieldErrorText);
const created = (spec: object) => texts(leases.create?.(make(spec), at));

test("the spec of a Lease may be empty; its duration is positive and its transitions are not negative", () => {
  assert.deepEqual(created({}), []);
  assert.deepEqual(created({ leaseDurationSeconds: 1, leaseTransitions: 0, holderIdentity: "" }), []);
  assert.deepEqual(created({ leaseDurationSeconds: 0, leaseTransitions: -1 }), [
    "spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0",
    "spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0",
  ]);
});

test("the strategy of a Lease is a known name or has a domain, and preferredHolder requires a strategy", () => {
  assert.deepEqual(created({ strategy: "OldestEmulationVersion", preferredHolder: "me" }), []);
  assert.deepEqual(created({ strategy: "example.com/mine" }), []);
  assert.deepEqual(created({ strategy: "Mine" }), [
    'spec.strategy.strategy: Unsupported value: "Mine": supported values: "OldestEmulationVersion"',
  ]);
  assert.deepEqual(created({ strategy: "/mine" }), ['spec.strategy.strategy: Invalid value: "/mine": prefix part must be non-empty']);
  assert.deepEqual(created({ preferredHolder: "me" }), ["spec.preferredHolder: Forbidden: may only be specified if `strategy` is defined"]);
  assert.deepEqual(created({ preferredHolder: "" }), []);
});

test("an update of a Lease validates metadata, then the spec like a create", () => {
  const next = { ...make({ leaseDurationSeconds: -15 }), metadata: { ...metadata, labels: { "a b": "" }, finalizers: ["bare"] } };
  assert.deepEqual(leases.update?.(next, make({}), at).map((error) => error.path), ["metadata.labels", "spec.leaseDurationSeconds"]);
});

test("the Holder column of Leases is empty without a holder", () => {
  const { columns = [] } = leases.served[groupVersion]!;
  const now = Date.parse("2024-01-02T03:05:05Z");
  assert.deepEqual(columns.map((column) => cellAt(column.cell(make({ holderIdentity: "me" })), now)), ["one", "me", "60s"]);
  assert.deepEqual(columns.map((column) => cellAt(column.cell(make({})), now)), ["one", "", "60s"]);
});
