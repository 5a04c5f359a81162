// Faults on demand: each rule is seen as a client sees it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ConnectionDropped, openTestServer, type TestServer } from "../../testing.ts";

const maps = "https://test/api/v1/namespaces/default/configmaps";

function ask(server: TestServer, method: string, url: string, body?: unknown, type = "application/json") {
  const init = body === undefined ? { method } : { method, headers: { "content-type": type }, body: JSON.stringify(body) };
  return server.handle(new Request(url, init));
}
const create = (server: TestServer, name: string, data = {}) => ask(server, "POST", maps, { metadata: { name }, data });
const nameOf = (event: { object: { metadata: { name: string } } }) => event.object.metadata.name;

/** The events of a watch, as they arrive. */
async function watchOf(server: TestServer, query = "") {
  const ending = new AbortController();
  const { body } = await server.handle(new Request(`${maps}?watch=true${query}`, { signal: ending.signal }));
  const events: any[] = [], text = new TextDecoder();
  let rest = "", wake = () => {};
  const ended = (async () => {
    for await (const chunk of body!) {
      const lines = (rest + text.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop()!;
      for (const line of lines) events.push(JSON.parse(line));
      wake();
    }
  })();
  ended.then(() => wake(), () => wake());
  const until = async (count: number) => {
    while (events.length < count) await new Promise<void>((resolve) => wake = resolve);
    return events;
  };
  return { events, until, ended, rest: () => rest, end: () => ending.abort() };
}
/** Resolves when what is under way in this process was delivered. */
async function delivered(): Promise<void> {
  for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setTimeout(resolve, 0));
}

test("faults.add(): the n-th request that matches is answered with an error, with Retry-After; what was injected is listed", async () => {
  await using server = await openTestServer();
  const rule = server.faults.add({ verb: "create", resource: "configmaps", nth: 2, answer: { code: 429, retryAfterSeconds: 7 } });
  assert.equal((await create(server, "a")).status, 201);
  const refused = await create(server, "b");
  assert.deepEqual([refused.status, refused.headers.get("retry-after")], [429, "7"]);
  assert.equal((await refused.json()).reason, "TooManyRequests");
  assert.equal((await create(server, "b")).status, 201);
  assert.equal(rule.hits, 1);
  const injected = server.faults.injected.map(({ user, verb, path, fault }) => [user, verb, path, fault]);
  assert.deepEqual(injected, [["admin", "create", "/api/v1/namespaces/default/configmaps", "answered with 429 TooManyRequests"]]);
});

test("faults.add(): rules match by user, name, group and subresource; a fault never hides that a user may not", async () => {
  await using server = await openTestServer();
  await create(server, "a");
  const get = (url: string, name: string, groups = ["system:masters"]) =>
    server.handle(new Request(url), { name, groups }).then(({ status }) => status);
  server.faults.add({ user: "eve", resource: "configmaps", name: "a", answer: { code: 500 } });
  server.faults.add({ resource: "deployments.apps", answer: { code: 503 } });
  server.faults.add({ resource: "namespaces/*", times: 1, answer: { reason: "Timeout" } });
  assert.deepEqual(await Promise.all([get(`${maps}/a`, "eve"), get(`${maps}/a`, "bob"), get(`${maps}/b`, "eve")]), [500, 200, 404]);
  assert.equal(await get(`${maps}/a`, "eve", []), 403);
  assert.equal(await get("https://test/apis/apps/v1/deployments", "bob"), 503);
  const namespace = "https://test/api/v1/namespaces/default";
  assert.deepEqual([await get(`${namespace}/status`, "bob"), await get(namespace, "bob")], [504, 200]);
  server.faults.clear();
  assert.equal(await get(`${maps}/a`, "eve"), 200);
});

test("faults.add(): a rule that can have no effect is an error of the test", async () => {
  await using server = await openTestServer({ bare: true });
  for (
    const [rule, error] of [
      [{ verb: "get" }, /needs an effect/],
      [{ answer: { code: 500 }, drop: "after" }, /one effect/],
      [{ delay: "soon" }, /no duration/],
      [{ answer: { code: 200 } }, /no code of an error/],
      [{ times: 0, drop: "after" }, /positive integer/],
      [{ nth: 1, times: 2, drop: "after" }, /either nth or times/],
      [{ verb: "create", lag: "1s" }, /get and list/],
      [{ verb: ["get", "list"], endWatch: { how: "closed" } }, /verb watch/],
    ] as const
  ) assert.throws(() => server.faults.add(rule), error);
});

test("faults.add({ drop }): the connection breaks before the request, or after its write was done", async () => {
  await using server = await openTestServer();
  server.faults.add({ verb: "create", drop: "before", nth: 1 });
  server.faults.add({ verb: "create", drop: "after", nth: 1 });
  await assert.rejects(create(server, "a"), ConnectionDropped);
  assert.equal((await ask(server, "GET", `${maps}/a`)).status, 404);
  await assert.rejects(create(server, "a"), ConnectionDropped);
  assert.equal((await ask(server, "GET", `${maps}/a`)).status, 200);
  assert.equal((await create(server, "a")).status, 409);
});

test("faults.add({ delay }): a request waits by the clock of the server, alone or before another fault", async () => {
  await using server = await openTestServer({ clock: "manual" });
  server.faults.add({ verb: "get", resource: "configmaps", delay: "10s", answer: { code: 504 } });
  let status = 0;
  const asked = ask(server, "GET", `${maps}/a`).then((response) => status = response.status);
  await server.clock.advance("9s");
  assert.equal(status, 0);
  await server.clock.advance("1s");
  await asked;
  assert.equal(status, 504);
});

test("faults.add({ lag }): reads that name no revision see an older state; writes do not", async () => {
  await using server = await openTestServer({ clock: "manual" });
  await create(server, "a", { n: "1" });
  const valueOf = async (url: string) => (await (await ask(server, "GET", url)).json()).data.n;
  await server.clock.advance("1s");
  const rule = server.faults.add({ resource: "configmaps", lag: "frozen" });
  const { resourceVersion } =
    (await (await ask(server, "PUT", `${maps}/a`, { metadata: { name: "a" }, data: { n: "2" } })).json()).metadata;
  assert.equal(await valueOf(`${maps}/a`), "1");
  assert.equal(await valueOf(`${maps}/a?resourceVersion=${resourceVersion}`), "2");
  const list = async () => (await (await ask(server, "GET", `${maps}?fieldSelector=metadata.name=a`)).json()).items[0].data.n;
  assert.equal(await list(), "1");
  rule.remove();
  assert.deepEqual([await valueOf(`${maps}/a`), await list()], ["2", "2"]);
  server.faults.add({ resource: "configmaps", verb: ["get", "list"], lag: "1m" });
  await server.clock.advance("30s");
  await create(server, "b");
  await server.clock.advance("31s");
  assert.deepEqual([await valueOf(`${maps}/a`), await list()], ["2", "2"]);
  assert.equal((await ask(server, "GET", `${maps}/b`)).status, 404);
  assert.equal((await ask(server, "DELETE", `${maps}/b`)).status, 200);
});

test("faults.hold(): events wait for flush(), in an order of the test's choice; release() ends it", async () => {
  await using server = await openTestServer();
  await create(server, "old");
  const watch = await watchOf(server, "&fieldSelector=metadata.name!=kube-root-ca.crt");
  await watch.until(1);
  const held = server.faults.hold({ resource: "configmaps" });
  for (const name of ["a", "b", "c"]) await create(server, name);
  await ask(server, "DELETE", `${maps}/a`);
  const later = await watchOf(server, "&fieldSelector=metadata.name!=kube-root-ca.crt");
  await later.until(3);
  await delivered();
  assert.equal(watch.events.length, 1);
  assert.deepEqual(held.events.map(({ type, name, watch }) => [type, name, watch]), [
    ["ADDED", "a", 1],
    ["ADDED", "b", 1],
    ["ADDED", "c", 1],
    ["DELETED", "a", 1],
  ]);
  held.flush((events) => events.filter(({ name }) => name !== "a").reverse());
  await watch.until(3);
  assert.deepEqual(watch.events.map(nameOf), ["old", "c", "b"]);
  held.flush();
  await watch.until(5);
  assert.deepEqual(watch.events.slice(3).map((event) => [event.type, nameOf(event)]), [["ADDED", "a"], ["DELETED", "a"]]);
  await create(server, "d");
  await delivered();
  assert.deepEqual([watch.events.length, later.events.length, held.events.length], [5, 3, 2]);
  held.release();
  await Promise.all([watch.until(6), later.until(4)]);
  await create(server, "e");
  await Promise.all([watch.until(7), later.until(5)]);
  watch.end();
  later.end();
});

test("faults.hold(): events are held in every encoding", async () => {
  await using server = await openTestServer();
  for (
    const accept of [
      "application/vnd.kubernetes.protobuf;stream=watch",
      "application/json;as=Table;v=v1;g=meta.k8s.io",
      "application/cbor-seq",
    ]
  ) {
    const gates = new AbortController();
    const response = await server.handle(
      new Request(`${maps}?watch=true&resourceVersion=${await newest(server)}`, { headers: { accept }, signal: gates.signal }),
    );
    if (response.status === 406) continue; // CBOR is behind a gate
    const reader = response.body!.getReader(), held = server.faults.hold();
    const first = reader.read();
    const names = ["x", "y"];
    for (const name of names) await create(server, name);
    await delivered();
    assert.deepEqual(held.events.map(({ name }) => name), names, accept);
    held.release();
    const { value } = await first;
    assert.ok(value !== undefined && value.length > 50, accept);
    gates.abort();
    reader.cancel().catch(() => {});
    for (const name of names) await ask(server, "DELETE", `${maps}/${name}`);
  }
});

test("a watch that its reader leaves ends at once, also while it waits and while it is recorded", { timeout: 60_000 }, async () => {
  await using server = await openTestServer();
  const recording = server.record();
  await create(server, "a");
  const { body } = await server.handle(new Request(`${maps}?watch=true&fieldSelector=metadata.name=a`));
  for await (const chunk of body!) {
    assert.ok(chunk.length > 0);
    break;
  }
  assert.equal(recording.requests({ verb: "watch" }).length, 1);
  assert.equal(server.faults.endWatches("closed", { resource: "configmaps" }), 0);
  server.faults.add({ verb: "watch", drop: "after" });
  await assert.rejects(watchOf(server), ConnectionDropped);
  assert.equal(server.faults.endWatches("closed"), 0, "a watch whose reply is dropped ends, too");
});

async function newest(server: TestServer): Promise<string> {
  return (await (await ask(server, "GET", maps)).json()).metadata.resourceVersion;
}

test("faults.endWatches() and endWatch: watches end with 410, in time, or within an event", async () => {
  await using server = await openTestServer();
  const from = `&resourceVersion=${await newest(server)}`;
  const open = await watchOf(server, from), other = await watchOf(server, from), torn = await watchOf(server, from);
  await create(server, "a");
  await Promise.all([open, other, torn].map((each) => each.until(1)));
  assert.equal(server.faults.endWatches("expired", { resource: "pods" }), 0);
  server.faults.add({ verb: "watch", endWatch: { how: "closed", afterEvents: 2 } });
  const limited = await watchOf(server, from);
  assert.equal(server.faults.endWatches("expired"), 4);
  await Promise.all([open.ended, other.ended, limited.ended]);
  assert.deepEqual([open.events.at(-1).type, open.events.at(-1).object.reason], ["ERROR", "Expired"]);
  const counted = await watchOf(server, from);
  for (const name of ["b", "c"]) await create(server, name);
  await counted.ended;
  assert.deepEqual(counted.events.map(nameOf), ["a", "b"]);
  server.faults.clear();
  const half = await watchOf(server, `&resourceVersion=${await newest(server)}`);
  server.faults.endWatches("half an event");
  await create(server, "d");
  await assert.rejects(half.ended, ConnectionDropped);
  assert.match(half.rest(), /^\{"type":"ADDED","object":\{/);
  assert.equal(half.events.length, 0);
});

test("faults.chaos(): the same seed gives the same faults, and only writes conflict", async () => {
  const run = async (seed: number) => {
    await using server = await openTestServer();
    server.faults.chaos(seed, { rate: 0.5, resource: "configmaps" });
    const statuses: (number | string)[] = [];
    for (let turn = 0; turn < 20; turn++) {
      for (const asked of [() => create(server, `m${turn}`), () => ask(server, "GET", `${maps}/m${turn}`)]) {
        statuses.push(await asked().then(({ status }) => status, () => "dropped"));
      }
    }
    assert.ok(server.faults.injected.length > 8);
    assert.ok(server.faults.injected.every(({ verb, fault }) => verb === "create" || !fault.includes("Conflict")));
    return { statuses, faults: server.faults.injected.map(({ verb, fault }) => `${verb} ${fault}`) };
  };
  const [one, same, other] = [await run(7), await run(7), await run(8)];
  assert.deepEqual(one, same);
  assert.notDeepEqual(one, other);
});
