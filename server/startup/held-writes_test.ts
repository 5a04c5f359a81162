import assert from "node:assert/strict";
import { test } from "node:test";
import { startUp } from "../../health/mod.ts";
import { requestInfo } from "../../kernel/request/request-info.ts";
import { plugins } from "../../plugins/mod.ts";
import { activeConfigOf } from "../config/active-config.ts";
import { withDefaults } from "../config/parse.ts";
import type { UserInfo } from "../../core/user-info.ts";
import { heldWrites } from "./held-writes.ts";

const alice: UserInfo = { name: "alice", groups: ["system:masters"] };
const hook = "built-in-resources-storage-version-updater", deployments = "/apis/apps/v1/namespaces/default/deployments";

/** What is held under these gates, and the state of the start. */
function heldUnder(gates: Readonly<Record<string, boolean>>) {
  const settings = { "data-dir": ":memory:", "runtime-config": { "internal.apiserver.k8s.io/v1alpha1": true }, "feature-gates": gates };
  const { catalog } = activeConfigOf(withDefaults(settings), plugins), start = startUp(), held = heldWrites(() => catalog, start);
  return { start, held: (method: string, path: string, user: UserInfo = alice) => held(user, requestInfo(method, path)!) };
}

test("writes of clients wait until the storage versions of the server are written", async () => {
  const { start, held } = heldUnder({ StorageVersionAPI: true });
  const error = held("POST", deployments);
  assert.deepEqual([error?.code, error?.reason, error?.details], [503, "ServiceUnavailable", undefined]);
  assert.equal(
    error?.message,
    "wait for storage version registration to complete for resource: deployments.apps, last seen error: <nil>",
  );
  assert.match(held("PATCH", "/api/v1/namespaces/default/pods/a/status")?.message ?? "", /for resource: pods, /);
  assert.equal(held("DELETE", "/api/v1/namespaces/default/configmaps")?.code, 503);
  start.finished(hook);
  await Promise.resolve();
  assert.equal(held("POST", deployments), undefined);
});

test("reads, the storage versions themselves, leases of servers, and what is not stored here do not wait", () => {
  const { held } = heldUnder({ StorageVersionAPI: true });
  const leases = (namespace: string) => `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
  for (const path of [deployments, `${deployments}/a`, `${deployments}?watch=1`, "/healthz"]) {
    assert.equal(held("GET", path), undefined, path);
  }
  for (
    const path of [
      "/apis/internal.apiserver.k8s.io/v1alpha1/storageversions",
      leases("kube-system"),
      "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
      "/apis/example.com/v1/namespaces/default/things",
    ]
  ) assert.equal(held("POST", path), undefined, path);
  assert.equal(held("POST", leases("default"))?.code, 503);
  assert.equal(held("POST", deployments, { name: "system:apiserver", groups: ["system:masters"] }), undefined);
  assert.equal(held("POST", deployments, { name: "system:apiserver", groups: [] })?.code, 503, "a name alone is not enough");
});

test("nothing waits if the gate is off", () => {
  assert.equal(heldUnder({}).held("POST", deployments), undefined);
});
