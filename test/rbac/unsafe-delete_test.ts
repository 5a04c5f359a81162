// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestServer } from "../../testing.ts";
import { refused } from "../requests.ts";

test("roles and bindings cannot be deleted unsafely, as their writes are checked", async () => {
  await using server = await openTestServer({ settings: { "feature-gates": { AllowUnsafeMalformedObjectDeletion: true } } });
  const api = "/apis/rbac.authorization.k8s.io/v1", body = { ignoreStoreReadErrorWithClusterBreakingPotential: true };
  for (const path of ["clusterroles", "clusterrolebindings", "namespaces/default/roles", "namespaces/default/rolebindings"]) {
    const [code, message] = await refused(server, "DELETE", `${api}/${path}/missing`, body);
    assert.equal(code, 500);
    assert.match(message, /no unsafe deleter provided/);
  }
});

test("definitions of custom resources can be deleted unsafely, although their deletion has steps of its own", async () => {
  await using server = await openTestServer({ settings: { "feature-gates": { AllowUnsafeMalformedObjectDeletion: true } } });
  const body = { ignoreStoreReadErrorWithClusterBreakingPotential: true };
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.example.com";
  const [code, message] = await refused(server, "DELETE", path, body);
  assert.equal(code, 422);
  assert.match(message, /is exclusively used to delete corrupt object\(s\)/);
});
