import assert from "node:assert/strict";
import { test } from "node:test";
import { definePlugin } from "../../plugin.ts";
import { openTestServer, type TestServer, type TestServerOptions } from "../server.ts";

const uidOf = async ({ api }: TestServer): Promise<string> => (await api.get("v1", "namespaces", "", "kube-system")).metadata.uid!;

/** The uids of a default object in two servers with these options. */
async function uids(one: TestServerOptions, two: TestServerOptions = one): Promise<readonly [string, string]> {
  await using first = await openTestServer(one);
  await using second = await openTestServer(two);
  return [await uidOf(first), await uidOf(second)];
}

/** A server that begins with the objects of the other one. On a busy machine a start may not be ready in time, and is not kept. */
async function pair(): Promise<readonly [TestServer, TestServer]> {
  for (let tries = 0; tries < 20; tries++) {
    const first = await openTestServer(), second = await openTestServer();
    if (await uidOf(first) === await uidOf(second)) return [first, second];
    await Promise.all([first.close(), second.close()]);
  }
  throw new Error("no start was kept");
}

test("openTestServer() begins with the objects of an earlier start, and neither server sees the writes of the other", async () => {
  const servers = await pair();
  await using first = servers[0];
  await using second = servers[1];
  await first.api.create("v1", "configmaps", "default", { metadata: { name: "one" } });
  await first.api.delete("rbac.authorization.k8s.io/v1", "clusterroles", "", "view");
  await second.api.create("v1", "configmaps", "default", { metadata: { name: "two" } });
  const names = async ({ api }: TestServer) => (await api.list("v1", "configmaps", "default")).items.map(({ metadata: { name } }) => name);
  assert.deepEqual([await names(first), await names(second)], [["one"], ["two"]]);
  assert.equal((await second.api.get("rbac.authorization.k8s.io/v1", "clusterroles", "", "view")).metadata.name, "view");
  await assert.rejects(second.diff(first.snapshot()), /the snapshot is of another server/);
  assert.equal((await second.handle(new Request("https://test/readyz"))).status, 200);
});

test("openTestServer() makes the objects of its start itself if others may differ", async () => {
  const own = definePlugin({
    name: "own",
    summary: "Sees the objects of a start.",
    startHooks: [{ name: "own", run: () => Promise.resolve() }],
  });
  const cases: readonly (readonly [TestServerOptions, TestServerOptions?])[] = [
    [{ plugins: [own] }],
    [{ settings: { "max-requests-inflight": 300 } }],
    [{}, { settings: { "authorization-mode": ["AlwaysAllow"] } }],
    [{ seed: 1 }, {}],
  ];
  for (const each of cases) {
    const [first, second] = await uids(...each);
    assert.notEqual(first, second, JSON.stringify(each));
  }
});

test("openTestServer() with an earlier start has its own clock and its own key of tokens", async () => {
  await using first = await openTestServer();
  await using second = await openTestServer({ clock: "manual" });
  const before = second.clock.now();
  await second.clock.advance("1h");
  assert.equal(second.clock.now() - before, 3_600_000);
  const request = await first.api.create("v1", "serviceaccounts", "default", { spec: { audiences: [] } }, {
    name: "default",
    subresource: "token",
  });
  const { token } = (request as unknown as { readonly status: { readonly token: string } }).status; // the type of the subresource
  const status = async (server: TestServer) =>
    (await server.handle(new Request("https://test/api", { headers: { authorization: `Bearer ${token}` } }))).status;
  assert.deepEqual([await status(first), await status(second)], [200, 401]);
});
