import assert from "node:assert/strict";
import { test } from "node:test";
import { pause } from "../core/async.ts";
import { WorkQueue } from "../core/work-queue.ts";
import { definePlugin } from "../plugin.ts";
import { openTestServer } from "../testing.ts";
import { AdvancedClock } from "./clock.ts";

test("AdvancedClock: timers run at their times, in order, and the work that they begin ends before the next one", async () => {
  const clock = new AdvancedClock(1_000), seen: string[] = [], ending = new AbortController();
  const queue = new WorkQueue({
    signal: ending.signal,
    clock,
    async work(key) {
      for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setTimeout(resolve, 0));
      seen.push(`${key} ${clock.now()}`);
      if (key === "second") queue.addAfter("third", 500);
    },
  });
  queue.addAfter("second", 2_000);
  queue.addAfter("first", 1_000);
  queue.addAfter("later", 10_000);
  await clock.advance("2s");
  assert.deepEqual(seen, ["first 2000", "second 3000"]);
  await Promise.all([clock.advance(400), clock.advance(100)]);
  assert.deepEqual(seen.slice(2), ["third 3500"]);
  assert.equal(clock.now(), 3_500);
  ending.abort();
  await queue.ended();
});

test("AdvancedClock: what is due at once runs without an advance; a timer that is canceled does not", async () => {
  const clock = new AdvancedClock(0), seen: string[] = [];
  await new Promise<void>((resolve) => void clock.after(0, resolve));
  clock.after(5, () => seen.push("canceled"))();
  await clock.advance(10);
  assert.deepEqual(seen, []);
  assert.throws(() => clock.advance("soon"), /"soon" is no duration/);
  assert.throws(() => clock.advance(-1), /no duration that can pass/);
});

test("openTestServer({ clock }): times of objects follow a manual clock; that of the machine cannot be advanced", async () => {
  await using server = await openTestServer({ clock: "manual" });
  const create = async (name: string) => {
    const { metadata } = await server.api.create("v1", "configmaps", "default", { metadata: { name } });
    return Date.parse(metadata.creationTimestamp ?? "");
  };
  const first = await create("first");
  await server.clock.advance("10m");
  assert.equal(await create("second") - first, 600_000);
  await using other = await openTestServer();
  await assert.rejects(other.clock.advance(1), /clock of the machine/);
});

test("openTestServer({ clock }): events expire by a manual clock", async () => {
  await using server = await openTestServer({ clock: "manual" });
  await server.api.create("v1", "events", "default", {
    metadata: { name: "a" },
    involvedObject: { kind: "Pod", namespace: "default", name: "a" },
    type: "Normal",
  });
  await server.clock.advance("59m");
  await server.api.get("v1", "events", "default", "a");
  await server.clock.advance("2m");
  await assert.rejects(server.api.get("v1", "events", "default", "a"), /not found/);
});

test("openTestServer({ clock }): tokens of service accounts are issued, checked and kept by a manual clock", async () => {
  await using server = await openTestServer({ clock: "manual" });
  await server.api.create("v1", "serviceaccounts", "default", { metadata: { name: "worker" } });
  const ask = async (path: string, body: object) => {
    const headers = { "content-type": "application/json" };
    return await (await server.handle(new Request(`https://test${path}`, { method: "POST", headers, body: JSON.stringify(body) }))).json();
  };
  const spec = { expirationSeconds: 600 };
  const { status: { token, expirationTimestamp } } = await ask("/api/v1/namespaces/default/serviceaccounts/worker/token", { spec });
  assert.equal(Date.parse(expirationTimestamp), Math.floor(server.clock.now() / 1_000 + 600) * 1_000);
  const isAccepted = async () => {
    const { status } = await ask("/apis/authentication.k8s.io/v1/tokenreviews", { spec: { token } });
    return status.authenticated === true;
  };
  const accepted = [await isAccepted()];
  for (const by of ["9m", "2m"]) {
    await server.clock.advance(by);
    accepted.push(await isAccepted());
  }
  assert.deepEqual(accepted, [true, true, false]);
});

test("openTestServer({ clock }): bootstrap tokens expire by a manual clock", async () => {
  await using server = await openTestServer({ clock: "manual", settings: { "enable-bootstrap-token-auth": true } });
  await server.api.create("v1", "secrets", "kube-system", {
    metadata: { name: "bootstrap-token-abcdef" },
    type: "bootstrap.kubernetes.io/token",
    stringData: {
      "token-id": "abcdef",
      "token-secret": "0123456789abcdef",
      "usage-bootstrap-authentication": "true",
      expiration: new Date(server.clock.now() + 3_600_000).toISOString(),
    },
  });
  const headers = { authorization: "Bearer abcdef.0123456789abcdef" };
  const statusOf = async () => (await server.handle(new Request("https://test/version", { headers }))).status;
  const before = await statusOf();
  await server.clock.advance("61m");
  assert.deepEqual([before, await statusOf()], [200, 401]);
});

test("openTestServer({ clock }): the times of conditions are those of a manual clock", async () => {
  await using server = await openTestServer({ clock: "manual" });
  await server.clock.advance("1h");
  const names = { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" };
  await server.api.create("apiextensions.k8s.io/v1", "customresourcedefinitions", "", {
    metadata: { name: "things.example.com" },
    spec: {
      group: "example.com",
      names,
      scope: "Cluster",
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
    },
  });
  await server.clock.advance(0);
  // deno-lint-ignore no-explicit-any -- a status is read as it comes.
  const { status } = await server.api.get("apiextensions.k8s.io/v1", "customresourcedefinitions", "", "things.example.com") as any;
  const times = status.conditions.map(({ lastTransitionTime }: { lastTransitionTime: string }) => Date.parse(lastTransitionTime));
  assert.deepEqual([...new Set(times)], [Math.floor(server.clock.now() / 1_000) * 1_000]);
});

test("AdvancedClock: work that pauses does not hold the clock; other work of the queue does", async () => {
  const clock = new AdvancedClock(0), seen: string[] = [], ending = new AbortController();
  const queue = new WorkQueue({
    signal: ending.signal,
    clock,
    workers: 2,
    async work(key) {
      if (key === "patient") await queue.pause(5_000);
      else for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setTimeout(resolve, 0));
      seen.push(`${key} ${clock.now()}`);
    },
  });
  queue.add("patient");
  queue.addAfter("busy", 1_000);
  clock.after(1_001, () => seen.push(`timer ${clock.now()}`));
  await clock.advance("10s");
  assert.deepEqual(seen, ["busy 1000", "timer 1001", "patient 5000"]);
  ending.abort();
  await queue.ended();
});

test("openTestServer({ clock }): each server of a process has its own clock", async () => {
  await using one = await openTestServer({ clock: "manual" });
  await using other = await openTestServer({ clock: "manual" });
  const before = other.clock.now();
  await one.clock.advance("1h");
  assert.equal(other.clock.now(), before);
  const created = async ({ api }: typeof one) => {
    const { metadata } = await api.create("v1", "configmaps", "default", { metadata: { name: "a" } });
    return Date.parse(metadata.creationTimestamp ?? "");
  };
  assert.ok(await created(one) - await created(other) > 3_500_000);
});

test("AdvancedClock: work with a store that changes nothing ends before the next timer, without timers of the machine", async () => {
  const store = { runs: 0, revision: 1 }, clock = new AdvancedClock(0), seen: string[] = [];
  clock.follow(store);
  const immediate = () => new Promise((resolve) => void setImmediate(resolve));
  clock.after(1_000, async () => {
    for (let turns = 0; turns < 5; turns++) {
      await immediate();
      store.runs++;
    }
    const release = clock.hold();
    for (let turns = 0; turns < 20; turns++) await immediate();
    release();
    seen.push(`read ${clock.now()}`);
    clock.after(0, () => seen.push(`at once ${clock.now()}`));
  });
  clock.after(2_000, () => seen.push(`later ${clock.now()}`));
  await clock.advance("3s");
  assert.deepEqual(seen, ["read 1000", "at once 1000", "later 2000"]);
});

test("AdvancedClock: work with a store that changes something has turns of timers", async () => {
  const store = { runs: 0, revision: 1 }, clock = new AdvancedClock(0), seen: string[] = [];
  clock.follow(store);
  clock.after(1_000, () => {
    store.revision++;
    setTimeout(() => seen.push(`delivered ${clock.now()}`), 0);
  });
  clock.after(2_000, () => seen.push(`later ${clock.now()}`));
  await clock.advance("3s");
  assert.deepEqual(seen, ["delivered 1000", "later 2000"]);
});

test("openTestServer({ clock }): requests of a round end at its time; 24 idle hours hardly wait", async () => {
  const rounds: [begun: number, ended: number][] = [];
  const plugin = definePlugin({
    name: "rounds",
    summary: "For tests.",
    controllers: [{
      name: "rounds",
      async run({ api, clock }, signal) {
        for (let round = 0; round < 3; round++) {
          await pause(3_600_000, signal, clock);
          const begun = clock.now();
          await api.list("v1", "configmaps", "default");
          await api.create("v1", "configmaps", "default", { metadata: { name: `round-${round}` } });
          await api.get("v1", "configmaps", "default", `round-${round}`);
          rounds.push([begun, clock.now()]);
        }
      },
    }],
  });
  await using server = await openTestServer({ clock: "manual", plugins: [plugin] });
  const start = server.clock.now(), turns = await timersDuring(() => server.clock.advance("24h"));
  assert.deepEqual(rounds.map(([begun, ended]) => [begun - start, ended - begun]), [1, 2, 3].map((hour) => [hour * 3_600_000, 0]));
  // Each minute is a stop.
  assert.ok(turns < 700, `${turns} timers of the machine`);
});

/** The number of timers without a delay that are begun meanwhile. */
async function timersDuring(run: () => Promise<void>): Promise<number> {
  const { setTimeout } = globalThis;
  let timers = 0;
  globalThis.setTimeout = Object.assign((...given: Parameters<typeof setTimeout>) => {
    if (!given[1]) timers++;
    return setTimeout(...given);
  }, setTimeout);
  try {
    await run();
  } finally {
    globalThis.setTimeout = setTimeout;
  }
  return timers;
}
