import assert from "node:assert/strict";
import { test } from "node:test";
import { conditionMessageBytesMax, validateConditions } from "./condition.ts";
import { conditionReasonBytesMax } from "./names.ts";

const condition = (change: object = {}) => ({
  type: "Ready",
  status: "True",
  lastTransitionTime: "2024-01-02T03:04:05Z",
  reason: "R",
  message: "",
  ...change,
});
const found = (...changes: object[]) => validateConditions(changes.map(condition), "at").map(({ type, path }) => `${type} ${path}`);

test("validateConditions() accepts valid conditions and an empty list", () => {
  assert.deepEqual(found({}, { type: "example.com/Other", status: "Unknown", observedGeneration: 0 }), []);
  assert.deepEqual(validateConditions(undefined, "at"), []);
});

test("validateConditions() reports all errors of a condition", () => {
  assert.deepEqual(found({ type: "", status: "", observedGeneration: -1, lastTransitionTime: null, reason: "" }), [
    "Invalid at[0].type",
    "Invalid at[0].type",
    "NotSupported at[0].status",
    "Invalid at[0].observedGeneration",
    "Required at[0].lastTransitionTime",
    "Required at[0].reason",
  ]);
});

test("validateConditions() rejects duplicate types", () => {
  assert.deepEqual(found({}, {}, { type: "constructor" }), ["Duplicate at[1].type"]);
});

test("validateConditions() bounds reasons and messages by their bytes", () => {
  assert.deepEqual(found({ reason: "R".repeat(conditionReasonBytesMax), message: "m".repeat(conditionMessageBytesMax) }), []);
  assert.deepEqual(found({ reason: "R".repeat(conditionReasonBytesMax + 1), message: `${"m".repeat(conditionMessageBytesMax - 1)}ž` }), [
    "TooLong at[0].reason",
    "TooLong at[0].message",
  ]);
});
