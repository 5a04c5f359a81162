// Faults of the store: clients meet what they meet when a store really fails, and nothing acknowledged is lost.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestServer, type StoreFault, type TestServer } from "../../testing.ts";

const maps = "https://test/api/v1/namespaces/default/configmaps";

async function ask(server: TestServer, method: string, url: string, body?: unknown) {
  const init = body === undefined ? { method } : { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const response = await server.handle(new Request(url, init));
  return { status: response.status, headers: response.headers, text: await response.text() };
}
const create = (server: TestServer, name: string, data = {}) => ask(server, "POST", maps, { metadata: { name }, data });
const reason = ({ text }: { readonly text: string }) => JSON.parse(text).reason;

const faulty = /etcd-readiness failed/;

test('faults.add({ store: "etcd down" }): writes and consistent reads get ServerTimeout and Retry-After, reads of any age continue; then all is back', async () => {
  await using server = await openTestServer({ clock: "manual" });
  await create(server, "a", { n: "1" });
  {
    using down = server.faults.add({ store: "etcd down" });
    const refused = await create(server, "b");
    assert.equal(refused.status, 500);
    assert.equal(reason(refused), "ServerTimeout");
    assert.match(refused.text, /etcd is unavailable: Cannot connect to http:\/\/etcd\.test:2379: connect ECONNREFUSED/);
    assert.equal(refused.headers.get("retry-after"), "2");
    assert.equal((await ask(server, "GET", `${maps}/a`)).status, 500);
    assert.equal((await ask(server, "GET", `${maps}/a?resourceVersion=0`)).status, 200);
    assert.equal((await ask(server, "GET", `${maps}?resourceVersion=0`)).status, 200);
    const ready = await ask(server, "GET", "https://test/readyz");
    assert.equal(ready.status, 500);
    assert.match(ready.text, faulty);
    const { text: metrics } = await ask(server, "GET", "https://test/metrics");
    assert.match(metrics, /store_trouble\{cause="unreachable"\} 1/);
    await assert.rejects(server.api.get("v1", "configmaps", "default", "a"), /etcd is unavailable/);
    assert.ok(down.hits > 3);
  }
  assert.equal((await create(server, "b")).status, 201);
  assert.equal((await ask(server, "GET", `${maps}/a`)).status, 200);
  assert.match((await ask(server, "GET", "https://test/metrics")).text, /store_trouble\{cause="unreachable"\} 0/);
  assert.deepEqual(server.faults.injected.map(({ fault }) => fault), ["store: etcd down", "store: etcd down, over"]);
  assert.ok(server.logged.some((line) => line.includes("unreachable")) && server.logged.some((line) => line.includes("is back")));
});

test('faults.add({ store: "etcd down" }): open watches stay and get the events of after', async () => {
  await using server = await openTestServer();
  const ending = new AbortController();
  const { body } = await server.handle(new Request(`${maps}?watch=true&fieldSelector=metadata.name=a`, { signal: ending.signal }));
  const reader = body!.getReader();
  const down = server.faults.add({ store: "etcd down", lasts: "50ms" });
  assert.equal((await create(server, "a")).status, 500);
  while (down.hits < 1 || (await create(server, "a")).status !== 201);
  const { value } = await reader.read();
  assert.match(new TextDecoder().decode(value), /^\{"type":"ADDED"/);
  ending.abort();
});

test('faults.add({ store: "etcd full" }): updates get the error of the quota, deletions are done', async () => {
  await using server = await openTestServer();
  await create(server, "a");
  const full = server.faults.add({ store: "etcd full" });
  const refused = await create(server, "b");
  assert.equal(refused.status, 500);
  assert.match(refused.text, /etcdserver: mvcc: database space exceeded/);
  assert.match((await ask(server, "GET", "https://test/metrics")).text, /store_trouble\{cause="full"\} 1/);
  assert.equal((await ask(server, "GET", `${maps}/a`)).status, 200);
  assert.equal((await ask(server, "DELETE", `${maps}/a`)).status, 200);
  full.remove();
  assert.equal((await create(server, "b")).status, 201);
  assert.match((await ask(server, "GET", "https://test/metrics")).text, /store_trouble\{cause="full"\} 0/);
});

test('faults.add({ store: "disk full" | "file failing" }): the embedded store answers as on its disk, and recovers by itself', async () => {
  await using server = await openTestServer({ clock: "manual" });
  await create(server, "a");
  const cases: readonly [StoreFault, number, RegExp, number, number][] = [
    ["disk full", 507, /the server's disk is full/, 200, 200],
    ["file failing", 500, /The store failed: disk I\/O error/, 500, 500],
  ];
  for (const [store, status, text, ofDelete, ofGet] of cases) {
    await create(server, "gone");
    const fault = server.faults.add({ store });
    const refused = await create(server, "b");
    assert.equal(refused.status, status, refused.text);
    assert.match(refused.text, text);
    assert.equal((await ask(server, "DELETE", `${maps}/gone`)).status, ofDelete);
    assert.equal((await ask(server, "GET", `${maps}?resourceVersion=0`)).status, 200);
    assert.equal((await ask(server, "GET", `${maps}/a`)).status, 200, `${ofGet}`);
    assert.equal((await ask(server, "GET", "https://test/readyz")).status, 500);
    fault.remove();
    await server.clock.advance("3s");
    assert.equal((await ask(server, "GET", "https://test/readyz")).status, 200, String(store));
    assert.equal((await ask(server, "DELETE", `${maps}/gone`)).status, ofDelete === 200 ? 404 : 200);
  }
});

test("faults.add({ store: { slow } }): each call takes as long by the clock of the server", async () => {
  await using server = await openTestServer({ clock: "manual" });
  const slow = server.faults.add({ store: { slow: "200ms" } });
  let status = 0;
  const created = create(server, "a").then((answer) => status = answer.status);
  await server.clock.advance("199ms");
  assert.equal(status, 0);
  for (let turns = 0; turns < 20 && status === 0; turns++) await server.clock.advance("200ms");
  await created;
  assert.equal(status, 201);
  const waiting = create(server, "b");
  await server.clock.advance("1ms");
  slow.remove();
  assert.equal((await waiting).status, 201);
});

test("faults.add({ store }): a mistake is an error; chaos mixes them if asked, for a time; clear() ends them", async () => {
  await using server = await openTestServer({ clock: "manual" });
  assert.throws(() => server.faults.add({ store: "broken" as "disk full" }), /no fault of a store/);
  assert.throws(() => server.faults.add({ store: "etcd down", verb: "get" } as never), /it has no verb/);
  assert.throws(() => server.faults.chaos(1, { effects: [{ store: "etcd down" } as never] }), /needs lasts/);
  const chaos = server.faults.chaos(1, { rate: 1, resource: "configmaps", effects: [{ store: "etcd full", lasts: "1s" }] });
  assert.equal((await create(server, "a")).status, 500);
  chaos.remove();
  await server.clock.advance("1s");
  assert.equal((await create(server, "a")).status, 201);
  server.faults.add({ store: "file failing" });
  server.faults.clear();
  assert.equal((await create(server, "b")).status, 201);
});

test("faults of the store: a fork has none, and controllers go on after them", async () => {
  await using server = await openTestServer();
  const down = server.faults.add({ store: "etcd down" });
  await using fork = await server.fork();
  assert.equal((await create(fork, "a")).status, 201);
  down.remove();
  assert.equal((await ask(server, "POST", "https://test/api/v1/namespaces", { metadata: { name: "later" } })).status, 201);
  const account = "https://test/api/v1/namespaces/later/serviceaccounts/default";
  while ((await ask(server, "GET", account)).status !== 200) await new Promise((resolve) => setTimeout(resolve, 5));
});

test("faults of the store: a restore is the test's own hand; the faults go on after it", async () => {
  await using server = await openTestServer({ clock: "manual" });
  await create(server, "a");
  const before = server.snapshot();
  await create(server, "b");
  server.faults.add({ store: "etcd down" });
  await server.restore(before, { watches: "end" });
  assert.equal((await ask(server, "GET", `${maps}/b?resourceVersion=0`)).status, 404);
  assert.equal((await create(server, "c")).status, 500);
  server.faults.clear();
  assert.equal((await create(server, "c")).status, 201);
});
