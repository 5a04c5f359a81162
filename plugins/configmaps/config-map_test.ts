import assert from "node:assert/strict";
import { test } from "node:test";
import { type FieldError, fieldErrorText } from "../../core/field-error.ts";
import { defaultNames } from "../../core/names.ts";
import type { HookContext } from "../../core/hook-context.ts";
import { cellAt } from "../../core/test-cells.ts";
import { noMetric } from "../../core/test-context.ts";
import { configMaps } from "./mod.ts";
import { configBytesMax } from "./bounds.ts";

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
const metadata = { name: "one", namespace: "demo", uid: "u", creationTimestamp: "2024-01-02T03:04:05Z" };
const make = (rest: object) => ({ kind: "ConfigMap", apiVersion: "v1", metadata, ...rest });
const texts = (errors: readonly FieldError[] | undefined) => errors?.map(fieldErrorText);
const created = (rest: object) => texts(configMaps.create?.(make(rest), at));
const updated = (next: object, prior: object) => texts(configMaps.update?.(make(next), make(prior), at));

const keyText =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

test("each key of a ConfigMap is validated, and a key in both maps is reported in data", () => {
  assert.deepEqual(created({ data: { "-._a": "", ["k".repeat(253)]: "x" } }), []);
  assert.deepEqual(created({ data: { "a/b": "x" } }), [`data[a/b]: Invalid value: "a/b": ${keyText}`]);
  assert.deepEqual(created({ data: { "..a": "x" } }), [`data[..a]: Invalid value: "..a": must not start with '..'`]);
  assert.deepEqual(created({ binaryData: { "": "AA==" } }), [`binaryData[]: Invalid value: "": ${keyText}`]);
  assert.deepEqual(created({ data: { "k k": "text" }, binaryData: { "k k": "AA==" } }), [
    `data[k k]: Invalid value: "k k": ${keyText}`,
    'data[k k]: Invalid value: "k k": duplicate of key present in binaryData',
    `binaryData[k k]: Invalid value: "k k": ${keyText}`,
  ]);
  assert.deepEqual(created({ data: { constructor: "x" }, binaryData: {} }), []);
});

test("the values of a ConfigMap may have 1 MiB in total, without the keys", () => {
  const max = configBytesMax;
  assert.deepEqual(created({ data: { key: "é".repeat((max - 2) / 2) }, binaryData: { other: "AAA=" } }), []);
  assert.deepEqual(created({ data: { key: "x".repeat(max) }, binaryData: { other: "AA==" } }), [
    "[]: Too long: may not be more than 1048576 bytes",
  ]);
});

test("an immutable ConfigMap rejects changes of its flag and both maps in one error", () => {
  const frozen = { immutable: true, data: { a: "1" }, binaryData: { b: "AA==" } };
  const forbidden = "Forbidden: field is immutable when `immutable` is set";
  assert.deepEqual(updated(frozen, frozen), []);
  assert.deepEqual(updated({ data: { a: "2" }, binaryData: { b: "AQ==" } }, frozen), [
    `immutable: ${forbidden}`,
    `data: ${forbidden}`,
    `binaryData: ${forbidden}`,
  ]);
  assert.deepEqual(updated({ ...frozen, data: { a: "1", c: "3" } }, frozen), [`data: ${forbidden}`]);
  assert.deepEqual(updated({ immutable: true, data: { a: "1" } }, frozen), [`binaryData: ${forbidden}`]);
  assert.deepEqual(updated({ data: { a: "2" } }, { immutable: false, data: { a: "1" } }), []);
});

test("an immutable ConfigMap treats absent and empty data as equal, but not binaryData", () => {
  const bare = { immutable: true };
  assert.deepEqual(updated({ ...bare, data: {} }, bare), []);
  assert.equal(updated({ ...bare, binaryData: {} }, bare)?.length, 1);
});

test("an update of a ConfigMap reports metadata errors twice, including those of finalizers", () => {
  const bad = { metadata: { ...metadata, finalizers: ["bare"], labels: { "a b": "" } }, data: { "k k": "" } };
  const paths = configMaps.update?.(make(bad), make({}), at).map((error) => error.path);
  assert.deepEqual(paths, [
    "metadata.labels",
    "metadata.finalizers[0]",
    "metadata.labels",
    "metadata.finalizers[0]",
    "data[k k]",
  ]);
});

test("the Data column of ConfigMaps counts the keys of both maps", () => {
  const { columns = [] } = configMaps.served["v1"]!;
  const now = Date.parse("2024-01-02T03:05:05Z");
  assert.deepEqual(columns.map((column) => column.name), ["Name", "Data", "Age"]);
  assert.deepEqual(columns.map((column) => cellAt(column.cell(make({ data: { a: "1", b: "2" }, binaryData: { c: "AA==" } })), now)), [
    "one",
    3,
    "60s",
  ]);
  assert.deepEqual(columns.map((column) => cellAt(column.cell(make({})), now)), ["one", 0, "60s"]);
});
