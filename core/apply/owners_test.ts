import assert from "node:assert/strict";
import { test } from "node:test";
import type { ManagedFieldsEntry } from "../meta/object-meta.ts";
import { pathTexts, setOfPaths } from "./field-set.ts";
import { capOwners, type Owner, type Owners, ownersProblem, readOwners, updateManagersMax, writeOwners } from "./owners.ts";

const entry = (more: Partial<ManagedFieldsEntry>): ManagedFieldsEntry => ({
  manager: "m",
  operation: "Update",
  apiVersion: "v1",
  fieldsType: "FieldsV1",
  fieldsV1: { "f:data": {} },
  ...more,
});
function read(...entries: ManagedFieldsEntry[]): Owners {
  const owners = readOwners(entries);
  assert.ok(owners !== undefined);
  return owners;
}

test("writeOwners() sorts applies first, then by time, name, version and subresource", () => {
  const entries = [
    entry({ manager: "b", operation: "Apply", time: "2024-01-02T00:00:00Z" }),
    entry({ manager: "a", operation: "Apply" }),
    entry({ manager: "b" }),
    entry({ manager: "a", apiVersion: "v2" }),
    entry({ manager: "a", apiVersion: "v1", subresource: "status" }),
    entry({ manager: "a", apiVersion: "v1" }),
  ];
  const order = writeOwners(read(...entries))!.map(({ manager, operation, apiVersion, subresource = "" }) =>
    `${operation} ${manager} ${apiVersion} ${subresource}`
  );
  assert.deepEqual(order, ["Apply a v1 ", "Apply b v1 ", "Update a v1 ", "Update a v1 status", "Update a v2 ", "Update b v1 "]);
});

test("writeOwners() writes the entries that readOwners() read", () => {
  const entries = [entry({ operation: "Apply", time: "2024-01-02T00:00:00Z" }), entry({ subresource: "status" })];
  assert.deepEqual(writeOwners(read(...entries)), entries);
  assert.equal(writeOwners(read()), undefined);
});

test("writeOwners() keeps the entry of an owner that is the same, and writes the others anew", () => {
  const read1 = entry({ manager: "a" }), set = read(read1).values().next().value!.set;
  const written = (change: Partial<Owner>) => {
    const [[id, owner] = assert.fail()] = read(read1);
    return writeOwners(new Map([[id, { ...owner, ...change }]]))?.[0];
  };
  assert.equal(written({}), read1);
  assert.equal(written({ set }), read1);
  assert.deepEqual(written({ set: setOfPaths(["f:other"]) }), { ...read1, fieldsV1: { "f:other": {} } });
  assert.deepEqual(written({ apiVersion: "v2" }), { ...read1, apiVersion: "v2" });
  assert.deepEqual(written({ manager: "b" }), { ...read1, manager: "b" });
  assert.deepEqual(written({ operation: "Apply" }), { ...read1, operation: "Apply" });
  assert.deepEqual(written({ subresource: "status" }), { ...read1, subresource: "status" });
  assert.deepEqual(written({ time: "2024-01-02T00:00:00Z" }), { ...read1, time: "2024-01-02T00:00:00Z" });
});

test("writeOwners() writes a field set in its usual form, also if the entry has another", () => {
  assert.deepEqual(writeOwners(read(entry({ fieldsV1: { "f:data": { ".": {} } } }))), [entry({})]);
});

test("readOwners() returns undefined for invalid entries", () => {
  const { fieldsType: _type, ...untyped } = entry({});
  const { apiVersion: _version, ...unversioned } = entry({});
  for (
    const bad of [
      entry({ operation: "Patch" }),
      untyped,
      unversioned,
      entry({ fieldsType: "FieldsV2" }),
      entry({ fieldsV1: [] }),
      entry({ fieldsV1: { x: {} } }),
      {},
    ]
  ) {
    assert.equal(readOwners([entry({ manager: "good" }), bad]), undefined, JSON.stringify(bad));
  }
});

test("readOwners() merges the applies of a manager across versions", () => {
  assert.equal(read(entry({ operation: "Apply" }), entry({ operation: "Apply", apiVersion: "v2" })).size, 1);
  assert.equal(read(entry({}), entry({ apiVersion: "v2" })).size, 2);
});

const many = (count: number) =>
  Array.from(
    { length: count },
    (_, i) => entry({ manager: `m${i}`, time: `2024-01-01T00:00:${String(i).padStart(2, "0")}Z`, fieldsV1: { [`f:${i}`]: {} } }),
  );

test("capOwners() keeps ten updates and any number of applies", () => {
  const applies = Array.from({ length: 20 }, (_, i) => entry({ manager: `a${i}`, operation: "Apply" }));
  const owners = read(...many(updateManagersMax), ...applies);
  assert.equal(capOwners(owners), owners);
});

test("capOwners() merges the oldest updates under one name, with the latest time", () => {
  const owners = capOwners(read(...many(updateManagersMax + 2)));
  assert.equal(owners.size, updateManagersMax);
  const ancient = [...owners.values()].find(({ manager }) => manager === "ancient-changes")!;
  assert.deepEqual(pathTexts(ancient.set), [".0", ".1", ".2"]);
  assert.equal(ancient.time, "2024-01-01T00:00:02Z");
  assert.ok(![...owners.values()].some(({ manager }) => ["m0", "m1", "m2"].includes(manager)));
});

test("capOwners() respects its bound if the merged entry comes second, after a manager with an older entry", () => {
  const time = "2024-01-01T00:00:00Z";
  const entries = [entry({ manager: "agent", time }), entry({ manager: "ancient-changes", time }), ...many(updateManagersMax - 1)];
  const owners = capOwners(read(...entries));
  assert.equal(owners.size, updateManagersMax);
  const ancient = [...owners.values()].find(({ manager }) => manager === "ancient-changes")!;
  assert.deepEqual(pathTexts(ancient.set), [".0", ".data"]);
});

test("ownersProblem() names the first mistake of entries in upstream's words", () => {
  assert.equal(ownersProblem(undefined), undefined);
  assert.equal(ownersProblem([entry({}), entry({ manager: "n", operation: "Apply" })]), undefined);
  const { operation: _operation, ...nameless } = entry({});
  assert.equal(ownersProblem([nameless as ManagedFieldsEntry]), "operation must be `Apply` or `Update`");
  assert.equal(ownersProblem([entry({ apiVersion: "" })]), "apiVersion must not be empty");
  assert.equal(ownersProblem([entry({}), entry({ fieldsType: "" })]), "missing fieldsType in managed fields entry 1");
  assert.equal(ownersProblem([entry({ fieldsType: "V2" })]), 'invalid fieldsType "V2" in managed fields entry 0');
  assert.match(
    ownersProblem([entry({ fieldsV1: { x: {} } })])!,
    /^error decoding versioned set from the entry of "m": error decoding set: /,
  );
});
