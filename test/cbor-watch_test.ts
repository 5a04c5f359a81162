// Watches in CBOR (`application/cbor-seq`), including the error event that ends a watch.
// In Deno's suite only: encoders use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Store } from "../kernel/store/store.ts";
import { events, gate, type, where } from "./cbor.ts";
import type { Client } from "./https.ts";
import { until } from "./real-server.ts";
import { stores, within } from "./stores.ts";

const streamed = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";

async function watches(client: Client): Promise<void> {
  const rv = (await client.ask(where)).json().metadata.resourceVersion;
  const write = async (method: string, path: string, body?: object) => {
    const answer = await client.ask(path, { method, ...(body === undefined ? {} : { body }) });
    assert.ok(answer.status < 300, answer.text);
  };
  await write("POST", where, { metadata: { name: "w" }, data: { k: "1" } });
  await write("PUT", `${where}/w`, { metadata: { name: "w" }, data: { k: "2" } });
  const ask = (query: string, accept = type) => client.ask(`${where}?watch=1&timeoutSeconds=1&${query}`, { headers: { accept } });

  const since = await ask(`resourceVersion=${rv}`);
  assert.equal(since.headers["content-type"], "application/cbor-seq");
  assert.deepEqual(events(since.bytes).map(({ type, object }) => [type, object.kind, object.data.k]), [["ADDED", "ConfigMap", "1"], [
    "MODIFIED",
    "ConfigMap",
    "2",
  ]]);

  const initial = await ask("sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true");
  const streamed = events(initial.bytes);
  assert.deepEqual(streamed.slice(0, 2).map(({ type, object }) => [type, object.metadata.name ?? null]), [["ADDED", "w"], [
    "BOOKMARK",
    null,
  ]]);
  assert.equal(streamed[1].object.metadata.annotations["k8s.io/initial-events-end"], "true");

  const partial = await ask(`resourceVersion=${rv}`, `${type};as=PartialObjectMetadata;v=v1;g=meta.k8s.io`);
  assert.deepEqual(events(partial.bytes).map(({ object }) => [object.kind, object.data]), [["PartialObjectMetadata", undefined], [
    "PartialObjectMetadata",
    undefined,
  ]]);
  await write("DELETE", `${where}/w`);
}

/** The only event of a watch that ends with an error. */
async function endedBy(client: Client, query: string): Promise<any> {
  const answer = await client.ask(`${where}?watch=1&timeoutSeconds=60&${query}`, { headers: { accept: type } });
  assert.deepEqual([answer.status, answer.headers["content-type"]], [200, "application/cbor-seq"]);
  const [event, ...rest] = events(answer.bytes);
  assert.deepEqual([event?.type, event?.object.kind, event?.object.apiVersion, rest], ["ERROR", "Status", "v1", []]);
  return event.object;
}

async function isTooOld(client: Client): Promise<void> {
  const { resourceVersion } = (await client.ask(where)).json().metadata;
  const write = async () =>
    assert.equal((await client.ask(where, { method: "POST", body: { metadata: { generateName: "a-" } } })).status, 201);
  await write();
  await write();
  await until(async () => {
    const list = await client.ask(`${where}?resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`);
    assert.equal(list.status, 410, "not compacted yet");
  });
  const { message, metadata, ...rest } = await endedBy(client, `resourceVersion=${resourceVersion}`);
  assert.match(message, new RegExp(`^too old resource version: ${resourceVersion} \\(\\d+\\)$`));
  assert.deepEqual({ ...rest, metadata }, {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    reason: "Expired",
    code: 410,
  });
}

async function isTooLarge(client: Client): Promise<void> {
  const { reason, code, details } = await endedBy(client, `${streamed}&resourceVersion=${2 ** 40}`);
  assert.deepEqual([reason, code, details.causes[0].reason], ["Timeout", 504, "ResourceVersionTooLarge"]);
}

/** An event that is pending when the server finds an undecodable value. */
async function isUnreadable(client: Client, store: Store): Promise<void> {
  const { resourceVersion } = (await client.ask(where)).json().metadata;
  const made = await client.ask(where, { method: "POST", body: { metadata: { name: "fine" } } });
  assert.equal(made.status, 201);
  const value = new TextEncoder().encode("{nonsense");
  assert.ok((await store.commit({ key: "/registry/configmaps/default/broken", expect: "absent", value })).done);
  const answer = await client.ask(`${where}?watch=1&timeoutSeconds=60&resourceVersion=${resourceVersion}`, { headers: { accept: type } });
  const [fine, broken, ...rest] = events(answer.bytes);
  assert.deepEqual([fine.type, fine.object.metadata.name, broken.type, rest], ["ADDED", "fine", "ERROR", []]);
  assert.deepEqual([broken.object.reason, broken.object.code], ["InternalError", 500]);
}

for (const { store, on, skip } of stores) {
  test(
    `a watch in CBOR on ${store} delivers the initial state, changes, and metadata only on request`,
    { skip },
    () => on((_open, args) => within([...args, gate], watches)),
  );

  test(
    `a rejected watch in CBOR on ${store} is one ERROR event with a Status in CBOR: for a compacted version and for a future one`,
    {
      skip,
    },
    () =>
      on((_open, args) =>
        within([...args, gate, "--etcd-compaction-interval=500ms"], async (client) => {
          await isTooOld(client);
          await isTooLarge(client);
        })
      ),
  );
}

const [etcd] = stores.filter(({ store }) => store === "etcd");
test(
  "a watch in CBOR ends with an ERROR event at a value that cannot be decoded, after all earlier events",
  { skip: etcd?.skip ?? false },
  () =>
    etcd!.on(async (open, args) => {
      const store = await open();
      try {
        await within([...args, gate], (client) => isUnreadable(client, store));
      } finally {
        await store.close();
      }
    }),
);
