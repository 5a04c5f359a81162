// The JavaScript client with its public API: typed calls, a watch, and an informer across a restart of the server.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ApiException, CoreV1Api, makeInformer, type V1ConfigMap, Watch } from "@kubernetes/client-node";
import { freePort } from "../ports.ts";
import { type Runtime, startRealServer, startSkipped, until } from "../real-server.ts";
import { openEtcd } from "../../kernel/store/etcd/etcd.ts";
import { etcdMissing, startEtcd } from "../etcd.ts";
import { configOf } from "./client-node.ts";

const namespace = "default";
const nameOf = (object: V1ConfigMap): string => object.metadata?.name ?? "";

for (const runtime of ["deno", "node"] as const) {
  const skip = startSkipped(runtime);

  test(`@kubernetes/client-node creates, reads, lists, replaces, watches and deletes on ${runtime}`, { skip }, async () => {
    const server = await startRealServer({ runtime });
    try {
      const config = configOf(server.kubeconfig);
      const api = config.makeApiClient(CoreV1Api);
      const events: string[] = [];
      const controller = await new Watch(config).watch(
        `/api/v1/namespaces/${namespace}/configmaps`,
        { allowWatchBookmarks: true },
        (phase, object: V1ConfigMap) => events.push(`${phase} ${nameOf(object)}`),
        () => {},
      );
      const made = await api.createNamespacedConfigMap({
        namespace,
        body: { metadata: { name: "a", labels: { app: "x" } }, data: { k: "v" } },
      });
      assert.ok(made.metadata?.creationTimestamp instanceof Date);
      assert.equal((await api.readNamespacedConfigMap({ namespace, name: "a" })).data?.["k"], "v");
      await api.replaceNamespacedConfigMap({ namespace, name: "a", body: { ...made, data: { k: "w" } } });
      await assert.rejects(
        api.replaceNamespacedConfigMap({ namespace, name: "a", body: { ...made, data: { k: "x" } } }),
        (error) => error instanceof ApiException && error.code === 409,
      );
      const list = await api.listNamespacedConfigMap({ namespace, labelSelector: "app=x", limit: 1 });
      assert.deepEqual(list.items.map((item) => [nameOf(item), item.data?.["k"]]), [["a", "w"]]);
      await api.deleteNamespacedConfigMap({ namespace, name: "a" });
      await assert.rejects(
        api.readNamespacedConfigMap({ namespace, name: "a" }),
        (error) => error instanceof ApiException && error.code === 404,
      );
      await until(() => assert.deepEqual(events.filter((event) => event.endsWith(" a")), ["ADDED a", "MODIFIED a", "DELETED a"]));
      controller.abort();
    } finally {
      await server.close();
    }
  });

  test(
    `an informer of @kubernetes/client-node resumes without a list when the server on ${runtime} restarts`,
    { skip },
    () =>
      informed(runtime, [], async ({ api, known, restart, lists }) => {
        await until(() => assert.deepEqual(known(), ["before"]));
        await restart();
        await until(() => api.createNamespacedConfigMap({ namespace, body: { metadata: { name: "after" } } }));
        await until(() => assert.deepEqual(known(), ["after", "before"]));
        assert.equal(lists(), 1);
      }),
  );
}

test("an informer of @kubernetes/client-node lists again when its history was compacted", {
  skip: etcdMissing() || startSkipped("deno"),
}, async () => {
  const etcd = await startEtcd();
  try {
    await informed("deno", [`--etcd-servers=${etcd.endpoint}`], async ({ api, known, restart, lists }) => {
      await until(() => assert.deepEqual(known(), ["before"]));
      await restart(async () => {
        const store = await openEtcd({ endpoints: [etcd.endpoint] });
        const key = `/registry/configmaps/${namespace}/before`;
        const { entry } = await store.get(key);
        await store.commit({ key, expect: entry!.revision, value: undefined });
        const { revision } = await store.get(key);
        await store.commit({ key: "/elsewhere", expect: "absent", value: new Uint8Array(1) });
        await store.compact(revision + 1);
        await store.close();
      });
      await until(() => api.createNamespacedConfigMap({ namespace, body: { metadata: { name: "after" } } }));
      await until(() => assert.deepEqual(known(), ["after"]));
      assert.equal(lists(), 2);
    });
  } finally {
    await etcd.stop();
  }
});

interface Informed {
  readonly api: CoreV1Api;
  /** Names in the informer's cache. */
  readonly known: () => readonly string[];
  /** Number of lists. */
  readonly lists: () => number;
  /** Stops the server gracefully, calls `meanwhile`, and starts it again on its port. */
  restart(meanwhile?: () => Promise<void>): Promise<void>;
}

/** An informer whose cache has the object "before", and its server. */
async function informed(runtime: Runtime, args: readonly string[], use: (informed: Informed) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "thole-informer-"));
  const port = await freePort();
  const start = () => startRealServer({ runtime, folder, args: [`--secure-port=${port}`, ...args] });
  let server = await start();
  const config = configOf(server.kubeconfig);
  const api = config.makeApiClient(CoreV1Api);
  let lists = 0, stopped = false;
  const informer = makeInformer(config, `/api/v1/namespaces/${namespace}/configmaps`, async () => {
    const list = await api.listNamespacedConfigMap({ namespace });
    lists++;
    return list;
  });
  const later: Promise<void>[] = [];
  // As in its own example: the user restarts it after an error.
  informer.on("error", () => {
    if (!stopped) later.push(new Promise<void>((resolve) => setTimeout(resolve, 100)).then(() => informer.start()).catch(() => {}));
  });
  try {
    await informer.start();
    await api.createNamespacedConfigMap({ namespace, body: { metadata: { name: "before" } } });
    await use({
      api,
      known: () => informer.list().map(nameOf).toSorted(),
      lists: () => lists,
      async restart(meanwhile) {
        server.signal("SIGTERM");
        assert.equal(await server.exited, 0);
        await meanwhile?.();
        server = await start();
      },
    });
  } finally {
    stopped = true;
    await informer.stop();
    await Promise.all(later);
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
}
