import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApiObject } from "../core/meta/object-meta.ts";
import { openTestServer, type TestServer } from "./server.ts";

interface Role extends ApiObject {
  readonly rules: readonly { readonly resources?: readonly string[] }[];
}
const resources = async ({ api }: TestServer, name: string) => {
  const { rules } = await api.get("rbac.authorization.k8s.io/v1", "clusterroles", "", name) as Role;
  return rules.flatMap((rule) => rule.resources ?? []);
};

test("openTestServer() resolves when aggregated roles have the rules of the roles that they are built from", async () => {
  await using server = await openTestServer();
  const { resourceVersion } = (await server.api.list("rbac.authorization.k8s.io/v1", "clusterroles", "")).metadata;
  for (const name of ["view", "edit", "admin"]) assert.ok((await resources(server, name)).includes("configmaps"), name);
  assert.ok((await resources(server, "admin")).includes("rolebindings"));
  await server.api.create("v1", "namespaces", "", { metadata: { name: "a" } });
  await new Promise((resolve) => setTimeout(resolve, 100)); // more than the controller collects changes
  const later = await server.api.list("rbac.authorization.k8s.io/v1", "clusterroles", "");
  assert.deepEqual(later.items.filter(({ metadata }) => Number(metadata.resourceVersion) > Number(resourceVersion)), []);
});

test("a group that a server or a fork of it does not serve is unknown from the first request on", async () => {
  await using server = await openTestServer();
  await using fork = await server.fork();
  for (const each of [server, fork]) assert.equal((await each.handle(new Request("https://test/apis/example.com/v1/widgets"))).status, 404);
});
