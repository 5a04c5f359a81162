// The objects of a definition that is being deleted: watches see each of them go, none can be created, the others can be changed.
// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestServer, type TestServer } from "../testing.ts";
import { documents } from "./https.ts";
import { done, send } from "./requests.ts";

const group = "things.example.com", definition = `things.${group}`;
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const things = `/apis/${group}/v1/namespaces/default/things`;
const thing = (name: string, metadata: object = {}) => ({ apiVersion: `${group}/v1`, kind: "Thing", metadata: { name, ...metadata } });

async function until(attempt: () => Promise<void>): Promise<void> {
  for (const end = AbortSignal.timeout(30_000);;) {
    try {
      return await attempt();
    } catch (error) {
      if (end.aborted) throw error;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

async function define(server: TestServer): Promise<void> {
  const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }];
  const spec = { group, scope: "Namespaced", names: { plural: "things", kind: "Thing" }, versions };
  await done(server, "POST", definitions, { metadata: { name: definition }, spec });
  await until(async () => assert.equal((await send(server, "GET", things)).status, 200));
}

/** The events of a watch from now on; `ended` resolves when the server has ended it. */
async function watch(server: TestServer, query: string): Promise<{ readonly events: string[]; readonly ended: Promise<void> }> {
  const { metadata } = await done(server, "GET", things);
  const { body } = await send(server, "GET", `${things}?watch=1&resourceVersion=${metadata.resourceVersion}${query}`);
  const events: string[] = [];
  const ended = (async () => {
    for await (const { type, object } of documents(body!)) events.push(`${type} ${object.metadata?.name ?? object.code}`);
  })();
  return { events, ended };
}

/** The resource in aggregated discovery. */
async function discovered(server: TestServer): Promise<any> {
  const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
  const { items } = await done(server, "GET", "/apis", undefined, { accept });
  return items.find(({ metadata }: any) => metadata.name === group)?.versions[0].resources[0];
}

test("discovery lists the verbs of a custom resource and its kind; its group has no OpenAPI document", async () => {
  await using server = await openTestServer();
  await define(server);
  const { verbs, responseKind } = await discovered(server);
  assert.deepEqual(verbs, ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"]);
  assert.deepEqual(responseKind, { group, version: "v1", kind: "Thing" });
  const { paths } = await done(server, "GET", "/openapi/v3");
  assert.deepEqual(Object.keys(paths).filter((path) => path.includes(group)), [`apis/${group}/v1`]);
});

test("watches see the deletion of each object when their definition is deleted", async () => {
  await using server = await openTestServer();
  await define(server);
  for (const name of ["a", "b"]) await done(server, "POST", things, thing(name));
  const all = await watch(server, ""), one = await watch(server, "&fieldSelector=metadata.name%3Da");
  await done(server, "DELETE", `${definitions}/${definition}`);
  await Promise.all([all.ended, one.ended]);
  const deleted = (events: readonly string[]) => events.filter((event) => event.startsWith("DELETED")).toSorted();
  assert.deepEqual(deleted(all.events), ["DELETED a", "DELETED b"]);
  assert.deepEqual(deleted(one.events), ["DELETED a"]);
  await until(async () => assert.equal((await send(server, "GET", things)).status, 404));
  assert.deepEqual(server.logged.filter((line) => line.includes("failed")), []);
});

test("while a definition is being deleted its objects are changed and watched, and none is created", async () => {
  await using server = await openTestServer();
  await define(server);
  await done(server, "POST", things, thing("held", { finalizers: ["example.com/hold"] }));
  const { events, ended } = await watch(server, "");
  await done(server, "DELETE", `${definitions}/${definition}`);
  const reason = 'things.things.example.com "late" is forbidden: create not allowed while custom resource definition is terminating';
  await until(async () => {
    const response = await send(server, "POST", things, thing("late")), { code, message } = await response.json();
    assert.deepEqual([code, message], [403, reason]);
  });
  const another = await send(server, "POST", things, { ...thing("late"), kind: "Another" });
  assert.deepEqual([another.status, (await another.json()).message], [403, reason]);
  const applied = await send(server, "PATCH", `${things}/late?fieldManager=m`, thing("late"), "application/apply-patch+yaml");
  assert.deepEqual([applied.status, (await applied.json()).message], [403, reason]);
  const read = ["delete", "deletecollection", "get", "list", "watch"];
  assert.deepEqual((await done(server, "GET", `/apis/${group}/v1`)).resources[0].verbs, read);
  assert.deepEqual((await discovered(server)).verbs, read);
  const merge = (metadata: object) => done(server, "PATCH", `${things}/held`, { metadata }, "application/merge-patch+json");
  await merge({ labels: { changed: "yes" } });
  await until(async () => assert.ok((await done(server, "GET", `${things}/held`)).metadata.deletionTimestamp !== undefined));
  await merge({ finalizers: null });
  await ended;
  assert.deepEqual([events.filter((event) => event.startsWith("ADDED")), events.at(-1)], [[], "DELETED held"]);
  await until(async () => assert.equal((await send(server, "GET", `${definitions}/${definition}`)).status, 404));
});

test("a definition that is created again while the objects of the earlier one are deleted begins without objects", async () => {
  await using server = await openTestServer();
  await define(server);
  await done(server, "POST", things, thing("old"));
  await done(server, "DELETE", `${definitions}/${definition}`);
  await until(() => define(server));
  await until(async () => void await done(server, "POST", things, thing("new")));
  const { items } = await done(server, "GET", things);
  assert.deepEqual(items.map(({ metadata }: any) => metadata.name), ["new"]);
});

const version = (name: string, served: boolean, storage: boolean) => ({
  name,
  served,
  storage,
  schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
});
const defined = (versions: readonly object[], conversion: object = { strategy: "None" }) => ({
  metadata: { name: definition },
  spec: { group, scope: "Namespaced", names: { plural: "things", kind: "Thing" }, versions, conversion },
});

test("a definition none of whose versions is served is deleted with its objects, and clients do not reach them", async () => {
  await using server = await openTestServer();
  await done(server, "POST", definitions, defined([version("v1", true, true)]));
  await until(async () => void await done(server, "POST", things, thing("old")));
  const stored = await done(server, "GET", `${definitions}/${definition}`);
  await done(server, "PUT", `${definitions}/${definition}`, { ...stored, spec: defined([version("v1", false, true)]).spec });
  await until(async () => assert.equal((await send(server, "GET", things)).status, 404));
  assert.equal((await send(server, "GET", `${things}/old`)).status, 404);
  await done(server, "DELETE", `${definitions}/${definition}`);
  await until(async () => assert.equal((await send(server, "GET", `${definitions}/${definition}`)).status, 404));
  await done(server, "POST", definitions, defined([version("v1", true, true)]));
  await until(async () => assert.deepEqual((await done(server, "GET", things)).items, []));
});

test("a definition whose conversion webhook is gone is deleted with objects of every stored version", async () => {
  await using server = await openTestServer();
  const webhook = { conversionReviewVersions: ["v1"], clientConfig: { url: "https://127.0.0.1:9/convert" } };
  const conversion = { strategy: "Webhook", webhook };
  await done(server, "POST", definitions, defined([version("v1beta1", true, true), version("v1", true, false)], conversion));
  const old = { ...thing("old"), apiVersion: `${group}/v1beta1` };
  await until(async () => void await done(server, "POST", things.replace("/v1/", "/v1beta1/"), old));
  const stored = await done(server, "GET", `${definitions}/${definition}`);
  const { spec } = defined([version("v1beta1", true, false), version("v1", true, true)], conversion);
  await done(server, "PUT", `${definitions}/${definition}`, { ...stored, spec });
  await until(async () => void await done(server, "POST", things, thing("new")));
  assert.equal((await send(server, "GET", things)).status, 500, "the old object cannot be converted");
  await done(server, "DELETE", `${definitions}/${definition}`);
  await until(async () => assert.equal((await send(server, "GET", `${definitions}/${definition}`)).status, 404));
  await done(server, "POST", definitions, defined([version("v1", true, true)]));
  await until(async () => assert.deepEqual((await done(server, "GET", things)).items, []));
});
