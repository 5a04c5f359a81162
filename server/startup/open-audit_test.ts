// In Deno's suite only: a pure function.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readPolicy } from "../../core/audit/policy.ts";
import { withDefaults } from "../config/parse.ts";
import { strictWarnings } from "./open-audit.ts";

test("strictWarnings() names each backend in use whose mode cannot reject requests", () => {
  const policy = (more: string) =>
    readPolicy(`apiVersion: audit.k8s.io/v1\nkind: Policy\n${more}rules: [{level: Metadata}]\n`, "k8s.io").policy;
  const omitting = policy("omitStages: [RequestReceived]\n"), mode = "blocking-strict";
  const both = withDefaults({
    "audit-log-path": "a",
    "audit-log-mode": mode,
    "audit-webhook-config-file": "b",
    "audit-webhook-mode": mode,
  });
  assert.deepEqual(strictWarnings(both, policy("")), []);
  const found = strictWarnings(both, omitting);
  assert.equal(found.length, 2);
  assert.match(found[0]!, /^--audit-log-mode=blocking-strict rejects no request/);
  assert.match(found[1]!, /^--audit-webhook-mode=blocking-strict/);
  assert.deepEqual(strictWarnings(withDefaults({ "audit-log-mode": mode }), omitting), []);
  assert.deepEqual(strictWarnings(withDefaults({ "audit-log-path": "a", "audit-log-mode": "blocking" }), omitting), []);
});
