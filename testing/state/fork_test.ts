import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestServer, type TestServer } from "../server.ts";

const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "a" } };
const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "widgets", kind: "Widget" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
};
const create = (server: TestServer, name: string) => server.api.create("v1", "configmaps", "a", { metadata: { name } });
const names = async ({ api }: TestServer) =>
  (await api.list("v1", "configmaps", "a")).items.map(({ metadata: { name } }) => name).filter((name) => name !== "kube-root-ca.crt");

/** The first events of a watch from a revision: their types, names and revisions. */
async function eventsFrom(server: TestServer, resourceVersion: string, count: number): Promise<unknown[]> {
  const ending = new AbortController(), found: unknown[] = [];
  const url = `https://test/api/v1/namespaces/a/configmaps?watch=true&resourceVersion=${resourceVersion}`;
  const { body } = await server.handle(new Request(url, { signal: ending.signal }));
  let rest = "";
  for await (const piece of body!.pipeThrough(new TextDecoderStream() as any) as unknown as AsyncIterable<string>) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop()!;
    for (const { type, object } of lines.map((line) => JSON.parse(line))) {
      found.push([type, object.metadata.name, object.metadata.resourceVersion]);
    }
    if (found.length >= count) break;
  }
  ending.abort();
  return found;
}

test("fork() has the objects, revisions and history of its parent, and neither sees the writes of the other", async () => {
  await using parent = await openTestServer();
  const [made] = await parent.load([namespace]);
  const { resourceVersion: before = "" } = made!.metadata;
  const one = await create(parent, "one");
  await using fork = await parent.fork();
  assert.deepEqual(await fork.api.get("v1", "configmaps", "a", "one"), one);
  const inFork = await create(fork, "fork"), inParent = await create(parent, "parent");
  await fork.api.delete("v1", "configmaps", "a", "one");
  assert.deepEqual(await Promise.all([parent, fork].map(names)), [["one", "parent"], ["fork"]]);
  const events = (await eventsFrom(fork, before, 3)).filter(([, name]: any) => name !== "kube-root-ca.crt");
  const revision = one.metadata.resourceVersion;
  assert.deepEqual(events.slice(0, 2), [["ADDED", "one", revision], ["ADDED", "fork", inFork.metadata.resourceVersion]]);
  assert.deepEqual(await eventsFrom(parent, revision!, 1), [["ADDED", "parent", inParent.metadata.resourceVersion]]);
  await parent.close();
  assert.deepEqual(await names(fork), ["fork"]);
});

test("fork() of a fork, and many side by side, are apart", async () => {
  await using parent = await openTestServer();
  await parent.load([namespace]);
  const forks = await Promise.all(Array.from({ length: 20 }, () => parent.fork()));
  await Promise.all(forks.map((fork, index) => create(fork, `own-${index}`)));
  const inner = await forks[3]!.fork();
  await create(inner, "inner");
  assert.deepEqual(await names(inner), ["inner", "own-3"]);
  for (const [index, fork] of forks.entries()) assert.deepEqual(await names(fork), [`own-${index}`]);
  assert.deepEqual(await names(parent), []);
  await Promise.all([inner, ...forks].map((each) => each.close()));
});

test("fork() serves definitions at once, and its controllers work", async () => {
  await using parent = await openTestServer();
  await parent.load([
    namespace,
    definition,
    { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w", namespace: "a" } } as typeof namespace,
  ]);
  await using fork = await parent.fork();
  assert.equal((await fork.api.get("example.com/v1", "widgets", "a", "w")).kind, "Widget");
  await fork.api.delete("v1", "namespaces", "", "a");
  const ending = new AbortController();
  for await (const { type, object } of fork.api.watch("v1", "namespaces", "", {}, ending.signal)) {
    if (type === "DELETED" && object.metadata.name === "a") break;
  }
  ending.abort();
  await assert.rejects(fork.api.get("example.com/v1", "widgets", "a", "w"), { reason: "NotFound" });
  await fork.api.delete("apiextensions.k8s.io/v1", "customresourcedefinitions", "", "widgets.example.com");
  assert.equal((await parent.api.get("example.com/v1", "widgets", "a", "w")).kind, "Widget");
});

test("fork() has the rights of its parent from the first request, and takes its tokens", async () => {
  await using parent = await openTestServer();
  await parent.load([
    namespace,
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "robot", namespace: "a" } },
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "Role",
      metadata: { name: "reader", namespace: "a" },
      rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["list"] }],
    } as typeof namespace,
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "RoleBinding",
      metadata: { name: "robot", namespace: "a" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "reader" },
      subjects: [{ kind: "ServiceAccount", name: "robot", namespace: "a" }],
    } as typeof namespace,
  ]);
  const request = await parent.api.create("v1", "serviceaccounts", "a", { spec: { audiences: [] } }, {
    name: "robot",
    subresource: "token",
  });
  const { token } = (request as unknown as { readonly status: { readonly token: string } }).status;
  await using fork = await parent.fork();
  const list = (path: string) =>
    fork.handle(new Request(`https://test/api/v1/${path}`, { headers: { authorization: `Bearer ${token}` } })).then(({ status }) => status);
  assert.deepEqual(await Promise.all(["namespaces/a/configmaps", "namespaces/kube-system/configmaps"].map(list)), [200, 403]);
});

test("fork() of a server with a manual clock begins at its time, and goes on alone", async () => {
  await using parent = await openTestServer({ clock: "manual" });
  await parent.clock.advance("1h");
  await using fork = await parent.fork();
  assert.equal(fork.clock.now(), parent.clock.now());
  await fork.clock.advance("5m");
  assert.equal(fork.clock.now() - parent.clock.now(), 300_000);
});
