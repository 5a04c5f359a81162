import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { expectState, StateError } from "../expect-state.ts";
import { openTestServer, type TestServer } from "../server.ts";

const shop = `
apiVersion: v1
kind: Namespace
metadata: { name: shop }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: shop }
spec:
  replicas: 3
  selector: { matchLabels: { app: web } }
  template: { metadata: { labels: { app: web } }, spec: { containers: [{ name: c, image: i }] } }
---
apiVersion: v1
kind: Service
metadata: { name: web, namespace: shop }
spec: { type: NodePort, selector: { app: web }, ports: [{ port: 80 }] }
`;

async function withShop(use: (server: TestServer) => Promise<void>): Promise<void> {
  await using server = await openTestServer({ clock: "manual", simulate: true });
  await server.clock.advance("1m");
  await server.load(shop);
  await server.clock.advance("5m");
  await use(server);
}
const configMap = (name: string, data: Readonly<Record<string, string>> = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "shop" },
  data,
});

test("dump() of two runs is equal, has nothing that every server has, and can be loaded", async () => {
  const dumps: string[] = [];
  for (let run = 0; run < 2; run++) await withShop(async (server) => void dumps.push(await server.dump()));
  assert.equal(dumps[0], dumps[1]);
  assert.deepEqual(dumps[0]!.match(/^kind: .*/gm), [
    ..."Namespace Endpoints Pod Pod Pod Service Deployment ReplicaSet EndpointSlice".split(" ").map((kind) => `kind: ${kind}`),
  ]);
  await using other = await openTestServer();
  assert.equal(await other.dump(), "");
  await other.load(dumps[0]!);
  assert.equal((await other.api.list("v1", "pods", "shop")).items.length, 3);
  assert.notEqual(await other.dump({ bootstrap: true }), await other.dump());
});

test("dump() leaves the nodes of the simulation out until a test changes them", async () => {
  await using server = await openTestServer({ clock: "manual", simulate: true });
  for (let minute = 0; minute < 3; minute++) {
    assert.equal(await server.dump(), "");
    await server.clock.advance("1m");
  }
  await server.api.patch("v1", "nodes", "", "simulated-0", { merge: { spec: { unschedulable: true } } });
  assert.match(await server.dump(), /^ {2}unschedulable: true$/m);
});

test("dump() takes kinds and namespaces, and keeps what is asked for", async () => {
  await using server = await openTestServer();
  await server.load([{ apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } }, configMap("one", { k: "v" })]);
  const one = "apiVersion: v1\ndata:\n  k: v\nkind: ConfigMap\nmetadata:\n  name: one\n  namespace: shop\n";
  assert.equal(await server.dump({ namespaces: ["shop"] }), one);
  assert.equal(await server.dump({ kinds: ["configmaps"] }), one);
  assert.match(await server.dump({ namespaces: [""] }), /^apiVersion: v1\nkind: Namespace/);
  const { uid, resourceVersion, creationTimestamp } = (await server.api.get("v1", "configmaps", "shop", "one")).metadata;
  const kept = await server.dump({ kinds: ["ConfigMap"], keep: ["times", "random", "revisions", "managedFields"] });
  for (
    const each of [`uid: ${uid}`, `resourceVersion: "${resourceVersion}"`, `creationTimestamp: "${creationTimestamp}"`, "manager: load"]
  ) {
    assert.ok(kept.includes(each), each);
  }
});

test("diff() says what was created, changed and deleted, of snapshots and of dumps", async () => {
  await using server = await openTestServer();
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
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } };
  await server.load([namespace, configMap("changed", { k: "1", same: "x" }), configMap("gone")]);
  const before = server.snapshot(), text = await server.dump();
  assert.equal(await server.diff(before), "");
  await server.load([configMap("changed", { k: "2", same: "x" }), configMap("new", { n: "3" })]);
  await server.api.delete("v1", "configmaps", "shop", "gone");
  await server.load([definition]);
  await server.load({ apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w", namespace: "shop" } });
  await server.api.patch("v1", "namespaces", "", "default", { merge: { metadata: { labels: { a: "b" } } } });
  const expected = [
    "~ ConfigMap shop/changed",
    '    data.k: "1" -> "2"',
    "- ConfigMap shop/gone",
    "+ ConfigMap shop/new",
    '    data.n: "3"',
    "~ Namespace default",
    '    metadata.labels.a: (none) -> "b"',
    "+ Widget shop/w",
  ].join("\n") + "\n";
  const some = { kinds: ["ConfigMap", "Namespace", "Widget"] };
  assert.equal(await server.diff(before, undefined, some), expected);
  assert.equal(await server.diff(before, server.snapshot(), some), expected);
  // The dump does not have the namespace as it was: every server has that.
  const ofText = expected.replace('~ Namespace default\n    metadata.labels.a: (none) -> "b"', "+ Namespace default");
  assert.equal((await server.diff(text, undefined, some)).replace(/(?<=Namespace default\n)(?: .*\n)+/, ""), ofText);
  await server.restore(before);
  assert.equal(await server.diff(before), "");
  assert.equal(await server.diff(text), "");
});

test("expectState() compares with a file, says how it differs, and writes it when asked", async () => {
  const folder = await mkdtemp(join(tmpdir(), "thole-state-")), file = pathToFileURL(join(folder, "inner", "state.yaml"));
  try {
    await using server = await openTestServer();
    await server.load([{ apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } }, configMap("one", { k: "v" })]);
    const filter = { namespaces: ["shop"] };
    await assert.rejects(expectState(server, file, filter), /does not exist\. Run the test with THOLE_UPDATE_STATE=1 to write the file/);
    await expectState(server, file, { ...filter, update: true });
    await expectState(server, file, filter);
    await writeFile(file, (await readFile(file, "utf8")).replaceAll("\n", "\r\n"));
    await expectState(server, file, filter);
    await server.load(configMap("one", { k: "other" }));
    const error = await expectState(server, file, filter).then(() => undefined, (error: unknown) => error);
    assert.ok(error instanceof StateError);
    assert.match(error.message, /\n~ ConfigMap shop\/one\n {4}data\.k: "v" -> "other"\nRun the test with/);
    assert.equal(error.actual, await server.dump(filter));
    await using variable = environment("THOLE_UPDATE_STATE", "1");
    await expectState(server, file, filter);
    await variable[Symbol.asyncDispose]();
    await expectState(server, file, filter);
  } finally {
    await rm(folder, { recursive: true });
  }
});

function environment(name: string, value: string): AsyncDisposable {
  process.env[name] = value;
  return { [Symbol.asyncDispose]: async () => void await Promise.resolve(delete process.env[name]) };
}
