// The served resources change while the server runs: no other request fails, and no other watch misses an event.
// In Deno's suite only: what is served after a reload does not depend on the runtime; test/reload/under-load_test.ts runs on both.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { inFolder, type Served, served } from "../flags/served.ts";
import { documents } from "../https.ts";
import { until } from "../real-server.ts";

const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
const configMaps = "/api/v1/namespaces/default/configmaps";
const aggregated = { accept: "application/json;v=v2;g=apidiscovery.k8s.io;as=APIGroupDiscoveryList" };

/** A server whose configuration file the test writes; `change` resolves when the server has logged the result. */
function reloading(
  first: string,
  use: (server: Served, change: (text: string) => Promise<string>) => Promise<void>,
  args: readonly string[] = [],
): Promise<void> {
  return inFolder(async (folder) => {
    const file = join(folder, "thole.yaml");
    await writeFile(file, first);
    await served([`--config=${file}`, ...args], (server) =>
      use(server, async (text) => {
        const told = server.logged.length;
        await writeFile(file, text);
        await server.running.reload();
        return server.logged.slice(told).findLast((line) => /configuration/.test(line)) ?? "";
      }));
  });
}

const statusOf = async ({ client }: Served, path: string) => (await client.ask(path)).status;
const metric = async ({ client }: Served, name: string) =>
  (await client.ask("/metrics")).text.split("\n").filter((line) => line.startsWith(name));

/** Creates objects in sequence and reads each back, until it is stopped; returns the errors. */
function load({ client }: Served): { stop(): Promise<{ readonly made: number; readonly failures: readonly string[] }> } {
  let stopped = false;
  const failures: string[] = [];
  const running = (async () => {
    let made = 0;
    while (!stopped) {
      const name = `l-${made}`;
      const created = await client.ask(leases, { method: "POST", body: { metadata: { name } } });
      if (created.status === 201) made++;
      else failures.push(`create ${name}: ${created.status} ${created.text}`);
      for (const path of [`${leases}/${name}`, `${leases}?limit=1`, "/apis"]) {
        const { status, text } = await client.ask(path);
        if (status !== 200) failures.push(`${path}: ${status} ${text}`);
      }
    }
    return made;
  })();
  return {
    async stop() {
      stopped = true;
      return { made: await running, failures };
    },
  };
}

test("plugins are removed and added under load: no request for others fails, and their watches continue without a gap", () =>
  reloading("plugins: []\n", async (server, change) => {
    const { client } = server;
    const seen: string[] = [];
    const watching = new AbortController();
    const { chunks } = await client.stream(`${leases}?watch=1&timeoutSeconds=60`, { signal: watching.signal });
    const watch = (async () => {
      for await (const { type, object } of documents(chunks)) seen.push(`${type} ${object.metadata?.name ?? object.message}`);
    })().catch(() => {}); // The abort at the end.
    const running = load(server);
    await client.ask(configMaps, { method: "POST", body: { metadata: { name: "kept" }, data: { a: "b" } } });
    for (let round = 0; round < 3; round++) {
      await change("plugins: [-configmaps]\n");
      assert.equal(await statusOf(server, `${configMaps}/kept`), 404);
      await change("plugins: []\n");
      assert.equal((await client.ask(`${configMaps}/kept`)).json().data.a, "b", "objects stay stored");
      assert.equal(await statusOf(server, `${configMaps}?resourceVersion=0`), 200);
    }
    const { made, failures } = await running.stop();
    assert.deepEqual(failures, []);
    assert.ok(made > 0);
    await until(() => assert.equal(seen.length, made));
    watching.abort();
    await watch;
    assert.deepEqual(seen, Array.from({ length: made }, (_, index) => `ADDED l-${index}`));
  }));

test("a watch of a removed resource ends with the 404 of a new request, after all earlier events", () =>
  reloading("", async (server, change) => {
    const { client } = server;
    const { chunks } = await client.stream(`${configMaps}?watch=1&timeoutSeconds=60`);
    const frames: { type: string; object: any }[] = [];
    const ended = (async () => {
      for await (const frame of documents(chunks)) frames.push(frame);
    })();
    await client.ask(configMaps, { method: "POST", body: { metadata: { name: "last" } } });
    await until(() => assert.equal(frames.some(({ object }) => object.metadata.name === "last"), true));
    await change("runtime-config: {v1/configmaps: false}\n");
    await ended;
    const { type, object } = frames.at(-1)!;
    assert.equal(type, "ERROR");
    const refused = (await client.ask(configMaps)).json();
    assert.deepEqual(object, refused);
    assert.equal(object.code, 404);
  }));

test("discovery, OpenAPI and their ETags follow the served resources", () =>
  reloading("", async (server, change) => {
    const { client } = server;
    const look = async () => {
      const [legacy, both, v3, v2] = await Promise.all([
        client.ask("/api/v1"),
        client.ask("/api", { headers: aggregated }),
        client.ask("/openapi/v3"),
        client.ask("/openapi/v2"),
      ]);
      return {
        legacy: /"secrets"/.test(legacy.text),
        aggregated: /"secrets"/.test(both.text),
        v2: /namespaces\/\{namespace\}\/secrets/.test(v2.text),
        etags: [both.headers.etag, v2.headers.etag, v3.json().paths["api/v1"]?.serverRelativeURL],
      };
    };
    const before = await look();
    assert.deepEqual([before.legacy, before.aggregated, before.v2], [true, true, true]);
    await change("runtime-config: {v1/secrets: false}\n");
    const without = await look();
    assert.deepEqual([without.legacy, without.aggregated, without.v2], [false, false, false]);
    without.etags.forEach((etag, index) => assert.notEqual(etag, before.etags[index]));
    assert.equal((await client.ask("/api", { headers: { ...aggregated, "if-none-match": without.etags[0]! } })).status, 304);
    await change("");
    assert.deepEqual(await look(), before);
  }));

test("an added version reads the same objects with its own selectors, and a gate changes which fields are stored", () =>
  reloading("", async (server, change) => {
    const { client } = server;
    const classes = (version: string) => `/apis/storage.k8s.io/${version}/volumeattributesclasses`;
    assert.equal(
      (await client.ask(classes("v1"), { method: "POST", body: { metadata: { name: "a" }, driverName: "d", parameters: { p: "v" } } }))
        .status,
      201,
    );
    assert.equal(await statusOf(server, classes("v1beta1")), 404);
    await change("runtime-config: {storage.k8s.io/v1beta1: true}\n");
    assert.equal((await client.ask(`${classes("v1beta1")}/a`)).json().apiVersion, "storage.k8s.io/v1beta1");
    const pvc = (name: string) =>
      client.ask("/api/v1/namespaces/default/persistentvolumeclaims", {
        method: "POST",
        body: {
          metadata: { name },
          spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, volumeAttributesClassName: "a" },
        },
      });
    assert.equal((await pvc("on")).json().spec.volumeAttributesClassName, "a");
    await change("feature-gates: {VolumeAttributesClass: false}\n");
    assert.equal((await pvc("off")).json().spec.volumeAttributesClassName, undefined);
    assert.deepEqual(await metric(server, 'kubernetes_feature_enabled{name="VolumeAttributesClass"'), [
      'kubernetes_feature_enabled{name="VolumeAttributesClass",stage=""} 0',
    ]);
  }));

test("metrics of removed gates and resources are removed", () =>
  reloading("", async (server, change) => {
    assert.equal((await metric(server, 'kubernetes_feature_enabled{name="VolumeAttributesClass"')).length, 1);
    assert.equal((await metric(server, 'apiserver_resource_objects{group="",resource="persistentvolumes"')).length, 1);
    await change("plugins: [-storage]\n");
    assert.deepEqual(await metric(server, 'kubernetes_feature_enabled{name="VolumeAttributesClass"'), []);
    assert.deepEqual(await metric(server, 'apiserver_resource_objects{group="",resource="persistentvolumes"'), []);
    assert.equal((await metric(server, 'kubernetes_feature_enabled{name="WatchList"')).length, 1);
  }));

test("a configuration with mistakes is rejected as a whole and logged and counted; the previous one stays active", () =>
  reloading("max-requests-inflight: 300\n", async (server, change) => {
    const reloads = "apiserver_config_controller_automatic_reloads_total";
    const hash = (await metric(server, "apiserver_config_controller_last_config_info"))[0];
    assert.match(hash ?? "", /hash="sha256:[0-9a-f]{64}"\} 1$/);
    const told = JSON.parse(
      await change("plugins: [-configmaps]\nrequest-timeout: soon\nruntime-config: {v9: true}\nfeature-gates: {WatchLits: true}\n"),
    );
    assert.equal(told.level, "error");
    assert.match(told.message, /rejected; the previous one stays active/);
    assert.match(told.mistakes.join("\n"), /"soon" is not a duration/);
    assert.equal(await statusOf(server, configMaps), 200);
    const catalogMistakes = JSON.parse(
      await change("plugins: [-configmaps]\nruntime-config: {v9: true}\nfeature-gates: {WatchLits: true}\netcd-prefix: /elsewhere\n"),
    );
    assert.match(
      catalogMistakes.mistakes.join("\n"),
      /"etcd-prefix" cannot change while the server runs[^]*"WatchLits"[^]*"v9"/,
      "all at once",
    );
    assert.equal(await statusOf(server, configMaps), 200);
    assert.deepEqual(await metric(server, reloads), [`${reloads}{apiserver_id_hash="",status="failure"} 2`]);
    assert.equal((await metric(server, "apiserver_config_controller_last_config_info"))[0], hash, "of the active text");

    await change("plugins: [-configmaps]\n");
    assert.equal(await statusOf(server, configMaps), 404);
    assert.equal((await metric(server, reloads)).length, 2);
    assert.notEqual((await metric(server, "apiserver_config_controller_last_config_info"))[0], hash);
    const [at] = await metric(
      server,
      'apiserver_config_controller_automatic_reload_last_timestamp_seconds{apiserver_id_hash="",status="success"',
    );
    assert.ok(Math.abs(Number(at?.split(" ")[1]) - Date.now() / 1000) < 60);
  }));

test("flags on the command line override a changed file", () =>
  reloading("", async (server, change) => {
    assert.equal(await statusOf(server, "/api/v1/secrets"), 404);
    const told = JSON.parse(await change("runtime-config: {v1/configmaps: false}\nsecure-port: 7\n"));
    assert.match(told.message, /nothing has changed/);
    assert.equal(await statusOf(server, configMaps), 200);
  }, ["--runtime-config=v1/secrets=false"]));
