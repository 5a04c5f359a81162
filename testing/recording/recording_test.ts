// Recordings of requests: what a test asserts on, without secrets.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestServer, type TestServer } from "../../testing.ts";
import { exchangeOf } from "../exchange.ts";
import { RecordedBytes } from "./recorded-bytes.ts";
import { type Recording, recordings } from "./recorder.ts";

const namespace = "https://test/api/v1/namespaces/default";

function ask(server: TestServer, method: string, path: string, body?: unknown, type = "application/json") {
  const sent = body === undefined ? {} : { headers: { "content-type": type }, body: JSON.stringify(body) };
  return server.handle(new Request(`${namespace}${path}`, { method, ...sent }));
}

test("record(): requests match as rules of faults do, with their bodies and answers, in their order", async () => {
  await using server = await openTestServer({ clock: "manual" });
  await ask(server, "POST", "/configmaps", { metadata: { name: "before" } });
  const recording = server.record();
  await ask(server, "POST", "/configmaps", { metadata: { name: "a" }, data: { n: "1" } });
  await ask(server, "PATCH", "/configmaps/a", { data: { n: "2" } }, "application/merge-patch+json");
  await ask(
    server,
    "PATCH",
    "/configmaps/a?fieldManager=me",
    { apiVersion: "v1", kind: "ConfigMap", data: { m: "3" } },
    "application/apply-patch+yaml",
  );
  await (await ask(server, "GET", "/configmaps")).text();
  assert.equal((await ask(server, "GET", "/configmaps/none")).status, 404);
  server.faults.add({ verb: "delete", drop: "before" });
  await assert.rejects(ask(server, "DELETE", "/configmaps/a"));
  recording.stop();
  await ask(server, "POST", "/configmaps", { metadata: { name: "after" } });
  assert.deepEqual(recording.requests().map(({ user, verb, status }) => `${user} ${verb} ${status}`), [
    "admin create 201",
    "admin patch 200",
    "admin patch 200",
    "admin list 200",
    "admin get 404",
    "admin delete 0",
  ]);
  assert.deepEqual(recording.requests({ verb: "apply", name: "a" }).map(({ url, body }) => [url, body]), [[
    "/api/v1/namespaces/default/configmaps/a?fieldManager=me",
    { apiVersion: "v1", kind: "ConfigMap", data: { m: "3" } },
  ]]);
  const [created, list] = recording.requests({ verb: ["create", "list"], resource: "configmaps" }) as any[];
  assert.equal(created.time, new Date(server.clock.now()).toISOString());
  assert.deepEqual([created.body.data, created.answer.data], [{ n: "1" }, { n: "1" }]);
  assert.ok(list.answer.items.some((item: any) => item.metadata.name === "a"));
  assert.equal(recording.requests({ resource: "configmaps", user: "eve" }).length, 0);
  assert.match(recording.text(), /^---\n(.*\n)*user: admin\n/m);
});

test("record(): the events of a watch are noted while they are sent", async () => {
  await using server = await openTestServer();
  const recording = server.record(), ending = new AbortController();
  const watch = await server.handle(
    new Request(`${namespace}/configmaps?watch=true&fieldSelector=metadata.name=a`, { signal: ending.signal }),
  );
  const reader = watch.body!.getReader();
  await ask(server, "POST", "/configmaps", { metadata: { name: "a" } });
  await reader.read();
  const [{ answer }] = recording.requests({ verb: "watch" }) as any[];
  assert.deepEqual(answer.map((event: any) => [event.type, event.object.metadata.name]), [["ADDED", "a"]]);
  ending.abort();
});

test("record(): no value of a Secret and no token is shown, whatever the request", async () => {
  await using server = await openTestServer();
  const recording = server.record(), secret = "aHVudGVyMg==", plain = "hunter2";
  const object = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "s", annotations: { "kubectl.kubernetes.io/last-applied-configuration": `{"data":{"p":"${secret}"}}` } },
    data: { p: secret },
  };
  await ask(server, "POST", "/secrets", object);
  await ask(server, "PATCH", "/secrets/s", { stringData: { p: plain } }, "application/merge-patch+json");
  await ask(server, "PATCH", "/secrets/s", [{ op: "replace", path: "/data/p", value: secret }], "application/json-patch+json");
  await ask(
    server,
    "PATCH",
    "/secrets/s?fieldManager=me&force=true",
    { apiVersion: "v1", kind: "Secret", stringData: { p: plain } },
    "application/apply-patch+yaml",
  );
  await (await ask(server, "GET", "/secrets")).text();
  await (await ask(server, "GET", "/secrets/s?pretty=true")).text();
  await server.handle(new Request("https://test/api/v1/secrets", { headers: { accept: "application/yaml" } })).then((each) => each.text());
  const ending = new AbortController();
  const watch = await server.handle(new Request(`${namespace}/secrets?watch=true`, { signal: ending.signal }));
  await watch.body!.getReader().read();
  ending.abort();
  const asked = await ask(server, "POST", "/serviceaccounts/default/token", { spec: {} });
  assert.equal(asked.status, 201);
  const { status: { token } } = await asked.json();
  await server.handle(
    new Request("https://test/apis/authentication.k8s.io/v1/tokenreviews", {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body: JSON.stringify({ spec: { token } }),
    }),
  );
  const text = recording.text();
  assert.equal(recording.requests().length, 10);
  for (const hidden of [secret, plain, token]) assert.ok(!text.includes(hidden), text);
  assert.match(text, /p: <secret>/);
});

test("record(): no secret is in an error, in a copy of another program, in a body without its kind, or behind a proxy", async () => {
  await using server = await openTestServer();
  const recording = server.record(), secret = "aHVudGVyMg==", plain = "hunter2";
  const annotations = { "kapp.k14s.io/original": `{"data":{"p":"${secret}"}}`, "kubernetes.io/description": "shown" };
  await ask(server, "POST", "/secrets", { metadata: { name: "s", annotations }, data: { p: secret } });
  const patches = [
    [{ stringData: { p: [plain] } }, "application/strategic-merge-patch+json"],
    [{ stringData: { p: [plain] } }, "application/merge-patch+json"],
    [[{ op: "add", path: "/stringData", value: { p: [plain] } }], "application/json-patch+json"],
  ] as const;
  for (const [patch, type] of patches) assert.equal((await ask(server, "PATCH", "/secrets/s", patch, type)).status, 422);
  await ask(server, "POST", "/secrets", { metadata: { name: "other" }, Data: { p: plain } });
  assert.equal((await ask(server, "GET", "/secrets/none")).status, 404);
  const within = { apiVersion: "v1", kind: "Secret", stringData: { p: plain } };
  const applied = { "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify({ kind: "Bundle", spec: [within] }) };
  await ask(server, "POST", "/configmaps", { metadata: { name: "bundle", annotations: applied } });
  const post = (path: string, body: unknown) =>
    server.handle(
      new Request(`https://test${path}`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
    );
  await post("/apis/authentication.k8s.io/v1/tokenreviews", { spec: { token: plain } });
  await post("/apis/authentication.k8s.io/v1/tokenreviews", { spec: plain });
  await post(`/api/v1/namespaces/default/services/s/proxy/login?key=${plain}`, { password: plain });
  const text = recording.text();
  for (const hidden of [secret, plain]) assert.ok(!text.includes(hidden), text);
  assert.match(text, /kubernetes\.io\/description: shown/);
  assert.match(text, /secrets "none" not found/);
  assert.match(text, /url: \/api\/v1\/namespaces\/default\/services\/s\/proxy\/login\n/);
});

/** A server that answers with as many bytes as it is sent. */
function echo(bytesMax: number, together?: RecordedBytes) {
  const { record, recorded } = recordings(() => 0, bytesMax, together);
  const ask = async (name: string, bytes: number) => {
    const exchange = exchangeOf(new Request(`https://test/${name}`, { method: "POST", body: "b".repeat(bytes) }));
    return await recorded(exchange, async (each) => {
      await each.body(1_000);
      return { status: 200, headers: {}, body: "a".repeat(bytes) };
    });
  };
  return { record, recorded, ask };
}
const urlsOf = (recording: Recording) => recording.requests().map(({ url }) => url);

test("record() keeps a bounded number of bytes: the older half of the requests is forgotten", async () => {
  const { record, ask } = echo(100), recording = record(), urls = () => urlsOf(recording);
  for (const name of ["one", "two", "three", "four"]) await ask(name, 12);
  assert.deepEqual(urls(), ["/one", "/two", "/three", "/four"]);
  await ask("five", 12);
  assert.deepEqual(urls(), ["/four", "/five"]);
  await ask("large", 200);
  assert.deepEqual(urls(), ["/large"]);
});

test("record() of several servers keeps a bounded number of bytes together: the largest recording forgets the older half of its requests", async () => {
  const together = new RecordedBytes(100), servers = [echo(1_000, together), echo(1_000, together), echo(1_000, together)];
  const all = servers.map(({ record }) => record()),
    [one, two, three] = servers as [typeof servers[0], typeof servers[0], typeof servers[0]];
  const urls = () => all.map(urlsOf);
  for (const name of ["a", "b", "c"]) await one.ask(name, 10);
  await two.ask("d", 10);
  await three.ask("e", 10);
  assert.deepEqual(urls(), [["/a", "/b", "/c"], ["/d"], ["/e"]]); // 100 bytes
  await three.ask("f", 1);
  assert.deepEqual(urls(), [["/c"], ["/d"], ["/e", "/f"]]);
  all[0]!.stop();
  await two.ask("g", 15);
  assert.deepEqual(urls(), [["/c"], ["/d", "/g"], ["/e", "/f"]]); // 92 bytes
  await two.ask("h", 5);
  assert.deepEqual(urls(), [["/c"], ["/h"], ["/e", "/f"]]);
  await three.ask("more than all", 60);
  assert.deepEqual(urls(), [["/c"], ["/h"], []]);
});

test("record() counts no bytes of a request that was forgotten while it was answered", async () => {
  const together = new RecordedBytes(100), { record, recorded, ask } = echo(1_000, together), recording = record();
  const pieces = Array.from({ length: 20 }, () => new Uint8Array(10));
  const { body } = await recorded(exchangeOf(new Request("https://test/watch")), async () => ({
    status: 200,
    headers: {},
    body: new Blob(pieces).stream() as unknown as AsyncIterable<Uint8Array>,
  }));
  await ask("later", 10);
  await ask("last", 45); // The sum is 110: the older half goes.
  assert.deepEqual(urlsOf(recording), ["/last"]);
  for await (const _ of body as AsyncIterable<Uint8Array>);
  assert.deepEqual(urlsOf(recording), ["/last"]);
});
