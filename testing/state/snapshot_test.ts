import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { openTestServer, type TestServer } from "../server.ts";
import type { RestoreOptions } from "../running-server.ts";

const modes: readonly NonNullable<RestoreOptions["watches"]>[] = ["events", "end"];
const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "a" } };
const configMap = (name: string, data: Readonly<Record<string, string>> = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "a" },
  data,
});
const definitionOf = (plural: string, kind: string) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${plural}.example.com` },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural, kind },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
});
const custom = (kind: string, name: string) => ({ apiVersion: "example.com/v1", kind, metadata: { name, namespace: "a" } });

const own = ({ metadata: { name = "" } }: ApiObject) => name !== "kube-root-ca.crt";
const configMaps = async ({ api }: TestServer) => (await api.list("v1", "configmaps", "a")).items.filter(own);
const put = ({ api }: TestServer, name: string, data: Readonly<Record<string, string>>) =>
  api.apply("v1", "configmaps", "a", name, configMap(name, data), { fieldManager: "test" });
const revisionOf = ({ metadata: { resourceVersion = "" } }: ApiObject) => Number(resourceVersion);

interface Event {
  readonly type: string;
  readonly object: ApiObject & { readonly code?: number };
}

/** A watch of the ConfigMaps: its events so far, and a promise that resolves at its end. */
async function watched(server: TestServer, resourceVersion: string): Promise<{ readonly events: Event[]; readonly ended: Promise<void> }> {
  const url = `https://test/api/v1/namespaces/a/configmaps?watch=true&resourceVersion=${resourceVersion}`;
  const { body } = await server.handle(new Request(url)), events: Event[] = [];
  const ended = (async () => {
    let rest = "";
    for await (const piece of body!.pipeThrough(new TextDecoderStream() as any) as unknown as AsyncIterable<string>) {
      const lines = (rest + piece).split("\n");
      rest = lines.pop()!;
      for (const line of lines) events.push(JSON.parse(line));
    }
  })();
  return { events, ended };
}

test("restore() writes what differs as changes with greater revisions, and watches get them", async () => {
  await using server = await openTestServer();
  await server.load([namespace, configMap("gone"), configMap("same")]);
  await put(server, "changed", { k: "before" });
  const before = new Map((await configMaps(server)).map((each) => [each.metadata.name, each]));
  const snapshot = server.snapshot();
  await put(server, "changed", { k: "after" });
  await server.api.delete("v1", "configmaps", "a", "gone");
  const added = await put(server, "added", {});
  const { events } = await watched(server, added.metadata.resourceVersion!);
  await server.restore(snapshot);
  assert.deepEqual(events.map(({ type, object }) => [type, object.metadata.name]), [
    ["DELETED", "added"],
    ["ADDED", "gone"],
    ["MODIFIED", "changed"],
  ]);
  const revisions = events.map(({ object }) => revisionOf(object));
  assert.ok(revisions.every((each, index) => each > (revisions[index - 1] ?? revisionOf(added))));
  const withoutRevision = ({ metadata: { resourceVersion: _, ...metadata }, ...rest }: ApiObject) => ({ ...rest, metadata });
  const after = await configMaps(server);
  assert.deepEqual(after.map(withoutRevision), [...before.values()].map(withoutRevision));
  assert.deepEqual(after.find(({ metadata }) => metadata.name === "same"), before.get("same"));
});

test("restore() with an end of watches has the same revisions, and watches of what was given up end with Expired", async () => {
  await using server = await openTestServer({ clock: "manual" });
  await server.load([namespace, configMap("one", { k: "1" })]);
  const before = await configMaps(server), snapshot = server.snapshot();
  await server.clock.advance("1h");
  const lost = await put(server, "one", { k: "lost" });
  assert.equal((await server.api.get("v1", "configmaps", "a", "one") as any).data.k, "lost");
  const open = await watched(server, lost.metadata.resourceVersion!);
  const ending = new AbortController(), seen: unknown[] = [];
  const followed = (async () => {
    for await (const { object } of server.api.watch("v1", "configmaps", "a", {}, ending.signal)) {
      if (own(object)) seen.push((object as any).data?.k);
      if ((object as any).data?.k === "new") return;
    }
  })();
  while (seen.length === 0) await new Promise((resolve) => setTimeout(resolve));
  await server.restore(snapshot, { watches: "end" });
  await open.ended;
  assert.deepEqual(open.events.map(({ type, object }) => [type, object.code]), [["ERROR", 410]]);
  assert.deepEqual(await configMaps(server), before);
  assert.equal(server.clock.now(), snapshot.time);
  const late = await watched(server, lost.metadata.resourceVersion!);
  await late.ended;
  assert.deepEqual(late.events.map(({ type, object }) => [type, object.code]), [["ERROR", 410]]);
  // The same revision now has another content, of which nothing may show the former one.
  for (let at = 0; at < revisionOf(lost); at = revisionOf(await put(server, "one", { k: `${at}` })));
  const last = await put(server, "one", { k: "new" });
  assert.ok(revisionOf(last) > revisionOf(lost));
  const url = `https://test/api/v1/namespaces/a/configmaps?resourceVersionMatch=Exact&resourceVersion=${revisionOf(lost)}`;
  const { items } = await (await server.handle(new Request(url))).json() as { readonly items: ApiObject[] };
  assert.notEqual((items.find(({ metadata }) => metadata.name === "one") as any).data.k, "lost");
  await followed;
  assert.deepEqual([seen[0], seen.at(-1)], ["lost", "new"]);
});

for (const watches of modes) {
  test(`restore() with "${watches}": kinds, their objects and rights are those of the snapshot when it resolves`, async () => {
    await using server = await openTestServer();
    const binding = {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name: "ann" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
      subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "ann" }],
    };
    await server.load([namespace, binding, definitionOf("widgets", "Widget"), custom("Widget", "w")]);
    const snapshot = server.snapshot();
    const asAnn = async () => {
      const request = new Request("https://test/api/v1/namespaces/a/configmaps");
      return (await server.handle(request, { name: "ann", groups: ["system:authenticated"] })).status;
    };
    const list = async (plural: string) => {
      const reply = await server.handle(new Request(`https://test/apis/example.com/v1/${plural}`));
      return [reply.status, reply.ok ? (await reply.json() as any).items.length : await reply.text().then(() => undefined)];
    };
    await server.load([definitionOf("gadgets", "Gadget"), custom("Gadget", "g")]);
    await server.api.delete("apiextensions.k8s.io/v1", "customresourcedefinitions", "", "widgets.example.com");
    await server.api.delete("rbac.authorization.k8s.io/v1", "clusterrolebindings", "", "ann");
    while ((await list("widgets"))[0] !== 404) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.deepEqual([await asAnn(), await list("gadgets")], [403, [200, 1]]);
    for (let round = 0; round < 2; round++) {
      await server.restore(snapshot, { watches });
      assert.deepEqual([await asAnn(), await list("gadgets"), await list("widgets")], [200, [404, undefined], [200, 1]]);
      await server.load([definitionOf("gadgets", "Gadget"), custom("Gadget", "g")]);
    }
  });

  test(`restore() with "${watches}": namespaces that were deleted stay when their controllers have run, and addresses can be used again`, async () => {
    await using server = await openTestServer({ clock: "manual" });
    await server.load([namespace, configMap("one"), { apiVersion: "v1", kind: "Namespace", metadata: { name: "b" } }]);
    const service = (name: string, clusterIP?: string) => ({
      apiVersion: "v1",
      kind: "Service",
      metadata: { name, namespace: "a" },
      spec: { ports: [{ port: 80 }], ...(clusterIP === undefined ? {} : { clusterIP }) },
    });
    const addressOf = (found: ApiObject | undefined): string => (found as any).spec.clusterIP;
    const [kept] = await server.load([service("kept")]), snapshot = server.snapshot();
    const [later] = await server.load([service("later")]);
    await server.api.delete("v1", "services", "a", "kept");
    await server.api.delete("v1", "namespaces", "", "a");
    await server.clock.advance("10m");
    await assert.rejects(server.api.get("v1", "namespaces", "", "a"), { reason: "NotFound" });
    await server.restore(snapshot, { watches });
    await server.clock.advance("1h");
    assert.deepEqual((await configMaps(server)).map(({ metadata }) => metadata.name), ["one"]);
    assert.equal(addressOf(await server.api.get("v1", "services", "a", "kept")), addressOf(kept));
    await assert.rejects(server.load([service("other", addressOf(kept))]), /provided IP is already allocated/);
    await server.load([service("other", addressOf(later))]);
  });
}

test("snapshots outlive changes, compactions and their server; a fork begins with one, and only its family takes it", async () => {
  const server = await openTestServer();
  await server.load([namespace, configMap("one", { k: "1" })]);
  const [one] = await configMaps(server), snapshot = server.snapshot();
  for (let round = 0; round < 300; round++) await put(server, "one", { k: `later ${round}` });
  await using fork = await server.fork(snapshot);
  assert.deepEqual(await configMaps(fork), [one]);
  await put(fork, "two", {});
  await server.restore(fork.snapshot());
  assert.deepEqual((await configMaps(server)).map(({ metadata }) => metadata.name), ["one", "two"]);
  await server.close();
  await fork.restore(snapshot, { watches: "end" });
  assert.deepEqual(await configMaps(fork), [one]);
  await using other = await openTestServer();
  assert.throws(() => other.restore(snapshot), /is of another server/);
  assert.throws(() => other.restore({ ...snapshot }), /not a snapshot/);
  await assert.rejects(server.restore(snapshot), /closed/);
});
