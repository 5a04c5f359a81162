import assert from "node:assert/strict";
import { test } from "node:test";
import { createRegistry } from "../../metrics/mod.ts";
import { measuredStore, type StoredPlaces } from "./measured-store.ts";
import { requestMetrics } from "./metrics.ts";
import { type Batch, type Store, StoreError } from "../store/store.ts";

/** The second segment of a key is the resource; there are two resources. */
function places(): StoredPlaces {
  const kinds = ["configmaps", "secrets"].map((resource) => ({ group: "", resource }));
  return {
    of: (key) => kinds.find(({ resource }) => resource === key.split("/")[1])!,
    under: (prefix) => kinds.filter(({ resource }) => `/${resource}/`.startsWith(prefix)),
  };
}

test("measuredStore() counts and times requests by resource, and counts failures but not lost races", async () => {
  const { record, text } = createRegistry(requestMetrics);
  let time = 0;
  const plain: Store = {
    get: async () => {
      time += 500;
      return { entry: undefined, revision: 1 };
    },
    list: () => Promise.reject(new StoreError("unavailable", "gone")),
    newest: () => 7,
    commit: async () => ({ done: false, current: undefined }),
    watch: async function* () {},
    claim: async () => ({ isOwn: true, writes: 1, revision: 1 }),
    compact: async () => {},
    size: async () => 7,
    close: async () => {},
  };
  const store = measuredStore(plain, places(), record, () => time);
  await store.get("/configmaps/a/b");
  await assert.rejects(store.list({ prefix: "/configmaps/" }), { code: "unavailable" });
  await store.commit({ key: "/secrets/a/b", expect: "absent", value: new Uint8Array() });
  await store.commit({ key: "/secrets/a/b", expect: 1, value: new Uint8Array() });
  await store.commit({ key: "/secrets/a/b", expect: 1, value: undefined });
  const written = await text();
  assert.deepEqual(written.match(/^etcd_requests_total.*$/gm), [
    'etcd_requests_total{group="",operation="get",resource="configmaps"} 1',
    'etcd_requests_total{group="",operation="list",resource="configmaps"} 1',
    'etcd_requests_total{group="",operation="create",resource="secrets"} 1',
    'etcd_requests_total{group="",operation="update",resource="secrets"} 1',
    'etcd_requests_total{group="",operation="delete",resource="secrets"} 1',
  ]);
  assert.deepEqual(written.match(/^etcd_request_errors_total.*$/gm), [
    'etcd_request_errors_total{group="",operation="list",resource="configmaps"} 1',
  ]);
  assert.match(written, /^etcd_request_duration_seconds_sum\{group="",operation="get",resource="configmaps"\} 0.5$/m);
});

test("measuredStore() counts the events of watches by resource, and progress notifications for each covered resource", async () => {
  const { record, text } = createRegistry(requestMetrics);
  const event = (key: string) => ({ key, revision: 2, value: undefined, previous: undefined });
  const batches: readonly Batch[] = [
    { revision: 2, events: ["/configmaps/a/a", "/configmaps/a/b", "/secrets/a/a", "/configmaps/a/c"].map(event) },
    { revision: 3, events: [] },
  ];
  let ended = 0;
  const plain = {
    async *watch() {
      try {
        yield* batches;
      } finally {
        ended++;
      }
    },
  };
  // `as`: the test uses no other member of the store.
  const store = measuredStore(plain as unknown as Store, places(), record, () => 0);
  const { signal } = new AbortController();
  const got: Batch[] = [];
  for await (const batch of store.watch({ prefix: "/" }, 1, signal)) got.push(batch);
  assert.deepEqual(got, batches);
  for await (const batch of store.watch({ prefix: "/configmaps/" }, 1, signal)) if (batch.events.length === 0) break;
  assert.equal(ended, 2);
  const written = await text();
  assert.deepEqual(written.match(/^apiserver_storage_events_received_total.*$/gm), [
    'apiserver_storage_events_received_total{group="",resource="configmaps"} 6',
    'apiserver_storage_events_received_total{group="",resource="secrets"} 2',
  ]);
  assert.deepEqual(written.match(/^etcd_bookmark_counts.*$/gm), [
    'etcd_bookmark_counts{group="",resource="configmaps"} 2',
    'etcd_bookmark_counts{group="",resource="secrets"} 1',
  ]);
});
