// Controllers have their own rights only.
// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { definePlugin } from "../core/define/define.ts";
import type { Controller, ControllerContext } from "../core/controller.ts";
import { plugins } from "../plugins/mod.ts";
import { openTestServer, type TestServer } from "../testing.ts";
import { until } from "./real-server.ts";

/** A plugin with a controller that exposes its context and waits. */
function acting(
  members: Partial<Controller>,
): { readonly plugin: ReturnType<typeof definePlugin>; readonly context: Promise<ControllerContext> } {
  const { promise, resolve } = Promise.withResolvers<ControllerContext>();
  const run = (context: ControllerContext, signal: AbortSignal) => {
    resolve(context);
    return new Promise<void>((ended) => signal.addEventListener("abort", () => ended()));
  };
  return {
    plugin: definePlugin({ name: "acting", summary: "Acts for a test.", controllers: [{ name: "actor", run, ...members }] }),
    context: promise,
  };
}
const configMap = (name: string) => ({ metadata: { name } });
const rule = { verbs: ["create"], apiGroups: [""], resources: ["configmaps"], resourceNames: [] };
const created = ({ api }: ControllerContext, name: string) => api.create("v1", "configmaps", "default", configMap(name));

test("a controller with a service account writes with the rights of its roles only, and may read everything", async () => {
  const { plugin, context } = acting({ serviceAccount: "actor", permissions: [rule] });
  await using _ = await openTestServer({ plugins: [plugin] });
  const world = await context;
  assert.equal((await created(world, "a")).metadata.name, "a");
  assert.equal((await world.api.get("v1", "configmaps", "default", "a")).metadata.name, "a");
  const list = await world.api.list("v1", "secrets", "");
  assert.ok(Array.isArray(list.items));
});

test("a forbidden request of a controller gets the error of any client", async () => {
  const { plugin, context } = acting({
    serviceAccount: "actor",
    permissions: [{ ...rule, verbs: ["create", "patch"], resources: ["secrets"] }],
  });
  await using _ = await openTestServer({ plugins: [plugin] });
  const { api } = await context;
  await until(async () => assert.equal((await api.create("v1", "secrets", "default", configMap("a"))).metadata.name, "a"));
  // A 403 is final when the controller has its rights.
  await assert.rejects(api.delete("v1", "secrets", "default", "a"), (error: Error) => {
    assert.equal(
      error.message,
      'secrets "a" is forbidden: User "system:serviceaccount:kube-system:actor" cannot delete resource "secrets" in API group "" in the namespace "default"',
    );
    return true;
  });
});

test("a controller without a service account has all rights, as every controller without RBAC", async () => {
  for (
    const { members, options } of [
      { members: {}, options: {} },
      { members: { serviceAccount: "actor" }, options: { bare: true } },
    ]
  ) {
    const { plugin, context } = acting(members);
    const families = options.bare === true ? plugins.filter(({ name }) => ["cluster", "configmaps"].includes(name)) : [];
    await using _ = await openTestServer({ plugins: [...families, plugin], ...options });
    assert.equal((await created(await context, "a")).metadata.name, "a");
  }
});

async function logOf(server: TestServer, use: () => Promise<void>): Promise<readonly string[]> {
  await use();
  return server.logged.filter((line) => /forbidden/i.test(line));
}

test("the built-in controllers do their work by the default roles: nothing is forbidden", async () => {
  await using server = await openTestServer();
  const { api } = server;
  const gone = (groupVersion: string, resource: string, namespace: string, name: string) =>
    until(async () => assert.rejects(api.get(groupVersion, resource, namespace, name), /not found/));
  const forbidden = await logOf(server, async () => {
    await api.create("v1", "namespaces", "", configMap("team"));
    await until(async () => assert.ok(await api.get("v1", "serviceaccounts", "team", "default")));
    const owner = await api.create("v1", "configmaps", "team", configMap("owner"));
    const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: owner.metadata.uid! }];
    await api.create("v1", "configmaps", "team", { metadata: { name: "dependent", ownerReferences } });
    await api.delete("v1", "configmaps", "team", "owner", { propagationPolicy: "Foreground" });
    await gone("v1", "configmaps", "team", "dependent");
    const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
    await api.create("v1", "persistentvolumeclaims", "team", { metadata: { name: "c" }, spec });
    await api.delete("v1", "persistentvolumeclaims", "team", "c");
    await gone("v1", "persistentvolumeclaims", "team", "c");
    const token = { name: "t", annotations: { "kubernetes.io/service-account.name": "default" } };
    await api.create("v1", "secrets", "team", { metadata: token, type: "kubernetes.io/service-account-token" });
    await until(async () => {
      const { data = {} } = await api.get("v1", "secrets", "team", "t") as { data?: object };
      assert.ok(Object.hasOwn(data, "token"));
    });
    await api.delete("v1", "namespaces", "", "team");
    await gone("v1", "namespaces", "", "team");
  });
  assert.deepEqual(forbidden, []);
});

test("definePlugin() rejects permissions without a service account, and invalid names", () => {
  assert.throws(() => acting({ permissions: [rule] }), /controller "actor": permissions need a serviceAccount/);
  assert.throws(
    () => acting({ serviceAccount: "No Name" }),
    /controller "actor": serviceAccount "No Name": a lowercase RFC 1123 subdomain/,
  );
});
