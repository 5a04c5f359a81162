import assert from "node:assert/strict";
import { test } from "node:test";
import { createRegistry } from "../metrics/mod.ts";
import { measuredStore } from "./measured-store.ts";
import { kernelMetrics } from "./metrics.ts";
import { type Store, StoreError } from "./store/store.ts";

test("measuredStore() counts and times requests by what they are about, and counts failures but not lost races", async () => {
  const { record, text } = createRegistry(kernelMetrics);
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
    compact: async () => {},
    size: async () => 7,
    close: async () => {},
  };
  const store = measuredStore(plain, (key) => ({ group: "", resource: key.split("/")[1]! }), record, () => time);
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
