// In Deno's suite only: which write wins does not depend on the runtime.
/** Concurrent patches of one object: each is applied to the result of the others, unless it has a resourceVersion. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { etcdMissing, type EtcdServer, startEtcd } from "./etcd.ts";
import { startTestServer, type TestServer } from "./harness.ts";
import { type Client, httpsClient } from "./https.ts";

const path = "/api/v1/namespaces/default/configmaps";
const patches: readonly (readonly [type: string, patch: (key: string) => unknown])[] = [
  ["application/merge-patch+json", (key) => ({ data: { [key]: "" } })],
  ["application/strategic-merge-patch+json", (key) => ({ data: { [key]: "" } })],
  ["application/json-patch+json", (key) => [{ op: "add", path: `/data/${key}`, value: "" }]],
  ["application/apply-patch+yaml", (key) => ({ apiVersion: "v1", kind: "ConfigMap", data: { [key]: "" } })],
];
const keys = Array.from({ length: 28 }, (_, at) => `k${at}`);

function races(open: () => Promise<TestServer>): void {
  let server: TestServer, client: Client;
  before(async () => {
    server = await open();
    client = httpsClient({ port: server.port, ca: server.ca, token: server.tokens.admin });
  });
  after(async () => {
    client.close();
    await server.close();
  });

  test("concurrent patches of every format are all applied", async () => {
    await client.ask(path, { method: "POST", body: { metadata: { name: "all" }, data: { first: "" } } });
    const answers = await Promise.all(keys.map((key, at) => {
      const [type, patch] = patches[at % patches.length]!;
      return client.ask(`${path}/all?fieldManager=${key}`, { method: "PATCH", headers: { "content-type": type }, body: patch(key) });
    }));
    assert.deepEqual(answers.map(({ status }) => status), keys.map(() => 200));
    const { data } = (await client.ask(`${path}/all`)).json();
    assert.deepEqual(Object.keys(data).sort(), ["first", ...keys].sort());
  });

  test("of concurrent patches with the same resourceVersion, one succeeds", async () => {
    const made = await client.ask(path, { method: "POST", body: { metadata: { name: "one" }, data: {} } });
    const { resourceVersion } = made.json().metadata;
    const answers = await Promise.all(keys.map((key, at) => {
      const headers = { "content-type": at % 2 === 0 ? "application/merge-patch+json" : "application/strategic-merge-patch+json" };
      return client.ask(`${path}/one`, { method: "PATCH", headers, body: { metadata: { resourceVersion }, data: { [key]: "" } } });
    }));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...keys.slice(1).map(() => 409)]);
    assert.equal(Object.keys((await client.ask(`${path}/one`)).json().data).length, 1);
  });
}

describe("concurrent patches, over sqlite", () => races(() => startTestServer()));

describe("concurrent patches, over etcd", { skip: etcdMissing() }, () => {
  let etcd: EtcdServer;
  races(async () => {
    etcd = await startEtcd();
    return await startTestServer({ args: [`--etcd-servers=${etcd.endpoint}`] });
  });
  after(() => etcd.stop());
});
