import assert from "node:assert/strict";
import { test } from "node:test";
import type { Column } from "../meta/columns.ts";
import type { ApiObject } from "../meta/object-meta.ts";
import { columnDefinition, defaultColumns, tableOf } from "./columns.ts";

const columns: readonly Column<ApiObject>[] = [
  { name: "Name", type: "string", format: "name", description: "d", cell: (object) => object.metadata.name ?? "" },
  { name: "Since", type: "number", description: "", priority: 1, cell: (_object, now) => now },
];
const object = { kind: "K", apiVersion: "v1", metadata: { name: "a", creationTimestamp: "2024-01-02T03:04:05Z" } };

test("tableOf() makes a row an object, keys in upstream's order", () => {
  const table = tableOf("meta.k8s.io/v1", { resourceVersion: "7" }, columns, [object], ({ metadata }) => metadata.name, 5);
  assert.equal(
    JSON.stringify(table),
    '{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"7"},"columnDefinitions":[' +
      '{"name":"Name","type":"string","format":"name","description":"d","priority":0},' +
      '{"name":"Since","type":"number","format":"","description":"","priority":1}],"rows":[{"cells":["a",5],"object":"a"}]}',
  );
});

test("tableOf() leaves the definitions out where a watch has sent them", () => {
  const { columnDefinitions, rows } = tableOf("meta.k8s.io/v1", {}, columns, [], () => null, 0, false);
  assert.deepEqual({ columnDefinitions, rows }, { columnDefinitions: null, rows: [] });
});

test("defaultColumns show the name and when it was created, not how long ago", () => {
  assert.deepEqual(defaultColumns.map((column) => columnDefinition(column)).map(({ name, type, format }) => [name, type, format]), [
    ["Name", "string", "name"],
    ["Created At", "date", ""],
  ]);
  assert.deepEqual(defaultColumns.map((column) => column.cell(object, 0)), ["a", "2024-01-02T03:04:05Z"]);
  assert.deepEqual(defaultColumns.map((column) => column.cell({ ...object, metadata: {} }, 0)), ["", "0001-01-01T00:00:00Z"]);
});
