import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApiObject } from "../plugin.ts";
import type { ApiCollection } from "../toolbox.ts";
import { fakeApi, fakeContext } from "../testing/fakes.ts";
import { internalError, notFoundError } from "../core/status-error.ts";
import { until } from "./real-server.ts";
import { openTestServer } from "../testing.ts";
import { garbageCollector } from "../plugins/cluster/garbage-collector.ts";
import { send } from "./requests.ts";

const collectionOf = (resource: string, kind: string): ApiCollection => ({ groupVersion: "v1", resource, kind, namespaced: true });
const ownedBy = (name: string, owner: string): ApiObject => ({
  kind: "Secret",
  apiVersion: "v1",
  metadata: {
    name,
    namespace: "one",
    uid: `uid-${name}`,
    ownerReferences: [{ apiVersion: "v1", kind: "Secret", name: owner, uid: `uid-${owner}` }],
  },
});

test("a kind that cannot be followed waits alone, with a log line and a metric that name it, until it can be", async () => {
  const objects = new Map(["a", "b"].map((name) => [name, ownedBy(name, "gone")]));
  const deleted: string[] = [], logged: string[] = [], waiting: number[] = [];
  let isBroken = true, tries = 0;
  const ending = new AbortController();
  const api = fakeApi({
    collections: () => [collectionOf("configmaps", "ConfigMap"), collectionOf("secrets", "Secret")],
    async *followCollections(_, signal) {
      yield api.collections("watch");
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    },
    async *watch(...[, resource, , , signal, , synced]) {
      if (resource === "configmaps") {
        tries++;
        if (isBroken) throw internalError('the object stored under "/registry/configmaps/one/x" cannot be read');
      } else for (const object of objects.values()) yield { type: "ADDED", object };
      synced?.();
      await new Promise((resolve) => signal!.addEventListener("abort", resolve));
    },
    get: (_, resource, __, name) => {
      const found = resource === "secrets" ? objects.get(name) : undefined;
      return found === undefined ? Promise.reject(notFoundError({ group: "", name: resource }, name)) : Promise.resolve(found);
    },
    list: () => Promise.resolve({ metadata: { resourceVersion: "1" }, items: [] }),
    delete: (_, __, ___, name) => {
      deleted.push(name);
      objects.delete(name);
      return Promise.resolve();
    },
  });
  const metric = ({ name }: { readonly name: string }) => ({
    with: (labels: object) => ({ set: (value: number) => (assert.deepEqual([name, labels], waitingOf), waiting.push(value)) }),
  });
  const waitingOf = ["thole_garbage_collector_waiting_resources", { group: "", resource: "configmaps" }];
  const logError = (sentence: string, error?: unknown) => logged.push(`${sentence}: ${error instanceof Error ? error.message : error}`);
  const running = garbageCollector.run(fakeContext({ api, metric: metric as never, logError }), ending.signal); // only gauges are recorded
  await until(() => {
    assert.deepEqual(deleted.toSorted(), ["a", "b"], "objects of other kinds are collected");
    assert.ok(tries >= 3, "it is tried again");
  });
  assert.deepEqual(logged.length, 1, "one line for all tries");
  assert.match(
    logged[0]!,
    /^the objects of configmaps cannot be followed: they wait, other resources go on: .*configmaps\/one\/x" cannot be read$/,
  );
  assert.equal(waiting.at(-1), 1);
  isBroken = false;
  await until(() => assert.equal(waiting.at(-1), 0));
  ending.abort();
  await running;
});

test("an object whose owner lies in another namespace is collected, with an event that says so", async () => {
  await using server = await openTestServer();
  const { api } = server;
  for (const name of ["one", "two"]) await api.create("v1", "namespaces", "", { metadata: { name } });
  const { metadata: { uid } } = await api.create("v1", "configmaps", "two", { metadata: { name: "owner" } });
  const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid }];
  await api.create("v1", "configmaps", "one", { metadata: { name: "dependent", ownerReferences } });
  await until(async () => {
    const { items } = await api.list("v1", "events", "one") as { items: readonly any[] };
    const [event] = items.filter(({ reason }) => reason === "OwnerRefInvalidNamespace");
    assert.deepEqual([event?.type, event?.involvedObject.kind, event?.involvedObject.name], ["Warning", "ConfigMap", "dependent"]);
    const about = `[v1/ConfigMap, namespace: one, name: owner, uid: ${uid}]`;
    assert.equal(event.message, `ownerRef ${about} does not exist in namespace "one"`);
    assert.equal((await send(server, "GET", "/api/v1/namespaces/one/configmaps/dependent")).status, 404);
  });
  assert.equal((await api.get("v1", "configmaps", "two", "owner")).metadata.uid, uid);
});

test("an object that cannot be read, and one whose deletion fails, do not stop the others", async () => {
  const deleted: string[] = [], logged: string[] = [], ending = new AbortController();
  const api = fakeApi({
    collections: () => [collectionOf("configmaps", "ConfigMap"), collectionOf("secrets", "Secret")],
    async *followCollections(_, signal) {
      yield api.collections("watch");
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    },
    async *watch(...[, resource, , , signal, , synced]) {
      if (resource === "configmaps") yield { type: "ADDED", object: {} as ApiObject };
      else for (const name of ["a", "b"]) yield { type: "ADDED", object: ownedBy(name, "gone") };
      synced?.();
      await new Promise((resolve) => signal!.addEventListener("abort", resolve));
    },
    list: () => Promise.resolve({ metadata: { resourceVersion: "1" }, items: [] }),
    get: (_, resource, __, name) =>
      name === "gone" ? Promise.reject(notFoundError({ group: "", name: resource }, name)) : Promise.resolve(ownedBy(name, "gone")),
    delete: (_, __, ___, name) => {
      if (name === "a") return Promise.reject(new TypeError("a fault"));
      deleted.push(name);
      return Promise.resolve();
    },
  });
  const metric = () => ({ with: () => ({ set() {} }) });
  const logError = (sentence: string) => logged.push(sentence);
  const running = garbageCollector.run(fakeContext({ api, metric: metric as never, logError }), ending.signal); // only gauges are recorded
  await until(() => {
    assert.deepEqual(deleted, ["b"], logged.join("; "));
    assert.ok(logged.includes("secrets one/a cannot be processed; it is tried again"));
    assert.ok(logged.includes("the objects of configmaps cannot be followed: they wait, other resources go on"));
  });
  ending.abort();
  await running;
});
