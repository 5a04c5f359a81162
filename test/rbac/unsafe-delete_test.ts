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
