import assert from "node:assert/strict";
import { test } from "node:test";
import { type FieldError, fieldErrorText } from "../../core/field-error.ts";
import { defaultNames } from "../../core/names.ts";
import type { HookContext } from "../../core/plugin.ts";
import { storageVersionMigrations as migrations } from "./mod.ts";

const beta = "storagemigration.k8s.io/v1beta1", alpha = "storagemigration.k8s.io/v1alpha1";
const at = (requestVersion: string): HookContext => ({
  names: defaultNames,
  gates: () => true,
  now: "2024-01-02T03:04:05Z",
  subresource: "",
  requestVersion,
});
const metadata = { name: "one", uid: "u", creationTimestamp: "2024-01-02T03:04:05Z" };
const texts = (errors: readonly FieldError[] | undefined) => errors?.map(fieldErrorText);
// Objects are written as clients do; their types say more than each test needs.
const make = (rest: object, apiVersion = beta): any => ({
  kind: "StorageVersionMigration",
  apiVersion,
  metadata,
  spec: { resource: { group: "", resource: "things" } },
  status: {},
  ...rest,
});
const { convert } = migrations.served["storagemigration.{domain}/v1alpha1"]!;
const { status } = migrations.served["storagemigration.{domain}/v1beta1"]!.subresources!;
const condition = (type: string, value: string) => ({
  type,
  status: value,
  lastTransitionTime: "2024-01-02T03:04:05Z",
  reason: "R",
  message: "",
});

test("what v1alpha1 says survives the stored form, and is not shown as annotations", () => {
  const shown = make({
    metadata: { ...metadata, annotations: { mine: "x" } },
    spec: { resource: { group: "example.com", version: "v1", resource: "things" }, continueToken: "token" },
    status: {
      conditions: [{ type: "Running", status: "True", lastUpdateTime: "2024-01-02T03:04:05Z", reason: "R", message: "m" }],
      resourceVersion: "7",
    },
  }, alpha);
  const stored = convert!.toStored(shown);
  assert.deepEqual(stored.spec, { resource: { group: "example.com", resource: "things" } });
  assert.deepEqual(stored.metadata.annotations, {
    mine: "x",
    "storagemigration.k8s.io/v1alpha1-version": "v1",
    "storagemigration.k8s.io/v1alpha1-continue-token": "token",
  });
  assert.deepEqual(stored.status.conditions, [{ ...condition("Running", "True"), message: "m" }]);
  assert.deepEqual(convert!.fromStored(stored), shown);
});

test("a migration of v1beta1 is shown in v1alpha1 without a version, and comes back as it was", () => {
  const stored = make({ status: { conditions: [condition("Running", "True")] } }, alpha);
  assert.deepEqual(convert!.fromStored(stored).spec, { resource: { resource: "things" } });
  assert.deepEqual(convert!.toStored(convert!.fromStored(stored)), stored);
});

test("a client of v1beta1 that leaves the annotations out does not lose what v1alpha1 said", () => {
  const prior = make({ metadata: { ...metadata, annotations: { "storagemigration.k8s.io/v1alpha1-version": "v1" } } });
  assert.deepEqual(migrations.prepare?.(make({}), prior, at(beta)), prior);
});

test("a migration begins without a status", () => {
  const sent = make({ status: { resourceVersion: "7" } });
  assert.deepEqual(migrations.prepare?.(sent, undefined, at(beta)).status, {});
  assert.deepEqual(migrations.prepare?.(make({}), sent, at(beta)).status, { resourceVersion: "7" });
});

test("the spec of a migration does not change, in each version in its own words", () => {
  const other = make({ spec: { resource: { group: "example.com", resource: "others" } } });
  assert.deepEqual(migrations.update?.(other, make({}), at(beta)).map(({ path }) => path), ["spec"]);
  const versioned = (version: string) => ({ ...metadata, annotations: { "storagemigration.k8s.io/v1alpha1-version": version } });
  const found = migrations.update?.({ ...other, metadata: versioned("v2") }, make({ metadata: versioned("v1") }), at(alpha));
  assert.deepEqual(found?.map(({ path }) => path), ["group", "version", "resource"]);
  assert.deepEqual(texts(migrations.create?.(make({}), at(alpha))), [
    "spec.resource.version: Required value: version is required to be set",
  ]);
});

test("all that is wrong with the name of a resource is told as one", () => {
  const found = migrations.create?.(make({ spec: { resource: { group: "", resource: `${"a".repeat(63)}_` } } }), at(beta)) ?? [];
  assert.deepEqual(found.map(({ path, detail }) => [path, detail.slice(0, 56)]), [
    ["spec.resource.resource", "must be no more than 63 characters,a DNS-1035 label must"],
  ]);
});

test("the version in the status is a number that is set once", () => {
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

test("a migration ends once, in one way, and does not run after that", () => {
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

test("the table of migrations shows the resource and the last condition that is true", () => {
  const { columns = [] } = migrations.served["storagemigration.{domain}/v1beta1"]!;
  const cells = (object: any) => columns.map((column) => column.cell(object, 0));
  assert.deepEqual(cells(make({})), ["one", "things", "Unknown"]);
  const conditions = [condition("Running", "False"), condition("Succeeded", "True"), condition("Odd", "True")];
  assert.deepEqual(cells(make({ spec: { resource: { group: "g", resource: "r" } }, status: { conditions } })), ["one", "r.g", "Succeeded"]);
});
