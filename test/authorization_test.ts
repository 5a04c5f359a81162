// The chain of authorizers of a whole server: plugins' authorizers, their lifecycle, and the responses to clients.
// In Deno's suite only: what is allowed does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuthorizationDecision } from "../core/access.ts";
import { definePlugin } from "../core/define/define.ts";
import type { AuthorizerContext, Plugin } from "../core/plugin.ts";
import { withDefaults } from "../server/config/parse.ts";
import { activeConfigOf } from "../server/config/active-config.ts";
import { handle } from "../kernel/handle.ts";
import { silentLog } from "../kernel/observe/log.ts";
import { type Opened, openServer } from "../server/startup/open-server.ts";
import { openTestServer, type TestServer } from "../testing.ts";
import { until } from "./real-server.ts";
import { done, send, type SendOptions } from "./requests.ts";

const alice = { name: "alice", groups: ["system:authenticated"] };
const path = "/api/v1/namespaces/default/configmaps";
/** A read of a path, by default of a collection; by default as an administrator. */
const get = (server: TestServer, user?: SendOptions["user"], url = path) =>
  send(server, "GET", url, undefined, user === undefined ? {} : { user });

interface Fake {
  readonly plugin: Plugin;
  decision: AuthorizationDecision | Error;
  readonly ready: PromiseWithResolvers<void>;
  readonly contexts: AuthorizerContext[];
}
/** A plugin with an authorizer of this name. */
function fake(name: string, decision: Fake["decision"]): Fake {
  const ready = Promise.withResolvers<void>();
  ready.promise.catch(() => {}); // Awaited later by the server.
  const made: Fake = {
    decision,
    ready,
    contexts: [],
    plugin: definePlugin({
      name: name.toLowerCase(),
      summary: "Offers an authorizer.",
      authorizers: [{
        name,
        summary: "Decides as the test says.",
        open(context) {
          made.contexts.push(context);
          const authorize = () => {
            if (made.decision instanceof Error) throw made.decision;
            return made.decision;
          };
          return { name, ready: ready.promise, authorize };
        },
      }],
    }),
  };
  return made;
}

test("an authorizer of a plugin in the mode decides, reads the API as a member of system:masters, and ends with the server", async () => {
  const gate = fake("Gate", { verdict: "allow", reason: "by the gate" });
  gate.ready.resolve();
  const server = await openTestServer({ plugins: [gate.plugin], settings: { "authorization-mode": ["Gate"] } });
  assert.equal((await get(server, alice)).status, 200);
  assert.match(
    await (await get(server, undefined, "/metrics")).text(),
    /^apiserver_authorization_decisions_total\{decision="allowed",name="gate",type="Gate"\} [1-9]\d*$/m,
  );
  gate.decision = { verdict: "deny", reason: "closed today" };
  const refused = await get(server, alice);
  assert.equal(refused.status, 403);
  assert.match(await refused.text(), /in the namespace \\"default\\": closed today/);
  const [context] = gate.contexts;
  assert.ok(context !== undefined && gate.contexts.length === 1);
  assert.equal((await context.api.get("v1", "namespaces", "", "default")).metadata.name, "default");
  assert.equal(context.signal.aborted, false);
  await server.close();
  assert.equal(context.signal.aborted, true);
});

test("an authorizer that is not in the mode is not opened", async () => {
  const gate = fake("Gate", { verdict: "allow", reason: "" });
  await using server = await openTestServer({ plugins: [gate.plugin] });
  assert.equal((await get(server, alice)).status, 403);
  assert.equal(gate.contexts.length, 0);
});

test("a failed authorization is 500 in upstream's plain text, and does not affect system:masters", async () => {
  const gate = fake("Gate", { verdict: "noOpinion", reason: "", error: "no <answer>" });
  gate.ready.resolve();
  await using server = await openTestServer({ plugins: [gate.plugin], settings: { "authorization-mode": ["Gate"] } });
  const failed = await get(server, alice, `${path}?limit=1`);
  assert.equal(failed.status, 500);
  assert.equal(failed.headers.get("content-type"), "text/plain; charset=utf-8");
  assert.equal(await failed.text(), `Internal Server Error: "${path}?limit=1": no &lt;answer&gt;\n`);
  assert.equal((await get(server)).status, 200);
});

test("an authorizer that throws allows nothing", async () => {
  const gate = fake("Gate", new Error("a bug"));
  gate.ready.resolve();
  await using server = await openTestServer({
    plugins: [gate.plugin],
    settings: { "authorization-mode": ["Gate", "AlwaysAllow"] },
    unexpectedErrors: "answer",
  });
  const failed = await get(server, alice);
  assert.equal(failed.status, 500);
  assert.doesNotMatch(await failed.text(), /a bug/);
});

test("a server is not ready before its authorizers are, and allows only system:masters until then", async () => {
  const gate = fake("Gate", { verdict: "allow", reason: "" });
  await using server = await openTestServer({ plugins: [gate.plugin], settings: { "authorization-mode": ["Gate"] } });
  const hook = async () => await (await get(server, undefined, "/readyz/poststarthook/start-authorizers")).text();
  assert.equal(await hook(), "internal server error: not finished\n");
  assert.equal((await get(server, alice)).status, 403);
  gate.ready.resolve();
  await until(async () => assert.equal(await hook(), "ok"));
  assert.equal((await get(server, alice)).status, 200);
});

test("a server whose only authorizer denies is ready, and its controllers act as members of system:masters", async () => {
  const gate = fake("Gate", { verdict: "deny", reason: "" });
  gate.ready.resolve();
  await using server = await openTestServer({ plugins: [gate.plugin], settings: { "authorization-mode": ["Gate"] } });
  await until(async () => assert.equal((await get(server, undefined, "/readyz")).status, 200));
  // The controller of namespaces removes its finalizer.
  await done(server, "POST", "/api/v1/namespaces", { metadata: { name: "short" } });
  await done(server, "DELETE", "/api/v1/namespaces/short");
  await until(async () => assert.equal((await get(server, undefined, "/api/v1/namespaces/short")).status, 404));
  assert.equal((await get(server, alice)).status, 403);
});

test("a server with an authorizer that denies before RBAC is ready", async () => {
  const gate = fake("Gate", { verdict: "deny", reason: "" });
  gate.ready.resolve();
  await using server = await openTestServer({ plugins: [gate.plugin], settings: { "authorization-mode": ["Gate", "RBAC"] } });
  await until(async () => assert.equal((await get(server, undefined, "/readyz")).status, 200));
});

test("an authorizer that cannot start leaves the server unready and is logged", async () => {
  const gate = fake("Gate", { verdict: "noOpinion", reason: "" });
  gate.ready.reject(new Error("no rules"));
  await using server = await openTestServer({ plugins: [gate.plugin], settings: { "authorization-mode": ["Gate"] } });
  assert.equal((await get(server, undefined, "/readyz")).status, 500);
  assert.ok(server.logged.some((line) => line.includes("the authorizer gate cannot start") && line.includes("no rules")));
});

test("AlwaysAllow causes a warning; a mode without an authorizer is an error at start", async () => {
  await using server = await openTestServer({ settings: { "authorization-mode": ["AlwaysAllow"] } });
  assert.equal((await get(server, null)).status, 200);
  assert.ok(server.logged.some((line) => line.includes("Warning: the authorization mode AlwaysAllow allows everything to everybody")));
  await assert.rejects(openTestServer({ settings: { "authorization-mode": ["Gate"] } }), /authorization-mode "Gate" is not a valid mode/);
});

/** The status of a request by alice. */
async function statusFor({ server }: Opened): Promise<number> {
  const exchange = {
    method: "GET",
    url: path,
    headers: {},
    body: () => Promise.resolve(new Uint8Array()),
    peer: undefined,
    remote: "test",
    protocol: "HTTP/2.0" as const,
    signal: new AbortController().signal,
  };
  const asAlice = Object.create(server, { authenticate: { value: () => Promise.resolve(alice) } });
  return (await handle(exchange, asAlice)).status;
}

test("a chain follows the configuration: unchanged authorizers stay open, removed ones are closed, new ones are used when they are ready", async () => {
  const first = fake("First", { verdict: "noOpinion", reason: "" }), second = fake("Second", { verdict: "allow", reason: "" });
  first.ready.resolve();
  const plugins = [first.plugin, second.plugin];
  const configured = (modes: readonly string[]) => withDefaults({ "data-dir": ":memory:", "authorization-mode": modes });
  const config = configured(["First"]);
  const opened = await openServer({ config, plugins, log: silentLog });
  try {
    await opened.started;
    assert.equal(await statusFor(opened), 403);
    opened.swap(activeConfigOf(configured(["First", "Second"]), plugins, opened.inForce()));
    assert.equal(await statusFor(opened), 403);
    second.ready.resolve();
    await until(async () => assert.equal(await statusFor(opened), 404));
    assert.equal(first.contexts.length, 1);
    opened.swap(activeConfigOf(configured(["AlwaysDeny"]), plugins, opened.inForce()));
    await until(async () => assert.equal(await statusFor(opened), 403));
    assert.deepEqual([...first.contexts, ...second.contexts].map(({ signal }) => signal.aborted), [true, true]);
  } finally {
    await opened.close();
  }
});

test("definePlugin() rejects authorizers with an invalid name or the name of a mode of the server", () => {
  for (const name of ["AlwaysAllow", "Webhook", "rbac", "A,B", ""]) {
    assert.throws(() => fake(name, { verdict: "allow", reason: "" }), /its name must be an upper camel case word/, name);
  }
});
