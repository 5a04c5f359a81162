import assert from "node:assert/strict";
import { test } from "node:test";
import { inOrder } from "./order.ts";

const ordered = (...names: readonly string[]) => inOrder(names.map((name) => ({ name }))).map(({ name }) => name);

test("steps run in upstream's order, whatever the order of plugins is", () => {
  assert.deepEqual(ordered("ResourceQuota", "ValidatingAdmissionPolicy", "DefaultStorageClass", "LimitRanger"), [
    "LimitRanger",
    "DefaultStorageClass",
    "ValidatingAdmissionPolicy",
    "ResourceQuota",
  ]);
});

test("steps that upstream does not have keep their order and run before policies, webhooks and quotas", () => {
  assert.deepEqual(ordered("ResourceQuota", "Mine", "MutatingAdmissionPolicy", "LimitRanger", "Another"), [
    "LimitRanger",
    "Mine",
    "Another",
    "MutatingAdmissionPolicy",
    "ResourceQuota",
  ]);
});
