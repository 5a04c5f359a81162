// Ports of test servers, as clients in other processes use them.
import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { connect } from "node:tls";
import { test } from "node:test";
import { definePlugin } from "../plugin.ts";
import { accessIn } from "../client/kubeconfig.ts";
import { http2Client } from "../test/http2.ts";
import { type Client, httpsClient } from "../test/https.ts";
import { openTestServer } from "./server.ts";
import type { TestListener } from "./listeners.ts";

const failing = definePlugin({
  name: "failing",
  summary: "A step with a mistake.",
  admission: [{
    name: "Failing",
    resources: ["configmaps"],
    mutate() {
      throw new TypeError("a mistake in a hook");
    },
  }],
});
const maps = "/api/v1/namespaces/default/configmaps";
const portOf = ({ url }: TestListener) => Number(new URL(url).port);

/** A client with the credentials of the kubeconfig. */
async function clientOf(listener: TestListener, of = httpsClient): Promise<Client & Disposable> {
  const { cert, key } = await accessIn(listener.kubeconfig);
  const client = of({ port: portOf(listener), ca: listener.caBundle, identity: { cert: cert!, key: key! }, single: true });
  return { ...client, [Symbol.dispose]: client.close };
}

for (const [protocol, of] of [["HTTP/1.1", httpsClient], ["HTTP/2", http2Client]] as const) {
  test(`listen() serves over ${protocol}: users by certificate, token or none; faults; recordings`, async () => {
    await using server = await openTestServer();
    const listener = await server.listen();
    using admin = await clientOf(listener, of);
    const recording = server.record();
    server.faults.add({ verb: "create", resource: "configmaps", nth: 1, answer: { code: 429, retryAfterSeconds: 3 } });
    const create = () => admin.ask(maps, { method: "POST", body: { metadata: { name: "a" }, data: { text: "x".repeat(100_000) } } });
    const refused = await create();
    assert.deepEqual([refused.status, refused.headers["retry-after"]], [429, "3"]);
    assert.equal((await create()).status, 201);
    server.faults.add({ verb: "get", resource: "configmaps", drop: "after", nth: 1 });
    await assert.rejects(admin.ask(`${maps}/a`));
    const { status: { token } } = (await admin.ask("/api/v1/namespaces/default/serviceaccounts/default/token", {
      method: "POST",
      body: { spec: {} },
    })).json();
    const robot = httpsClient({ port: portOf(listener), ca: listener.caBundle, token });
    const stranger = httpsClient({ port: portOf(listener), ca: listener.caBundle });
    assert.equal((await robot.ask(maps)).status, 403);
    assert.equal((await stranger.ask(maps)).status, 403);
    robot.close();
    stranger.close();
    assert.deepEqual(recording.requests({ resource: "configmaps" }).map(({ user, verb, status }) => [user, verb, status]), [
      ["admin", "create", 429],
      ["admin", "create", 201],
      ["admin", "get", 0],
      ["system:serviceaccount:default:default", "list", 403],
      ["system:anonymous", "list", 403],
    ]);
    assert.equal((recording.requests({ verb: "create", resource: "configmaps" })[1]!.body as any).data.text.length, 100_000);
  });
}

test("listen() of a fork has the certificates of its parent, and its own objects", async () => {
  await using server = await openTestServer();
  const parent = await server.listen();
  await using fork = await server.fork();
  await using inner = await fork.fork();
  const [own, innermost] = [await fork.listen(), await inner.listen()];
  assert.deepEqual([own.caBundle, innermost.caBundle], [parent.caBundle, parent.caBundle]);
  using client = await clientOf(own);
  assert.equal((await client.ask(maps, { method: "POST", body: { metadata: { name: "a" } } })).status, 201);
  await assert.rejects(server.api.get("v1", "configmaps", "default", "a"), { reason: "NotFound" });
  await using other = await openTestServer();
  assert.notEqual((await other.listen()).caBundle, parent.caBundle);
  assert.ok(new X509Certificate(parent.caBundle).ca);
});

test("listen() is closed with its server, watches and kept connections included; and alone", async () => {
  const server = await openTestServer();
  const [first, second] = [await server.listen(), await server.listen()];
  using client = await clientOf(first);
  const watch = await client.stream("/api/v1/namespaces?watch=true");
  assert.equal(watch.status, 200);
  await second.close();
  await assert.rejects(reached(portOf(second)));
  await reached(portOf(first));
  await server.close();
  let bytes = 0;
  for await (const chunk of watch.chunks) bytes += chunk.length;
  assert.ok(bytes > 0, "the watch has no events");
  await assert.rejects(reached(portOf(first)));
  await assert.rejects(server.listen(), /the test server is closed/);
});

test("listen({ port }) takes that port, and rejects if it is in use", async () => {
  await using server = await openTestServer({ bare: true });
  const port = portOf(await server.listen());
  await assert.rejects(server.listen({ port }), /cannot listen on 127\.0\.0\.1/);
  await server.close();
  await using next = await openTestServer({ bare: true });
  assert.equal(portOf(await next.listen({ port })), port);
});

test("listen() answers an error that a hook threw with 500, which handle() throws", async () => {
  await using server = await openTestServer({ plugins: [failing] });
  using client = await clientOf(await server.listen());
  const { status } = await client.ask(maps, { method: "POST", body: { metadata: { name: "a" } } });
  assert.equal(status, 500);
});

/** Resolves when the port accepts a connection. */
function reached(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false });
    socket.once("secureConnect", () => {
      socket.destroy();
      resolve();
    });
    socket.once("error", reject);
  });
}
