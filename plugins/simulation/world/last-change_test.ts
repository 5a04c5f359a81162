import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApiObject } from "../../../plugin.ts";
import { deletionRequested, lastChange } from "./last-change.ts";

const at = (second: number) => `2026-01-01T00:00:${String(second).padStart(2, "0")}Z`;
const secondOf = (ms: number | undefined) => ms === undefined ? undefined : (ms - Date.parse(at(0))) / 1_000;
const object = (metadata: object, status?: object) => ({ metadata: { name: "a", ...metadata }, status }) as unknown as ApiObject;

test("lastChange() is the latest time of an object", () => {
  const conditions = [{ lastTransitionTime: at(7) }, { lastTransitionTime: null }];
  assert.equal(secondOf(lastChange(object({ creationTimestamp: at(3) }))), 3);
  assert.equal(secondOf(lastChange(object({ creationTimestamp: at(3) }, { startTime: at(5), conditions }))), 7);
  const deleted = { creationTimestamp: at(3), deletionTimestamp: at(40), deletionGracePeriodSeconds: 30 };
  assert.equal(secondOf(lastChange(object(deleted, { conditions }))), 10);
  assert.equal(lastChange(object({})), undefined);
});

test("deletionRequested() is the time of grace before the deletion timestamp", () => {
  assert.equal(secondOf(deletionRequested(object({ deletionTimestamp: at(40), deletionGracePeriodSeconds: 30 }))), 10);
  assert.equal(deletionRequested(object({})), undefined);
});
