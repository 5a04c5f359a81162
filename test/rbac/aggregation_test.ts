// Aggregated ClusterRoles, on a whole server.
// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type ClusterRole, groupVersion, type PolicyRule } from "../../plugins/rbac/schema.ts";
import { openTestServer } from "../../testing.ts";
import { until } from "../real-server.ts";

const rule = (...resources: string[]): PolicyRule => ({ verbs: ["get"], apiGroups: [""], resources });

test("the rules of a role follow the roles that it selects, and a deleted one stays deleted", async () => {
  await using server = await openTestServer();
  const { api } = server, roles = "clusterroles";
  const rulesOf = async (name: string) => (await api.get(groupVersion, roles, "", name) as ClusterRole).rules ?? []; // `as`: the API returns that resource.
  const metadata = (name: string, to?: string) => ({ name, ...(to === undefined ? {} : { labels: { to } }) });
  await api.create(groupVersion, roles, "", {
    metadata: metadata("sum"),
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { to: "sum" } }] },
    rules: [rule("overwritten")],
  });
  await api.create(groupVersion, roles, "", { metadata: metadata("one", "sum"), rules: [rule("x")] });
  await api.create(groupVersion, roles, "", { metadata: metadata("two"), rules: [rule("y")] });
  await until(async () => assert.deepEqual(await rulesOf("sum"), [rule("x")]));
  await api.patch(groupVersion, roles, "", "two", { merge: { metadata: { labels: { to: "sum" } } } });
  await until(async () => assert.deepEqual(await rulesOf("sum"), [rule("x"), rule("y")]));
  await api.patch(groupVersion, roles, "", "one", { merge: { metadata: { labels: { to: null } } } });
  await until(async () => assert.deepEqual(await rulesOf("sum"), [rule("y")]));
  await api.delete(groupVersion, roles, "", "two");
  await until(async () => assert.deepEqual(await rulesOf("sum"), []));
  const { managedFields = [] } = (await api.get(groupVersion, roles, "", "sum")).metadata;
  assert.deepEqual(managedFields.find(({ manager }) => manager === "clusterrole-aggregation-controller")?.fieldsV1, { "f:rules": {} });
  await api.delete(groupVersion, roles, "", "sum");
  await api.create(groupVersion, roles, "", { metadata: metadata("three", "edit"), rules: [rule("z")] });
  await api.patch(groupVersion, roles, "", "three", {
    merge: { metadata: { labels: { "rbac.authorization.k8s.io/aggregate-to-view": "true" } } },
  });
  await until(async () => assert.deepEqual((await rulesOf("view")).filter(({ resources }) => resources?.[0] === "z"), [rule("z")]));
  await until(async () =>
    assert.equal((await rulesOf("admin")).filter(({ resources }) => resources?.[0] === "z").length, 1, "view is in edit, edit in admin")
  );
  await assert.rejects(rulesOf("sum"), /"sum" not found/);
});
