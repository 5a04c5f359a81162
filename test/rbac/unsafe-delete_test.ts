import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestServer } from "../../testing.ts";

test("roles and bindings cannot be deleted unsafely, as their writes are checked", async () => {
  await using server = await openTestServer({ settings: { "feature-gates": { AllowUnsafeMalformedObjectDeletion: true } } });
  const api = "/apis/rbac.authorization.k8s.io/v1", body = JSON.stringify({ ignoreStoreReadErrorWithClusterBreakingPotential: true });
  for (const path of ["clusterroles", "clusterrolebindings", "namespaces/default/roles", "namespaces/default/rolebindings"]) {
    const headers = { "content-type": "application/json" };
    const answer = await server.handle(new Request(`https://test${api}/${path}/missing`, { method: "DELETE", headers, body }));
    assert.equal(answer.status, 500);
    assert.match((await answer.json()).message, /no unsafe deleter provided/);
  }
});

test("definitions of custom resources can be deleted unsafely, although their deletion has steps of its own", async () => {
  await using server = await openTestServer({ settings: { "feature-gates": { AllowUnsafeMalformedObjectDeletion: true } } });
  const body = JSON.stringify({ ignoreStoreReadErrorWithClusterBreakingPotential: true });
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.example.com";
  const request = new Request(`https://test${path}`, { method: "DELETE", headers: { "content-type": "application/json" }, body });
  const answer = await server.handle(request);
  assert.equal(answer.status, 422);
  assert.match((await answer.json()).message, /is exclusively used to delete corrupt object\(s\)/);
});
