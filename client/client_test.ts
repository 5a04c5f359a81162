import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { definePlugin, defineResource } from "../core/define/define.ts";
import { object } from "../core/meta/object.ts";
import { field, type Infer, int32, int64, list, record, string, struct } from "../core/schema.ts";
import { StatusError } from "../core/status-error.ts";
import { start } from "../mod.ts";
import { type Client, clientFrom } from "./client.ts";

const Ship = object("Ship", {
  spec: field(
    2,
    struct("ShipSpec", {
      sails: field(1, int32, "Number of sails.", { required: true }),
      cargo: field(2, int64, "Grains of rice on board."),
      names: field(3, record(string), "Names by language."),
      ports: field(4, list(string), "Ports in their order."),
    }),
    "What is wanted.",
    { required: true },
  ),
  status: field(3, struct("ShipStatus", { crew: field(1, int32, "Sailors on board.") }), "What is."),
}, { doc: "A ship." });
const ships = defineResource<Infer<typeof Ship>>({
  kind: "Ship",
  scope: "Namespaced",
  summary: "A ship.",
  storedAs: "ships.{domain}/v1",
  storedUnder: "ships",
  served: { "ships.{domain}/v1": { schema: Ship, introduced: "1.0" } },
});
const plugin = definePlugin({ name: "ships", summary: "For tests.", resources: [ships] });

/** Runs a test with a client of a server on loopback, over TLS and with the client certificate of its kubeconfig. */
async function withServer(run: (client: Client) => Promise<void>): Promise<void> {
  const settings = {
    "secure-port": 0,
    "bind-address": "127.0.0.1",
    "data-dir": ":memory:",
    "authorization-mode": ["AlwaysAllow"],
  } as const;
  const server = await start({ settings, plugins: [plugin] });
  try {
    const client = await clientFrom({ kubeconfigText: server.kubeconfigText, fieldManager: "tester" });
    await run(client);
    await client.close();
  } finally {
    await server.close();
  }
}

test("clientFrom() has the methods of the API in process over TLS, with exact values and the errors of the server", () =>
  withServer(async (client) => {
    const fleet = client.of(ships), grains = 2n ** 62n + 1n;
    const made = await fleet.create("sea", { metadata: { name: "a" }, spec: { sails: 3, cargo: grains } });
    assert.deepEqual([made.kind, made.apiVersion, made.spec.cargo], ["Ship", "ships.k8s.io/v1", grains]);
    assert.deepEqual(await fleet.get("sea", "a"), made);
    assert.deepEqual(made.metadata.managedFields?.map(({ manager }) => manager), ["tester"]);
    const updated = await fleet.update("sea", "a", { ...made, spec: { ...made.spec, sails: 4 } });
    await assert.rejects(fleet.update("sea", "a", made), (error) => error instanceof StatusError && error.reason === "Conflict");
    assert.equal((await fleet.patch("sea", "a", { merge: { spec: { names: { en: "Ann" } } } })).spec.names?.en, "Ann");
    assert.equal((await fleet.patch("sea", "a", { json: [{ op: "replace", path: "/spec/sails", value: 5 }] })).spec.sails, 5);
    assert.deepEqual((await fleet.patch("sea", "a", { strategic: { spec: { ports: ["x"] } } })).spec.ports, ["x"]);
    const crew = await fleet.apply("sea", "a", { status: { crew: 7 } }, { subresource: "status", fieldManager: "crew" });
    assert.deepEqual([crew.status?.crew, crew.spec.cargo, updated.spec.sails], [7, grains, 4]);
    // Without a definition, the kind comes from discovery.
    const { metadata } = await client.apply("ships.{domain}/v1", "ships", "sea", "b", { spec: { sails: 1 } });
    assert.equal(metadata.name, "b");
    await fleet.create("sea", { metadata: { name: "c" }, spec: { sails: 1 } }, { dryRun: true });
    await assert.rejects(fleet.create("sea", { metadata: { name: "A" }, spec: { sails: 1 } }), (error) => {
      assert.ok(error instanceof StatusError);
      assert.deepEqual([error.reason, error.code, error.details?.causes?.[0]?.field], ["Invalid", 422, "metadata.name"]);
      return true;
    });
    await assert.rejects(fleet.get("sea", "none"), { reason: "NotFound", code: 404, message: 'ships.ships.k8s.io "none" not found' });
    const pages = [];
    for await (const { items } of fleet.pages("", 1)) pages.push(items.map(({ kind, metadata }) => `${kind} ${metadata.name}`));
    assert.deepEqual(pages, [["Ship a"], ["Ship b"]]);
    assert.deepEqual((await fleet.list("sea", { fieldSelector: "metadata.name=b" })).items.map(({ kind }) => kind), ["Ship"]);
    await fleet.delete("sea", "a", { preconditions: { uid: made.metadata.uid } });
    await fleet.deleteCollection("sea");
    assert.deepEqual((await fleet.list("")).items, []);
  }));

test("an informer of clientFrom() follows a server over TLS", () =>
  withServer(async (client) => {
    const fleet = client.of(ships), ending = new AbortController(), seen: string[] = [];
    for (const name of ["a", "b"]) await fleet.create("sea", { metadata: { name }, spec: { sails: 1, cargo: 2n ** 60n + 1n } });
    const informer = fleet.informer("");
    const { promise: gone, resolve } = Promise.withResolvers<void>();
    const running = informer.run(ending.signal, {
      added: ({ metadata }) => void seen.push(`added ${metadata.name}`),
      updated: ({ spec }, before) => void seen.push(`updated ${before.spec.sails} ${spec.sails}`),
      deleted({ metadata }) {
        seen.push(`deleted ${metadata.name}`);
        resolve();
      },
    });
    await informer.synced;
    assert.deepEqual([informer.objects().length, informer.get("sea", "b")?.spec.cargo], [2, 2n ** 60n + 1n]);
    await fleet.patch("sea", "a", { merge: { spec: { sails: 2 } } });
    await fleet.delete("sea", "b");
    await gone;
    assert.deepEqual(seen, ["added a", "added b", "updated 1 2", "deleted b"]);
    ending.abort();
    await running;
  }));

/** Runs a test with a client of a server that answers as the script says. */
async function withScript(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  run: (client: Client) => Promise<void>,
): Promise<void> {
  const server = createServer(answer);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // A TCP server.
  const client = await clientFrom({ server: { url: `http://127.0.0.1:${port}/prefix`, token: "secret" } });
  try {
    await run(client);
  } finally {
    await client.close();
    server.closeAllConnections();
    server.close();
  }
}
const json = (response: ServerResponse, status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  void response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));

test("clientFrom() tries again after Retry-After, at most ten times, and after a broken connection only for reads", async () => {
  let asked: string[] = [];
  const scripts: Readonly<Record<string, (response: ServerResponse, attempt: number) => void>> = {
    busy: (response, attempt) => attempt <= 10 ? json(response, 429, {}, { "retry-after": "0" }) : json(response, 200, { metadata: {} }),
    always: (response) => json(response, 503, { kind: "Status", reason: "ServiceUnavailable", message: "no" }, { "retry-after": "0" }),
    broken: (response, attempt) => attempt === 1 ? void response.socket?.resetAndDestroy() : json(response, 200, { metadata: {} }),
    page: (response) => void response.writeHead(502, { "content-type": "text/html" }).end("<html>"),
  };
  await withScript((request, response) => {
    const { pathname } = new URL(request.url!, "http://x");
    assert.equal(request.headers.authorization, "Bearer secret");
    asked.push(request.method!);
    scripts[pathname.split("/").at(-1)!]!(response, asked.length);
  }, async (client) => {
    const count = async (run: () => Promise<unknown>) => {
      asked = [];
      const outcome = await run().then(() => "done", ({ reason, message }) => reason ?? message);
      return [outcome, asked.length];
    };
    assert.deepEqual(await count(() => client.get("v1", "pods", "a", "busy")), ["done", 11]);
    assert.deepEqual(await count(() => client.get("v1", "pods", "a", "always")), ["ServiceUnavailable", 11]);
    assert.deepEqual(await count(() => client.get("v1", "pods", "a", "broken")), ["done", 2]);
    assert.deepEqual(await count(() => client.get("v1", "pods", "a", "page")), ["Unknown", 1]);
    const [failure, times] = await count(() => client.update("v1", "pods", "a", "broken", {}));
    assert.match(String(failure), /^127\.0\.0\.1:\d+: /);
    assert.equal(times, 1);
  });
});

test("a watch of clientFrom() reads no more than its consumer takes, and close() ends it", async () => {
  const events = 96, pad = "x".repeat(256 * 1024);
  let written = 0;
  await withScript(async (request, response) => {
    if (!request.url!.includes("watch=1")) {
      return json(response, 200, { kind: "PodList", apiVersion: "v1", metadata: { resourceVersion: "1" }, items: [] });
    }
    response.on("error", () => {}).writeHead(200, { "content-type": "application/json" });
    for (; written < events; written++) {
      const object = { metadata: { name: `p${written}`, resourceVersion: `${written + 2}`, annotations: { pad } } };
      if (!response.write(`${JSON.stringify({ type: "ADDED", object })}\n`)) await once(response, "drain").catch(() => {});
    }
  }, async (client) => {
    const changes = client.watch("v1", "pods", "a", {}, new AbortController().signal)[Symbol.asyncIterator]();
    await changes.next();
    for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve));
    assert.ok(written < events, `${written} events of 256 KiB were read for one that was taken`);
    for (let index = 1; index < events; index++) assert.equal((await changes.next()).value?.object.metadata.name, `p${index}`);
    const next = changes.next();
    await client.close();
    await assert.rejects(next, /the client is closed/);
  });
});

test("clientFrom() rejects credentials that cannot be used", async () => {
  const config = (user: object) =>
    JSON.stringify({
      "current-context": "a",
      contexts: [{ name: "a", context: { cluster: "c", user: "u" } }, { name: "b", context: { cluster: "c" } }],
      clusters: [{ name: "c", cluster: { server: "https://127.0.0.1:1" } }],
      users: [{ name: "u", user }],
    });
  const program = config({ exec: { command: "login" } });
  await assert.rejects(clientFrom({ kubeconfigText: program }), /"exec" of a user is not supported/);
  await (await clientFrom({ kubeconfigText: program, context: "b" })).close();
  await assert.rejects(clientFrom({ kubeconfigText: program, context: "c" }), /there is no context "c" in the file/);
  await assert.rejects(clientFrom({ kubeconfig: "/none/config" }), /cannot use the kubeconfig "\/none\/config"/);
  await assert.rejects(clientFrom({ server: { url: "ftp://x" } }), /the URL of the server is not valid/);
  await assert.rejects(clientFrom({ server: { url: "https://x", cert: "c" } }), /needs its key/);
  await assert.rejects(clientFrom({ kubeconfig: "a", server: { url: "https://x" } }), /only one of/);
});
