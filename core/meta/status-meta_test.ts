import assert from "node:assert/strict";
import { test } from "node:test";
import type { ObjectMeta } from "./object-meta.ts";
import { metaOfStatus } from "./status-meta.ts";

test("metaOfStatus() keeps the stored labels, finalizers, owners and deletion, and takes the other fields from the request", () => {
  const prior: ObjectMeta = { name: "a", uid: "1", labels: { a: "b" }, generation: 3 };
  const managedFields = [{ manager: "m" }];
  const next: ObjectMeta = {
    name: "a",
    uid: "2",
    resourceVersion: "5",
    labels: { c: "d" },
    annotations: { e: "f" },
    finalizers: ["g/h"],
    ownerReferences: [],
    deletionTimestamp: "2024-01-01T00:00:00Z",
    generation: 4,
    managedFields,
  };
  assert.deepEqual(metaOfStatus(next, prior), {
    name: "a",
    uid: "2",
    resourceVersion: "5",
    labels: { a: "b" },
    generation: 3,
    managedFields,
  });
});
