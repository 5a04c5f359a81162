import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { clientFrom } from "../../client.ts";
import { defineResource, field, type Infer, int64, object, record, string, struct } from "../../plugin.ts";
import { until } from "../real-server.ts";
import { adminToken, type KubeApiserver, kubeApiserverMissing, minorOf, startKubeApiserver } from "./kube-apiserver.ts";

test("minorOf() reads the version of a release, and the help of a development build", () => {
  assert.equal(minorOf("Kubernetes v1.36.0-alpha.1\n"), 36);
  assert.equal(minorOf("Kubernetes v1.9.11\n"), 9);
  assert.equal(minorOf("Kubernetes v0.0.0-master+8e16b12fda5b\n"), undefined);
  const help = "  --emulated-version strings   The versions different components emulate.\n   Options are: kube=1.33..1.36(default:1.36)\n";
  assert.equal(minorOf(help), 36);
  assert.equal(minorOf("  --etcd-servers strings\n"), undefined, "of releases before 1.31");
});

const ConfigMap = object("ConfigMap", { data: field(2, record(string), "Texts by key.") }, { doc: "Texts." });
const Gauge = object("Gauge", { spec: field(2, struct("GaugeSpec", { level: field(1, int64, "A level.") }), "What is wanted.") }, {
  doc: "A gauge.",
});
const served = <T>(schema: T) => ({ schema, introduced: "1.0" }) as const;
const configMaps = defineResource<Infer<typeof ConfigMap>>({
  kind: "ConfigMap",
  scope: "Namespaced",
  summary: "Texts.",
  storedAs: "v1",
  storedUnder: "configmaps",
  served: { v1: served(ConfigMap) },
});
const gauges = defineResource<Infer<typeof Gauge>>({
  kind: "Gauge",
  scope: "Namespaced",
  summary: "A gauge.",
  storedAs: "example.com/v1",
  storedUnder: "example.com/gauges",
  served: { "example.com/v1": served(Gauge) },
});
const gaugeDefinition = {
  kind: "CustomResourceDefinition",
  metadata: { name: "gauges.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { kind: "Gauge", plural: "gauges" },
    versions: [{
      name: "v1",
      served: true,
      storage: true,
      schema: {
        openAPIV3Schema: {
          type: "object",
          properties: { spec: { type: "object", properties: { level: { type: "integer", format: "int64" } } } },
        },
      },
    }],
  },
};

describe("a kube-apiserver", { skip: kubeApiserverMissing() }, () => {
  let server: KubeApiserver;
  before(async () => {
    server = await startKubeApiserver([]);
  });
  after(() => server.close());

  test("startKubeApiserver() emulates the release of this server, also with a newer program", async () => {
    const { emulationMajor, emulationMinor, major, minor } = (await server.admin.ask("/version")).json();
    // A program of that release has no other to emulate.
    assert.equal(`${emulationMajor ?? major}.${emulationMinor ?? minor}`, "1.35");
  });

  test("clientFrom() reads, writes and follows built-in and custom kinds of it", async () => {
    await using client = await clientFrom({ server: { url: server.url, ca: server.ca.cert, token: adminToken }, fieldManager: "tester" });
    const maps = client.of(configMaps), ending = new AbortController(), seen: string[] = [];
    const made = await maps.create("default", { metadata: { name: "a" }, data: { k: "v" } });
    assert.deepEqual([made.kind, made.data, made.metadata.managedFields?.[0]?.manager], ["ConfigMap", { k: "v" }, "tester"]);
    await assert.rejects(maps.create("default", { metadata: { name: "a" } }), { reason: "AlreadyExists", code: 409 });
    assert.deepEqual((await maps.list("default", { fieldSelector: "metadata.name=a" })).items.map(({ kind, data }) => [kind, data]), [
      ["ConfigMap", { k: "v" }],
    ]);
    const informer = maps.informer("default", { fieldSelector: "metadata.name=a" }),
      { promise: gone, resolve } = Promise.withResolvers<void>();
    const running = informer.run(ending.signal, {
      added: ({ data }) => void seen.push(`added ${data?.k}`),
      updated: ({ data }) => void seen.push(`updated ${data?.k}`),
      deleted: () => resolve(),
    });
    await informer.synced;
    await maps.patch("default", "a", { json: [{ op: "replace", path: "/data/k", value: "json" }] });
    await maps.patch("default", "a", { merge: { data: { k: "merge" } } });
    await maps.patch("default", "a", { strategic: { data: { k: "strategic" } } });
    await maps.apply("default", "a", { data: { k: "apply" } });
    await maps.delete("default", "a");
    await gone;
    assert.deepEqual(seen, ["added v", "updated json", "updated merge", "updated strategic", "updated apply"]);
    ending.abort();
    await running;

    // The kind of the apply comes from discovery.
    await client.create("apiextensions.{domain}/v1", "customresourcedefinitions", "", gaugeDefinition);
    const level = 2n ** 62n + 1n, few = client.of(gauges);
    await until(() => client.apply("example.com/v1", "gauges", "default", "g", { spec: { level } }));
    assert.equal((await few.get("default", "g")).spec?.level, level);
    assert.equal(
      await few.update("default", "g", { metadata: { name: "g" }, spec: { level: 7 } }).catch(({ reason }) => reason),
      "Invalid",
    );
    await few.create("default", { metadata: { name: "h" }, spec: { level } });
    const pages = [];
    for await (const { items } of few.pages("", 1)) pages.push(items.map(({ kind, spec }) => [kind, spec?.level]));
    assert.deepEqual(pages, [[["Gauge", level]], [["Gauge", level]]]);
    await few.deleteCollection("default");
    assert.deepEqual((await few.list("")).items, []);
  });
});
