// Quotas and limit ranges on a server in the test's process: enforcement by admission, and counting by the controller.
// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { definePlugin, defineResource, field, object, string } from "../../plugin.ts";
import { openTestServer, type TestServer } from "../../testing.ts";
import { until } from "../real-server.ts";
import { ask } from "../requests.ts";

const base = "/api/v1/namespaces/shop";

async function opened(options: Parameters<typeof openTestServer>[0] = {}): Promise<TestServer> {
  const server = await openTestServer(options);
  await server.api.create("v1", "namespaces", "", { metadata: { name: "shop" } });
  return server;
}
const statusOf = async (server: TestServer, name = "q") => (await ask(server, "GET", `${base}/resourcequotas/${name}`)).body.status;

/** Creates a quota and waits until its limits are in force. */
async function limit(server: TestServer, hard: Record<string, string>, more: object = {}): Promise<void> {
  const { status } = await ask(server, "POST", `${base}/resourcequotas`, { metadata: { name: "q" }, spec: { hard, ...more } });
  assert.equal(status, 201);
  await until(async () => assert.deepEqual(Object.keys((await statusOf(server)).used ?? {}), Object.keys(hard).toSorted()));
}
const usedBecomes = (server: TestServer, used: object) => until(async () => assert.deepEqual((await statusOf(server)).used, used));
const claim = (name: string, storage: string, more: object = {}) => ({
  metadata: { name },
  spec: { storageClassName: "", accessModes: ["ReadWriteOnce"], resources: { requests: { storage } }, ...more },
});

test("a burst of creates is admitted up to the limit, and the usage equals the number of objects", async () => {
  await using server = await opened();
  await limit(server, { secrets: "20" });
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, i) => ask(server, "POST", `${base}/secrets`, { metadata: { name: `s${i}` } })),
  );
  assert.equal(answers.filter(({ status }) => status === 201).length, 20);
  const refused = answers.filter(({ status }) => status === 403);
  assert.equal(refused.length, 40);
  assert.match(refused[0]!.body.message, /is forbidden: exceeded quota: q, requested: secrets=1, used: secrets=20, limited: secrets=20$/);
  assert.deepEqual((await statusOf(server)).used, { secrets: "20" });
});

test("deletions lower the usage, and a create that fails after its charge does not stay counted", async () => {
  await using server = await opened();
  await limit(server, { secrets: "2" });
  for (const name of ["a", "b"]) assert.equal((await ask(server, "POST", `${base}/secrets`, { metadata: { name } })).status, 201);
  await ask(server, "DELETE", `${base}/secrets/a`);
  await usedBecomes(server, { secrets: "1" });
  for (let times = 0; times < 4; times++) {
    assert.equal(
      (await ask(server, "POST", `${base}/secrets`, { metadata: { name: "b" } })).status,
      409,
      "the charge is taken back at once",
    );
  }
  assert.deepEqual((await statusOf(server)).used, { secrets: "1" });
  // Counted again when something is deleted or the limits change.
  assert.equal((await ask(server, "PATCH", `${base}/resourcequotas/q`, { spec: { hard: { secrets: "3" } } })).status, 200);
  await usedBecomes(server, { secrets: "1" });
  await ask(server, "DELETE", `${base}/secrets/b`);
  await usedBecomes(server, { secrets: "0" });
});

test("changed limits come into force, and names that are no longer limited leave the status", async () => {
  await using server = await opened();
  await ask(server, "POST", `${base}/configmaps`, { metadata: { name: "a" } });
  const before = (await ask(server, "GET", `${base}/configmaps`)).body.items.length;
  await limit(server, { configmaps: "9", pods: "1" });
  assert.deepEqual((await statusOf(server)).used, { configmaps: `${before}`, pods: "0" });
  await ask(server, "PUT", `${base}/resourcequotas/q`, { metadata: { name: "q" }, spec: { hard: { "count/configmaps": "1" } } });
  await until(async () => assert.deepEqual((await statusOf(server)).hard, { "count/configmaps": "1" }));
  await usedBecomes(server, { "count/configmaps": `${before}` });
  assert.equal((await ask(server, "POST", `${base}/configmaps`, { metadata: { name: "b" } })).status, 403);
});

test("kinds of plugins and custom resources are counted by resource and group, from their appearance on", async () => {
  const Thing = object("Thing", { colour: field(2, string, "The colour.") }, { package: "example.com/v1", doc: "A thing." });
  const things = defineResource({
    kind: "Thing",
    scope: "Namespaced",
    summary: "A thing.",
    storedAs: "example.com/v1",
    storedUnder: "example.com/things",
    served: { "example.com/v1": { schema: Thing, introduced: "1.0" } },
  });
  await using server = await opened({ plugins: [definePlugin({ name: "things", summary: "Things.", resources: [things] })] });
  await ask(server, "POST", `${base}/resourcequotas`, {
    metadata: { name: "q" },
    spec: { hard: { "count/things.example.com": "1", "count/gadgets.example.org": "1" } },
  });
  await usedBecomes(server, { "count/things.example.com": "0" });
  const create = (group: string, plural: string, kind: string, name: string) =>
    ask(server, "POST", `/apis/${group}/v1/namespaces/shop/${plural}`, { apiVersion: `${group}/v1`, kind, metadata: { name } });
  assert.equal((await create("example.com", "things", "Thing", "a")).status, 201);
  assert.equal((await create("example.com", "things", "Thing", "b")).status, 403);
  const schema = { openAPIV3Schema: { type: "object" } };
  await ask(server, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    metadata: { name: "gadgets.example.org" },
    spec: {
      group: "example.org",
      scope: "Namespaced",
      names: { plural: "gadgets", kind: "Gadget" },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  });
  await usedBecomes(server, { "count/gadgets.example.org": "0", "count/things.example.com": "1" });
  assert.equal((await create("example.org", "gadgets", "Gadget", "a")).status, 201);
  assert.match((await create("example.org", "gadgets", "Gadget", "b")).body.message, /requested: count\/gadgets\.example\.org=1/);
  await ask(server, "DELETE", "/apis/example.org/v1/namespaces/shop/gadgets/a");
  await usedBecomes(server, { "count/gadgets.example.org": "0", "count/things.example.com": "1" });
});

test("claims are charged for their increase, by class, and recounted when their status changes", async () => {
  await using server = await opened();
  const gold = "gold.storageclass.storage.k8s.io";
  await limit(server, { "requests.storage": "10Gi", [`${gold}/requests.storage`]: "4Gi", [`${gold}/persistentvolumeclaims`]: "1" });
  const claims = `${base}/persistentvolumeclaims`;
  assert.equal((await ask(server, "POST", claims, claim("a", "3Gi", { storageClassName: "gold" }))).status, 201);
  const second = await ask(server, "POST", claims, claim("b", "1Gi", { storageClassName: "gold" }));
  assert.match(second.body.message, /exceeded quota: q, requested: gold\.storageclass\.storage\.k8s\.io\/persistentvolumeclaims=1, used/);
  assert.equal((await ask(server, "POST", claims, claim("b", "6Gi"))).status, 201);
  const over = await ask(server, "POST", claims, claim("c", "2Gi"));
  assert.match(over.body.message, /requested: requests\.storage=2Gi, used: requests\.storage=9Gi, limited: requests\.storage=10Gi$/);
  // An expansion that was allocated and then withdrawn counts until the driver has finished.
  await ask(server, "PATCH", `${claims}/b/status`, { status: { allocatedResources: { storage: "7Gi" } } });
  assert.equal((await statusOf(server)).used["requests.storage"], "10Gi");
  await ask(server, "PATCH", `${claims}/b/status`, { status: { allocatedResources: null } });
  await until(async () => assert.equal((await statusOf(server)).used["requests.storage"], "9Gi"));
});

test("a create with a large body is charged like others", async () => {
  await using server = await opened();
  await limit(server, { secrets: "1" });
  const large = (name: string) => ask(server, "POST", `${base}/secrets`, { metadata: { name }, stringData: { data: "x".repeat(300_000) } });
  assert.deepEqual([(await large("a")).status, (await large("b")).status], [201, 403]);
  assert.deepEqual((await statusOf(server)).used, { secrets: "1" });
});

test("the steps can be disabled by upstream's names", async () => {
  await using server = await opened({ settings: { "disable-admission-plugins": ["ResourceQuota", "LimitRanger"] } });
  await limit(server, { secrets: "0", persistentvolumeclaims: "0" });
  await ask(server, "POST", `${base}/limitranges`, {
    metadata: { name: "l" },
    spec: { limits: [{ type: "PersistentVolumeClaim", max: { storage: "1Gi" } }] },
  });
  assert.equal((await ask(server, "POST", `${base}/persistentvolumeclaims`, claim("a", "2Gi"))).status, 201);
  await usedBecomes(server, { persistentvolumeclaims: "0", secrets: "0" });
});

test("a claim that is being deleted is not checked against limit ranges", async () => {
  await using server = await opened();
  const claims = `${base}/persistentvolumeclaims`;
  await ask(server, "POST", claims, { ...claim("a", "2Gi"), metadata: { name: "a", finalizers: ["example.com/wait"] } });
  await ask(server, "POST", `${base}/limitranges`, {
    metadata: { name: "l" },
    spec: { limits: [{ type: "PersistentVolumeClaim", max: { storage: "1Gi" } }] },
  });
  await until(async () => assert.equal((await ask(server, "PATCH", `${claims}/a`, { metadata: { labels: { a: "b" } } })).status, 403));
  await ask(server, "DELETE", `${claims}/a`);
  assert.equal((await ask(server, "PATCH", `${claims}/a`, { metadata: { labels: { a: "b" } } })).status, 200);
});

test("many namespaces with quotas of one resource are followed", async () => {
  await using server = await openTestServer();
  const names = Array.from({ length: 60 }, (_, i) => `n${i}`);
  for (const name of names) {
    await server.api.create("v1", "namespaces", "", { metadata: { name } });
    await server.api.create("v1", "resourcequotas", name, { metadata: { name: "q" }, spec: { hard: { secrets: "1" } } });
  }
  const used = async (name: string) => ((await server.api.get("v1", "resourcequotas", name, "q")) as any).status.used?.secrets;
  for (const name of names) await until(async () => assert.equal(await used(name), "0"));
  for (const name of ["n0", "n59"]) await server.api.create("v1", "secrets", name, { metadata: { name: "s" } });
  for (const name of ["n0", "n59"]) {
    assert.equal(await used(name), "1");
    await server.api.delete("v1", "secrets", name, "s");
    await until(async () => assert.equal(await used(name), "0"));
  }
});
