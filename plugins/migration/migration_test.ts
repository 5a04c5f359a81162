import assert from "node:assert/strict";
import { test } from "node:test";
import { type FieldError, fieldErrorText } from "../../core/field-error.ts";
import { defaultNames } from "../../core/names.ts";
import type { HookContext } from "../../core/hook-context.ts";
import { noMetric } from "../../core/test-context.ts";
import { storageVersionMigrations as migrations } from "./mod.ts";

const beta = "storagemigration.k8s.io/v1beta1", alpha = "storagemigration.k8s.io/v1alpha1";
const at = (requestVersion: string): HookContext => ({
  names: defaultNames,
  gates: () => true,
  now: "2024-01-02T03:04:05Z",
  subresource: "",
  requestVersion,
  minCompatibility: "1.34",
  caller: { name: "alice", groups: [] },
  metric: noMetric,
});
const metadata = { name: "one", uid: "u", creationTimestamp: "2024-01-02T03:04:05Z" };
const texts = (errors: readonly FieldError[] | undefined) => errors?.map(fieldErrorText);
// `any`: tests build partial objects.
const make = (rest: object, apiVersion = beta): any => ({
  kind: "StorageVersionMigration",
  apiVersion,
  metadata,
  spec: { resource: { group: "", resource: "things" } },
  status: {},
  ...rest,
});
const { toStored, fromStored } = migrations.served["storagemigration.{domain}/v1alpha1"]!;
const { status } = migrations.served["storagemigration.{domain}/v1beta1"]!.subresources!;
const condition = (type: string, value: string) => ({
  type,
  status: value,
  lastTransitionTime: "2024-01-02T03:04:05Z",
  reason: "R",
  message: "",
});

test("the fields of v1alpha1 are kept in the stored form, and its annotations are not shown", () => {
  const shown = make({
    metadata: { ...metadata, annotations: { mine: "x" } },
    spec: { resource: { group: "example.com", version: "v1", resource: "things" }, continueToken: "token" },
    status: {
      conditions: [{ type: "Running", status: "True", lastUpdateTime: "2024-01-02T03:04:05Z", reason: "R", message: "m" }],
      resourceVersion: "7",
    },
  }, alpha);
  const stored = toStored!(shown);
  assert.deepEqual(stored.spec, { resource: { group: "example.com", resource: "things" } });
  assert.deepEqual(stored.metadata.annotations, {
    mine: "x",
    "storagemigration.k8s.io/v1alpha1-version": "v1",
    "storagemigration.k8s.io/v1alpha1-continue-token": "token",
  });
  assert.deepEqual(stored.status.conditions, [{ ...condition("Running", "True"), message: "m" }]);
  assert.deepEqual(fromStored!(stored), shown);
});

test("a migration of v1beta1 has no version in v1alpha1, and converts back unchanged", () => {
  const stored = make({ status: { conditions: [condition("Running", "True")] } }, alpha);
  assert.deepEqual(fromStored!(stored).spec, { resource: { resource: "things" } });
  assert.deepEqual(toStored!(fromStored!(stored)), stored);
});

test("an update in v1beta1 without the annotations keeps the fields of v1alpha1", () => {
  const prior = make({ metadata: { ...metadata, annotations: { "storagemigration.k8s.io/v1alpha1-version": "v1" } } });
  assert.deepEqual(migrations.prepare?.(make({}), prior, at(beta)), prior);
});

test("prepare() drops the status of a new migration", () => {
  const sent = make({ status: { resourceVersion: "7" } });
  assert.deepEqual(migrations.prepare?.(sent, undefined, at(beta)).status, {});
  assert.deepEqual(migrations.prepare?.(make({}), sent, at(beta)).status, { resourceVersion: "7" });
});

test("rule migration-spec: the spec of a migration is immutable; the errors depend on the version", () => {
  const other = make({ spec: { resource: { group: "example.com", resource: "others" } } });
  assert.deepEqual(migrations.update?.(other, make({}), at(beta)).map(({ path }) => path), ["spec"]);
  const versioned = (version: string) => ({ ...metadata, annotations: { "storagemigration.k8s.io/v1alpha1-version": version } });
  const found = migrations.update?.({ ...other, metadata: versioned("v2") }, make({ metadata: versioned("v1") }), at(alpha));
  assert.deepEqual(found?.map(({ path }) => path), ["group", "version", "resource"]);
  assert.deepEqual(texts(migrations.create?.(make({}), at(alpha))), [
    "spec.resource.version: Required value: version is required to be set",
  ]);
});

test("the errors of a resource name are joined into one", () => {
  const found = migrations.create?.(make({ spec: { resource: { group: "", resource: `${"a".repeat(63)}_` } } }), at(beta)) ?? [];
  assert.deepEqual(found.map(({ path, detail }) => [path, detail.slice(0, 56)]), [
    ["spec.resource.resource", "must be no more than 63 characters,a DNS-1035 label must"],
  ]);
});

test("rule migration-resource-version: status.resourceVersion is a number and can be set once", () => {
  const errors = (resourceVersion: string, prior = "", version = beta) =>
    texts(
      status!.update!(make({ status: { resourceVersion } }), make({ status: prior === "" ? {} : { resourceVersion: prior } }), at(version)),
    );
  assert.deepEqual(errors("18446744073709551615"), []);
  assert.deepEqual(errors("007"), ['status.resourceVersion: Invalid value: "007": resource version is not well formed: 007']);
  assert.deepEqual(errors("007", "", alpha), []);
  assert.deepEqual(errors("-1", "", alpha), [
    'status.resourceVersion: Invalid value: "-1": resource version should be a non-negative integer',
  ]);
  assert.equal(errors("9223372036854775808", "", alpha)?.length, 1);
  assert.deepEqual(errors("8", "7"), ['status.resourceVersion: Invalid value: "8": field is immutable']);
  assert.deepEqual(errors("", "7"), ['status.resourceVersion: Invalid value: "": field is immutable']);
});

test("rule migration-conditions: the conditions Succeeded, Failed and Running exclude each other, and the final ones stay true", () => {
  const errors = (now: readonly object[], before: readonly object[] = []) =>
    status!.update!(make({ status: { conditions: now } }), make({ status: { conditions: before } }), at(beta)).map(({ detail }) => detail);
  const [succeeded, failed, running] = ["Succeeded", "Failed", "Running"].map((type) => condition(type, "True")) as [
    object,
    object,
    object,
  ];
  assert.deepEqual(errors([succeeded, condition("Running", "False")]), []);
  assert.equal(errors([succeeded, failed, running]).length, 3);
  assert.deepEqual(errors([], [succeeded]), ["Success condition cannot be set to false once it is true"]);
  assert.deepEqual(errors([condition("Failed", "False")], [failed]), ["Failed condition cannot be set to false once it is true"]);
});

test("the table of migrations shows the resource and the last true condition", () => {
  const { columns = [] } = migrations.served["storagemigration.{domain}/v1beta1"]!;
  const cells = (object: any) => columns.map((column) => column.cell(object));
  assert.deepEqual(cells(make({})), ["one", "things", "Unknown"]);
  const conditions = [condition("Running", "False"), condition("Succeeded", "True"), condition("Odd", "True")];
  assert.deepEqual(cells(make({ spec: { resource: { group: "g", resource: "r" } }, status: { conditions } })), ["one", "r.g", "Succeeded"]);
});
