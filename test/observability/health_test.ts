// Health endpoints of a complete server.
// In Deno's suite only: the checks and their texts do not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { definePlugin } from "../../core/define/define.ts";
import { openTestServer } from "../../testing.ts";
import { etcdMissing, startEtcd } from "../etcd.ts";
import { inFolder, make, served, statusOf } from "../flags/served.ts";
import { plugins } from "../../plugins/mod.ts";
import { until } from "../real-server.ts";
import { textOf as text } from "../requests.ts";

test("the endpoints list their checks in upstream's order and format", async () => {
  await using server = await openTestServer();
  await until(async () => assert.equal(await text(server, "/readyz"), "ok"));
  const lines = async (endpoint: string) => (await text(server, `/${endpoint}?verbose`)).split("\n");
  const hooks = [
    "storage-readiness",
    "create-initial-objects",
    "start-authorizers",
    ...["persistentvolumeclaim-protection", "persistentvolume-protection", "volumeattributesclass-protection"],
    ...[
      "storage-version-migrator",
      "namespace",
      "serviceaccount",
      "serviceaccount-token",
      "legacy-token-tracking",
      "legacy-serviceaccount-token-cleaner",
      "root-ca-certificate-publisher",
      "garbage-collector",
      "resourcequota",
      "validatingadmissionpolicy-status",
      "clusterrole-aggregation",
      "custom-resource-establishing",
      "custom-resource-cleanup",
      "coordinated-leader-election",
      "cluster-authentication-info",
    ],
    "crd-informer-synced",
    "rbac/bootstrap-roles",
    "scheduling/bootstrap-system-priority-classes",
    "kubernetes-service-cidr",
    "bootstrap-controller",
    "priority-and-fairness-config-producer",
    "priority-and-fairness-config-consumer",
    "kube-apiserver-autoregistration",
    "apiservice-status-remote-available-controller",
    "apiservice-discovery-controller",
    "built-in-resources-storage-version-updater",
    "start-kube-apiserver-identity-lease-controller",
    "start-service-ip-repair-controllers",
  ].map((name) => {
    const isHook =
      /^(storage-readiness|crd-informer-synced|create-initial-objects|bootstrap-controller|priority-and-fairness-config-\w+|kube-apiserver-autoregistration|apiservice-[a-z-]+|built-in-resources-[a-z-]+|start-[a-z-]+|\w+\/bootstrap-[a-z-]+)$/
        .test(
          name,
        );
    return `[+]poststarthook/${isHook ? name : `start-${name}-controller`} ok`;
  }).concat("[+]autoregister-completion ok");
  const common = ["[+]ping ok", "[+]log ok", "[+]etcd ok"];
  const sorted = (all: readonly string[]) => [...all].sort();
  for (const endpoint of ["livez", "healthz"]) {
    const told = await lines(endpoint);
    assert.deepEqual(told.slice(0, 3), common);
    assert.deepEqual(sorted(told.slice(3, -2)), sorted(hooks));
    assert.deepEqual(told.slice(-2), [`${endpoint} check passed`, ""]);
  }
  const ready = await lines("readyz");
  assert.deepEqual(ready.slice(0, 5), [...common, "[+]etcd-readiness ok", "[+]informer-sync ok"]);
  assert.deepEqual(sorted(ready.slice(5, -3)), sorted(hooks));
  assert.deepEqual(ready.slice(-3), ["[+]shutdown ok", "readyz check passed", ""]);
});

test("a failing start hook is retried until it finishes", async () => {
  let tries = 0;
  const flaky = definePlugin({
    name: "flaky",
    summary: "Gets ready at the second try.",
    startHooks: [{
      name: "get-ready",
      async run({ api }) {
        await api.get("v1", "namespaces", "", "default");
        if (++tries < 2) throw new Error("not yet");
      },
    }],
  });
  await using server = await openTestServer({ plugins: [flaky] });
  await until(async () => assert.equal(await text(server, "/readyz/poststarthook/get-ready"), "ok"));
  assert.equal(tries, 2);
  assert.ok(server.logged.some((line) => line.includes("start hook get-ready failed") && line.includes("not yet")));
});

test("a controller without its initial state keeps the server unready, and the check names the kind", () =>
  inFolder(async (folder) => {
    const args = [`--data-dir=${folder}/data`];
    await served(args, (server) => make(server, "there-before"));
    const mayGoOn = Promise.withResolvers<void>();
    const follower = definePlugin({
      name: "follower",
      summary: "Takes its time over the first object that it sees.",
      controllers: [{
        name: "follower",
        async run({ api }, signal) {
          for await (const _ of api.watch("v1", "configmaps", "", {}, signal)) await mayGoOn.promise;
        },
      }],
    });
    await served(args, async (server) => {
      const failing = () => server.client.ask("/readyz/informer-sync");
      await until(async () => {
        assert.equal((await failing()).text, "internal server error: 1 informers not started yet: [*v1.ConfigMap]\n");
      });
      assert.equal(await statusOf(server, "/readyz/poststarthook/start-follower-controller"), 500);
      mayGoOn.resolve();
      await until(async () => assert.equal(await statusOf(server, "/readyz"), 200));
    }, [...plugins, follower]);
  }));

test("checks of plugins run at their endpoints", async () => {
  const ill = (name: string, endpoints: readonly ("healthz" | "livez" | "readyz")[]) => ({
    name,
    endpoints,
    check: () => Promise.reject(new Error("ill")),
  });
  const plugin = definePlugin({ name: "ill", summary: "Is never well.", healthChecks: [ill("heart", ["livez"]), ill("skin", ["readyz"])] });
  await using server = await openTestServer({ plugins: [plugin] });
  const failing = async (endpoint: string) =>
    [...(await text(server, `/${endpoint}?verbose`)).matchAll(/^\[-\](\S+) failed/gm)].map(([, name]) => name).filter((name) =>
      !name!.includes("/")
    );
  await until(async () => assert.equal(await text(server, "/readyz/informer-sync"), "ok"));
  assert.deepEqual([await failing("livez"), await failing("readyz"), await failing("healthz")], [["heart"], ["skin"], []]);
});

test("an unavailable store makes the server unready and not alive, and both recover with it", async (context) => {
  const missing = etcdMissing();
  if (missing !== false) return context.skip(missing);
  const etcd = await startEtcd();
  try {
    await served([`--etcd-servers=${etcd.endpoint}`], async (server) => {
      const statuses = () => Promise.all(["/readyz", "/livez", "/healthz"].map((path) => statusOf(server, path)));
      await until(async () => assert.deepEqual(await statuses(), [200, 200, 200]));
      await etcd.kill();
      await until(async () => assert.deepEqual(await statuses(), [500, 500, 500]));
      // Each check detects it after its own timeout.
      await until(async () => {
        const { text } = await server.client.ask("/readyz");
        for (const name of ["etcd", "etcd-readiness"]) assert.ok(text.includes(`[-]${name} failed: reason withheld\n`), text);
      });
      assert.match(
        (await server.client.ask("/readyz/etcd-readiness")).text,
        /^internal server error: (etcd at http:\/\/127\.0\.0\.1:\d+ unreachable since |error getting data from etcd: |timed out)/,
      );
      await etcd.restart();
      await until(async () => assert.deepEqual(await statuses(), [200, 200, 200]));
    });
  } finally {
    await etcd.stop();
  }
});
