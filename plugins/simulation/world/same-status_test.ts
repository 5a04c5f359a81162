import assert from "node:assert/strict";
import { test } from "node:test";
import { sameStatus } from "./same-status.ts";

test("sameStatus() takes members that are 0 or empty as absent, and all others as they are", () => {
  assert.equal(sameStatus({ replicas: 2, readyReplicas: 0, text: "", list: [], none: null }, { replicas: 2 }), true);
  assert.equal(sameStatus({ replicas: 2 }, { replicas: 2, readyReplicas: 1 }), false);
  assert.equal(sameStatus({ replicas: 2, conditions: [{ status: "True" }] }, { replicas: 2, conditions: [{ status: "False" }] }), false);
  assert.equal(sameStatus({ isSet: false }, {}), false);
  assert.equal(sameStatus({ uncounted: {} }, {}), false);
});
