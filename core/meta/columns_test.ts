import assert from "node:assert/strict";
import { test } from "node:test";
import { cellAt } from "../test-cells.ts";
import { age, ageColumn, createdAtColumn, defaultColumns, nameColumn } from "./columns.ts";

test("age() changes units at upstream's limits", () => {
  const minute = 60, hour = 3600, day = 24 * hour, year = 365 * day;
  const ages: readonly [number, string][] = [
    [-2, "<invalid>"],
    [-1.5, "0s"],
    [-1, "0s"],
    [0, "0s"],
    [119, "119s"],
    [119.9, "119s"],
    [2 * minute, "2m"],
    [2 * minute + 1, "2m1s"],
    [10 * minute - 1, "9m59s"],
    [10 * minute, "10m"],
    [3 * hour - 1, "179m"],
    [3 * hour, "3h"],
    [8 * hour - 1, "7h59m"],
    [8 * hour, "8h"],
    [2 * day - 1, "47h"],
    [2 * day, "2d"],
    [8 * day - 1, "7d23h"],
    [8 * day, "8d"],
    [2 * year - 1, "729d"],
    [2 * year, "2y"],
    [8 * year - 1, "7y364d"],
    [8 * year, "8y"],
    [30 * year, "30y"],
  ];
  const start = Date.parse("2024-01-02T03:04:05Z");
  for (const [seconds, text] of ages) assert.equal(cellAt(age("2024-01-02T03:04:05Z"), start + seconds * 1000), text, String(seconds));
});

test("age() is <unknown> without a time, and accepts microseconds", () => {
  assert.equal(age(null), "<unknown>");
  assert.equal(age(undefined), "<unknown>");
  assert.equal(cellAt(age("2024-01-02T03:04:05.000001Z"), Date.parse("2024-01-02T03:04:35Z")), "30s");
});

test("the common columns show name, age and time of creation", () => {
  const one = { kind: "Thing", apiVersion: "v1", metadata: { name: "one", creationTimestamp: "2024-01-02T03:04:05Z" } };
  const now = Date.parse("2024-01-02T03:05:05Z");
  assert.deepEqual([nameColumn, ageColumn, createdAtColumn].map((column) => cellAt(column.cell(one), now)), [
    "one",
    "60s",
    "2024-01-02T03:04:05Z",
  ]);
  assert.equal(createdAtColumn.cell({ ...one, metadata: {} }), "0001-01-01T00:00:00Z");
});

test("defaultColumns show the name and the time of creation", () => {
  const object = { kind: "K", apiVersion: "v1", metadata: { name: "a", creationTimestamp: "2024-01-02T03:04:05Z" } };
  assert.deepEqual(defaultColumns.map(({ name, type, format }) => [name, type, format]), [
    ["Name", "string", "name"],
    ["Created At", "date", undefined],
  ]);
  assert.deepEqual(defaultColumns.map((column) => column.cell(object)), ["a", "2024-01-02T03:04:05Z"]);
  assert.deepEqual(defaultColumns.map((column) => column.cell({ ...object, metadata: {} })), ["", "0001-01-01T00:00:00Z"]);
});
