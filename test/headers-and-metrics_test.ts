// Headers, warnings and metrics of requests.
// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { openTestServer, type TestServer } from "../testing.ts";
import { until } from "./real-server.ts";
import { ask, send } from "./requests.ts";

const get = (server: TestServer, path: string, headers: Record<string, string> = {}) => send(server, "GET", path, undefined, { headers });
const sniffing = (answer: Response) => answer.headers.get("x-content-type-options");
const alice = { name: "alice", groups: ["system:authenticated"] };

test("a 403 of authorization has X-Content-Type-Options, a 403 of admission has not", async () => {
  await using server = await openTestServer();
  const path = "/api/v1/namespaces/default";
  const refused = await send(server, "DELETE", path, undefined, { user: alice });
  assert.deepEqual([refused.status, sniffing(refused)], [403, "nosniff"]);
  const kept = await send(server, "DELETE", path);
  assert.deepEqual([kept.status, sniffing(kept)], [403, null]);
  assert.match(await kept.text(), /this namespace may not be deleted/);
});

test("a failed single health check responds with its reason as plain text without sniffing", async () => {
  const plugin = {
    name: "ill",
    summary: "Is never well.",
    healthChecks: [{ name: "ill", check: () => Promise.reject(new Error("a cold")) }],
  };
  await using server = await openTestServer({ plugins: [plugin] });
  const failing = await get(server, "/readyz/ill");
  assert.deepEqual([failing.status, await failing.text(), sniffing(failing)], [500, "internal server error: a cold\n", "nosniff"]);
  const well = await get(server, "/readyz/ping");
  assert.deepEqual([well.status, await well.text(), sniffing(well)], [200, "ok", null]);
  await until(async () => assert.equal((await get(server, "/livez")).status, 200, "to start it again would not help"));
  assert.equal((await get(server, "/readyz")).status, 500);
  assert.ok(server.logged.some((line) => line.includes("a cold")));

  const metrics = await (await get(server, "/metrics")).text();
  assert.match(metrics, /^kubernetes_healthcheck\{name="ill",type="readyz"\} 0$/m);
  assert.match(metrics, /^kubernetes_healthcheck\{name="etcd",type="livez"\} 1$/m);
  const slis = await (await get(server, "/metrics/slis")).text();
  assert.deepEqual(
    new Set([...slis.matchAll(/^# HELP (\S+)/gm)].map(([, name]) => name)),
    new Set(["kubernetes_healthcheck", "kubernetes_healthchecks_total"]),
  );
  assert.match(metrics, /^kubernetes_healthchecks_total\{name="ill",status="error",type="readyz"\} 1$/m);
});

test("metrics of any size are compressed for clients that accept gzip, as in kube-apiserver", async () => {
  await using server = await openTestServer();
  await until(async () => assert.equal((await get(server, "/readyz")).status, 200));
  for (const path of ["/metrics", "/metrics/slis"]) {
    const plain = await get(server, path, { "accept-encoding": "gzip;q=0.5, identity" });
    assert.equal(plain.headers.get("content-encoding"), null);
    const packed = await get(server, path, { "accept-encoding": "deflate, gzip" });
    assert.equal(packed.headers.get("content-encoding"), "gzip");
    assert.equal(packed.headers.get("content-type"), plain.headers.get("content-type"));
    assert.match(await plain.text(), /^# TYPE kubernetes_healthcheck gauge$/m);
    assert.match(gunzipSync(new Uint8Array(await packed.arrayBuffer())).toString(), /^# TYPE kubernetes_healthcheck gauge$/m);
  }
});

test("DELETE starts the metrics again, for those who may", async () => {
  await using server = await openTestServer();
  const requests = async () => (await (await get(server, "/metrics")).text()).match(/^apiserver_request_total\{.*"configmaps".*/gm);
  const remove = (path: string, more = {}) => send(server, "DELETE", path, undefined, more);
  await get(server, "/api/v1/namespaces/default/configmaps");
  assert.equal((await requests())?.length, 1);
  assert.equal((await remove("/metrics", { user: alice })).status, 403);
  for (const path of ["/metrics/slis", "/metrics"]) {
    assert.equal((await requests())?.length, 1);
    const removed = await remove(path);
    assert.deepEqual([removed.status, removed.headers.get("content-type"), await removed.text()], [
      200,
      "text/plain; charset=utf-8",
      "metrics reset\n",
    ]);
  }
  assert.equal(await requests(), null);
  assert.match(await (await get(server, "/metrics")).text(), /^apiserver_request_total\{.*verb="DELETE".*\} 1$/m);
});

test("counting objects adds nothing to the metrics of store requests", async () => {
  await using server = await openTestServer();
  const requests = (text: string) => text.split("\n").filter((line) => line.startsWith("etcd_requests_total"));
  // Wait until controllers have created the objects of each namespace.
  await until(async () => {
    const first = await (await get(server, "/metrics")).text();
    assert.match(first, /^apiserver_resource_objects\{group="",resource="namespaces"\} 4$/m);
    assert.deepEqual(requests(await (await get(server, "/metrics")).text()), requests(first));
  });
});

test("a token after two spaces is ignored, with a warning in the response", async () => {
  const folder = await mkdtemp(join(tmpdir(), "thole-told-"));
  const file = join(folder, "tokens");
  await writeFile(file, "t0ken,carol,7,system:masters\n");
  try {
    await using server = await openTestServer({ settings: { "token-auth-file": file } });
    const passed = await get(server, "/api/v1/namespaces", { authorization: "Bearer  t0ken" });
    assert.equal(passed.status, 403);
    assert.match(
      passed.headers.get("warning") ?? "",
      /^299 - "the provided Authorization header contains extra space before the bearer token/,
    );
    const known = await get(server, "/api/v1/namespaces", { authorization: "Bearer t0ken" });
    assert.deepEqual([known.status, known.headers.get("warning")], [200, null]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("a dry run of a create returns the resourceVersion of the request and stores nothing", async () => {
  await using server = await openTestServer();
  const url = "/api/v1/namespaces/default/configmaps";
  const tried = await ask(server, "POST", `${url}?dryRun=All`, { metadata: { name: "a", resourceVersion: "7" } });
  assert.equal(tried.status, 201);
  assert.equal(tried.body.metadata.resourceVersion, "7");
  assert.equal((await send(server, "GET", `${url}/a`)).status, 404);
});
