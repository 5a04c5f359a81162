import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { etcdGateway, etcdMissing, etcdRelease, etcds, type EtcdServer, startEtcd, startEtcds, startLearner } from "./etcd.ts";
import { type EtcdOptions, openEtcd } from "../kernel/store/etcd/etcd.ts";
import { storeConformance } from "./store/store-conformance.ts";
import { bytes, done, eventsUntil, put, refused, startWatch, text, within } from "./store/helpers.ts";
import { type Range, type Revision, type Store, StoreError } from "../kernel/store/store.ts";
import { etcdFlags, makeCertificates } from "./store/certificates.ts";
import { startProxy } from "./store/proxy.ts";

const all: Range = { prefix: "" };

async function opened(options: EtcdOptions, use: (store: Store) => Promise<void>): Promise<void> {
  const store = await openEtcd(options);
  try {
    await use(store);
  } finally {
    await store.close();
  }
}

/** Writes until it is stopped. Records acknowledged writes and retries while the store is unavailable. */
function startWriter(store: Store, key: string) {
  const acknowledged: Revision[] = [];
  const failures: StoreError[] = [];
  const goals: { readonly at: number; readonly reached: () => void }[] = [];
  let stopped = false;
  const ended = (async () => {
    let last: Revision | "absent" = "absent";
    for (let round = 0; !stopped; round++) {
      try {
        const commit = await store.commit({ key, expect: last, value: bytes(`${round}`) });
        last = commit.done ? commit.revision : commit.current?.revision ?? "absent";
        if (!commit.done) continue;
        acknowledged.push(commit.revision);
        for (const goal of goals) if (goal.at === acknowledged.length) goal.reached();
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        failures.push(error);
        await new Promise((resolve) => setTimeout(resolve, 20)); // Not awaited by the test; only bounds the load.
      }
    }
  })();
  ended.catch(() => {});
  return {
    acknowledged,
    failures,
    /** Resolves after `count` further acknowledged writes. */
    async more(count: number): Promise<void> {
      const reached = Promise.withResolvers<void>();
      goals.push({ at: acknowledged.length + count, reached: reached.resolve });
      await within(Promise.race([reached.promise, ended]), `${count} more writes of "${key}"`);
    },
    async stop(): Promise<Revision> {
      stopped = true;
      await within(ended, "the writer to stop");
      return acknowledged.at(-1) ?? assert.fail("nothing was acknowledged");
    },
  };
}

/** Checks that a watch has received the history: no event skipped or duplicated, no acknowledged write lost. */
async function assertComplete(
  store: Store,
  watch: ReturnType<typeof startWatch>,
  from: Revision,
  to: Revision,
  acknowledged: readonly Revision[],
) {
  await watch.reached(to);
  const seen = (await watch.stop()).filter(({ revision }) => revision <= to);
  const history = (await eventsUntil(store, all, from, to)).filter(({ revision }) => revision <= to);
  const plain = (events: typeof seen) =>
    events.map(({ key, revision, value, previous }) => [key, revision, text(value), text(previous?.value), previous?.revision]);
  assert.deepEqual(plain(seen), plain(history));
  const there = new Set(seen.map(({ revision }) => revision));
  assert.deepEqual(acknowledged.filter((revision) => !there.has(revision)), []);
}

const setBacks = [
  { how: "which has not reached the delivered events", heard: true, passed: false },
  { how: "which has passed the delivered events by other changes", heard: true, passed: true },
  { how: "when no event was delivered yet", heard: false, passed: false },
];

for (const program of etcds()) {
  describe(program, () => {
    let etcd: EtcdServer;
    before(async () => {
      etcd = await startEtcd({ program });
    });
    after(() => etcd.stop());
    storeConformance("etcd", () => openEtcd({ endpoints: [etcd.endpoint], prefix: `/${randomUUID()}/` }));
  });
}

for (const program of etcds()) {
  test(`stream() reads a range at one revision where the server has it: ${program}`, async () => {
    const etcd = await startEtcd({ program }), { minor } = await etcdRelease(program);
    try {
      await opened({ endpoints: [etcd.endpoint], prefix: "/p/" }, async (store) => {
        const keys = Array.from({ length: 50 }, (_, index) => `key-${String(index).padStart(5, "0")}`);
        let at = 0;
        for (const key of keys) at = await put(store, key, "1");
        await put(store, "key-x", "later");
        const ending = new AbortController(), found = await store.stream?.({ prefix: "key-", after: keys[9]! }, at, ending.signal);
        assert.equal(found === undefined, minor < 3007);
        if (found === undefined) return;
        const streamed: string[] = [];
        for await (const piece of found) streamed.push(...piece.map(({ key, value }) => `${key} ${text(value)}`));
        assert.deepEqual(streamed, keys.slice(10).map((key) => `${key} 1`));
        await store.compact(at + 1);
        await assert.rejects(
          async () => await store.stream?.({ prefix: "" }, at - 1, ending.signal),
          (error) => error instanceof StoreError && error.code === "compacted" && error.oldest === at + 1,
        );
      });
    } finally {
      await etcd.stop();
    }
  });
}

for (const program of etcds()) {
  test(`list() of many keys reads them in one stream where the server has it, else in pages: ${program}`, async () => {
    const etcd = await startEtcd({ program }), { minor } = await etcdRelease(program);
    const calls = async () => {
      const metrics = await (await fetch(`${etcd.endpoint}/metrics`)).text();
      return ["Range", "RangeStream"].map((method) =>
        Number(RegExp(`grpc_server_started_total{[^}]*method="${method}",[^}]*} (\\d+)`).exec(metrics)?.[1] ?? 0)
      );
    };
    try {
      await opened({ endpoints: [etcd.endpoint], prefix: "/p/" }, async (store) => {
        const keys = Array.from({ length: 10_050 }, (_, index) => `key-${String(index).padStart(5, "0")}`);
        let next = 0;
        await Promise.all(Array.from({ length: 32 }, async () => {
          for (let key = keys[next++]; key !== undefined; key = keys[next++]) await put(store, key, key);
        }));
        const { revision } = await store.get(keys[0]!), before = await calls();
        await put(store, "key-00000-later", "later");
        const { entries, ...more } = await store.list({ prefix: "key-" }, { at: revision });
        assert.deepEqual(more, { revision, count: keys.length });
        assert.deepEqual(entries.map(({ key, value }) => [key, text(value)]), keys.map((key) => [key, key]));
        assert.deepEqual((await calls()).map((each, index) => each - before[index]!), minor < 3007 ? [3, 0] : [1, 1]);
        assert.equal((await store.list({ prefix: "key-" })).count, keys.length + 1);
        assert.equal((await store.list({ prefix: "key-" }, { limit: 6_000 })).entries.length, 6_000);
      });
    } finally {
      await etcd.stop();
    }
  });
}

describe("etcd", { skip: etcdMissing() }, () => {
  let etcd: EtcdServer;
  const options = (more: Partial<EtcdOptions> = {}): EtcdOptions => ({ endpoints: [etcd.endpoint], prefix: `/${randomUUID()}/`, ...more });
  before(async () => {
    etcd = await startEtcd();
  });
  after(() => etcd.stop());

  storeConformance("etcd without a prefix", async () => {
    const store = await openEtcd(options({ prefix: "" }));
    for (const { key, revision } of (await store.list(all)).entries) await store.commit({ key, expect: revision, value: undefined });
    return store;
  });

  test("openEtcd() uses keys below its prefix only", () => {
    const shared = randomUUID();
    return opened(options({ prefix: `${shared}/a/` }), (a) =>
      opened(options({ prefix: `${shared}/a` }), async (outer) => {
        const revision = await put(a, "x", "1");
        assert.deepEqual((await outer.list(all)).entries.map(({ key }) => key), ["/x"]);
        await put(outer, "b", "1");
        assert.equal((await a.list(all)).count, 1);
        const [event] = await eventsUntil(outer, all, revision - 1, revision);
        assert.equal(event?.key, "/x");
      }));
  });

  test("list() reads more keys than fit into one response, all at one revision, with the total count", () =>
    opened(options(), async (store) => {
      const keys = Array.from({ length: 5003 }, (_, index) => `key-${String(index).padStart(5, "0")}`);
      for (let start = 0; start < keys.length; start += 250) {
        await Promise.all(keys.slice(start, start + 250).map((key) => put(store, key, "1")));
      }
      const { revision } = await store.get("none");
      const listing = await store.list(all);
      assert.deepEqual([listing.count, listing.revision], [5003, revision]);
      assert.deepEqual(listing.entries.map(({ key }) => key), keys);
      const limited = await store.list({ prefix: "", after: "key-00000" }, { limit: 5001 });
      assert.deepEqual([limited.entries.length, limited.count, limited.entries.at(-1)?.key], [5001, 5002, "key-05001"]);
    }));

  test("openEtcd() rejects if no endpoint is reachable", async () => {
    await refused("unavailable", () => openEtcd({ endpoints: ["http://127.0.0.1:1"], timeoutMs: 2000 }));
  });

  test("openEtcd() uses the endpoint that responds", () =>
    opened(options({ endpoints: ["http://127.0.0.1:1", etcd.endpoint] }), async (store) => {
      const revision = await put(store, "a", "1");
      assert.equal((await eventsUntil(store, all, revision - 1, revision)).length, 1);
    }));

  test("openEtcd() skips a learner, and watches and writes leave it", async () => {
    const voter = await startEtcd();
    try {
      const learner = await startLearner(voter);
      try {
        await opened(options({ endpoints: [learner.endpoint, voter.endpoint] }), async (store) => {
          const revision = await put(store, "a", "1");
          assert.equal((await store.list(all)).revision, revision);
          assert.equal((await eventsUntil(store, all, revision - 1, revision)).length, 1);
        });
        await opened(options({ endpoints: [learner.endpoint], timeoutMs: 2000 }), async (store) => {
          await refused("unavailable", () => store.get("a"));
        });
      } finally {
        await learner.stop();
      }
    } finally {
      await voter.stop();
    }
  });

  test("openEtcd() uses TLS with a client certificate, and is rejected without one", async (context) => {
    const folder = await mkdtemp(join(tmpdir(), "thole-tls-"));
    try {
      const made = await makeCertificates(folder);
      if (made === undefined) return context.skip("no openssl on PATH to make certificates with");
      const { ca, client, server } = made;
      const secure = await startEtcd({ flags: etcdFlags(made) });
      try {
        const endpoints = [secure.endpoint];
        await opened({ endpoints, tls: () => ({ ca: ca.cert, cert: client.cert, key: client.key }) }, async (store) => {
          const revision = await put(store, "a", "1");
          assert.equal((await eventsUntil(store, all, revision - 1, revision)).length, 1);
        });
        // As in Go, a certificate of the bundle is trusted for itself; files are bytes.
        const bundle = new TextEncoder().encode(client.cert + server.cert);
        await opened({ endpoints, tls: () => ({ ca: bundle, cert: client.cert, key: client.key }) }, async (store) => {
          assert.ok(await put(store, "b", "1") > 0);
        });
        await refused("unavailable", () => openEtcd({ endpoints, tls: () => ({ ca: ca.cert }), timeoutMs: 2000 }));
        await refused(
          "unavailable",
          () => openEtcd({ endpoints, tls: () => ({ ca: client.cert, cert: client.cert, key: client.key }), timeoutMs: 2000 }),
        );
      } finally {
        await secure.stop();
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test("a request on a silent connection fails in time, and the watch continues over another endpoint", async () => {
    const proxy = await startProxy(etcd.endpoint);
    try {
      const quick = options({ endpoints: [proxy.endpoint, etcd.endpoint], timeoutMs: 10_000, keepaliveMs: 2_000 });
      await opened(quick, async (store) => {
        const { revision } = await store.get("a");
        const watch = startWatch(store, all, revision);
        const first = await put(store, "a", "1");
        await watch.reached(first);
        proxy.hold();
        const lost = await store.commit({ key: "a", expect: first, value: bytes("2") }).catch((error: unknown) => error);
        assert.ok(lost instanceof StoreError && lost.code === "unavailable");
        const { entry } = await store.get("a");
        const last = await put(store, "a", "3", entry?.revision);
        await assertComplete(store, watch, revision, last, [first, last]);
      });
    } finally {
      await proxy.close();
    }
  });

  test("watch() ends with Expired if its history is compacted during a disconnection", async () => {
    const proxy = await startProxy(etcd.endpoint);
    try {
      const direct = options();
      await opened({ ...direct, endpoints: [proxy.endpoint] }, (behind) =>
        opened(direct, async (store) => {
          const first = await put(store, "a", "1");
          const watch = startWatch(behind, all, first - 1);
          await watch.reached(first);
          proxy.cut();
          await refused("unavailable", () => behind.get("a"));
          const second = await put(store, "a", "2", first);
          const third = await put(store, "a", "3", second);
          await store.compact(third);
          proxy.restore();
          await refused("compacted", () => watch.ended, { oldest: third });
          assert.deepEqual(watch.events.map(({ revision }) => revision), [first]);
        }));
    } finally {
      await proxy.close();
    }
  });

  test("watches and writers survive connections that break repeatedly", async () => {
    const proxy = await startProxy(etcd.endpoint);
    try {
      await opened(options({ endpoints: [proxy.endpoint] }), async (store) => {
        const { revision } = await store.get("a");
        const watch = startWatch(store, all, revision);
        const writers = ["a", "b", "c"].map((key) => startWriter(store, key));
        for (let round = 0; round < 5; round++) {
          await Promise.all(writers.map((writer) => writer.more(20)));
          proxy.cut();
          proxy.restore();
        }
        const last = Math.max(...await Promise.all(writers.map((writer) => writer.stop())));
        await assertComplete(store, watch, revision, last, writers.flatMap(({ acknowledged }) => acknowledged));
        for (const { failures } of writers) assert.deepEqual(failures.filter(({ code }) => code !== "unavailable"), []);
      });
    } finally {
      await proxy.close();
    }
  });

  test("watch() continues without loss when etcd is killed and restarted", async () => {
    const brittle = await startEtcd();
    try {
      await opened(options({ endpoints: [brittle.endpoint] }), async (store) => {
        const { revision } = await store.get("a");
        const watch = startWatch(store, all, revision);
        const writers = Array.from({ length: 4 }, (_, index) => startWriter(store, `key-${index}`));
        await Promise.all(writers.map((writer) => writer.more(50)));
        await brittle.kill();
        await refused("unavailable", () => store.commit({ key: "b", expect: "absent", value: bytes("1") }));
        await refused("unavailable", () => store.get("a"));
        await brittle.restart();
        await Promise.all(writers.map((writer) => writer.more(50)));
        const last = Math.max(...await Promise.all(writers.map((writer) => writer.stop())));
        await assertComplete(store, watch, revision, last, writers.flatMap(({ acknowledged }) => acknowledged));
        for (const { failures } of writers) assert.deepEqual(failures.filter(({ code }) => code !== "unavailable"), []);
      });
    } finally {
      await brittle.stop();
    }
  });

  for (const { how, heard, passed } of setBacks) {
    test(`watch() ends when etcd comes back with an older state, ${how}`, async () => {
      const folder = await mkdtemp(join(tmpdir(), "thole-set-back-"));
      const data = join(folder, "member-0"), copy = join(folder, "copy");
      const brittle = await startEtcd({ dataDir: folder });
      const proxy = await startProxy(brittle.endpoint);
      try {
        // As the program opens it, without its own prefix.
        const direct = { endpoints: [brittle.endpoint] };
        await opened({ endpoints: [proxy.endpoint] }, (behind) =>
          opened(direct, async (store) => {
            await put(store, "a", "1");
            await brittle.kill();
            await cp(data, copy, { recursive: true });
            await brittle.restart();
            const last = await put(store, "b", "lost");
            const from = (await behind.get("a")).revision - (heard ? 1 : 0);
            const watch = startWatch(behind, all, from);
            if (heard) await watch.reached(last);
            else await startWatch(behind, all, from - 1).reached(last);
            proxy.cut();
            await brittle.kill();
            await rm(data, { recursive: true });
            await cp(copy, data, { recursive: true });
            await brittle.restart();
            if (passed) { for (const key of ["b", "c"]) await put(store, key, "another"); }
            proxy.restore();
            await refused("set-back", () => watch.ended);
            assert.deepEqual(watch.events.map(({ revision }) => revision), heard ? [last] : []);
            const { revision } = await behind.get("a");
            const again = startWatch(behind, all, revision);
            await again.reached(await put(store, "d", "1"));
            await again.stop();
          }));
      } finally {
        await proxy.close();
        await brittle.stop();
        await rm(folder, { recursive: true, force: true });
      }
    });
  }

  test("watches and writes continue when the member of a cluster that they use is killed", async () => {
    const members = await startEtcds({ members: 3 });
    try {
      await opened(options({ endpoints: members.map(({ endpoint }) => endpoint) }), async (store) => {
        const { revision } = await store.get("a");
        const watch = startWatch(store, all, revision);
        const writer = startWriter(store, "a");
        await writer.more(20);
        await members[0]?.kill();
        await writer.more(20);
        await members[0]?.restart();
        await members[1]?.kill();
        await writer.more(20);
        await assertComplete(store, watch, revision, await writer.stop(), writer.acknowledged);
      });
    } finally {
      await Promise.all(members.map((member) => member.stop()));
    }
  });

  test("commit() rejects with etcd's message while etcd is full, and works again when it has space", async () => {
    const small = await startEtcd({ flags: [`--quota-backend-bytes=${4 * 1024 * 1024}`] });
    try {
      await opened(options({ endpoints: [small.endpoint] }), async (store) => {
        const value = new Uint8Array(500_000);
        const revisions: Revision[] = [];
        // etcd checks its size periodically, and accepts writes until then.
        const fill = async () => {
          while (revisions.length < 1_000) revisions.push(await done(store, { key: `${revisions.length}`, expect: "absent", value }));
        };
        await refused("refused", fill, { message: "etcdserver: mvcc: database space exceeded" });
        const { entries } = await store.list(all);
        const there = new Set(entries.map(({ revision }) => revision));
        assert.deepEqual(revisions.filter((revision) => !there.has(revision)), []);
        // etcd checks its size before and after a write: it may have stored a write that it rejects.
        assert.ok(entries.length <= revisions.length + 1);
        let last = 0;
        for (const { key, revision } of entries) last = await done(store, { key, expect: revision, value: undefined });
        // Not through the store, which does not wait until the space is free.
        await etcdGateway(small.endpoint, "kv/compaction", { revision: `${last}`, physical: true });
        await etcdGateway(small.endpoint, "maintenance/defragment");
        const { alarms } = await etcdGateway(small.endpoint, "maintenance/alarm", { action: "GET" }) as { alarms: object[] }; // See above.
        for (const alarm of alarms) await etcdGateway(small.endpoint, "maintenance/alarm", { ...alarm, action: "DEACTIVATE" });
        await put(store, "small", "1");
      });
    } finally {
      await small.stop();
    }
  });

  test("commit() removes a key after its time to live, with an event to watches", () =>
    opened(options(), async (store) => {
      const made = await put(store, "brief", "1", "absent", 1);
      const [event] = await eventsUntil(store, all, made, made + 1);
      assert.deepEqual([event?.key, event?.value, text(event?.previous?.value)], ["brief", undefined, "1"]);
    }));

  test("commit() puts a thousand keys with a time to live on few leases, and replaces a lease that etcd has lost", () =>
    opened(options(), async (store) => {
      const first = await put(store, "a", "1", "absent", 3600);
      await done(store, { key: "a", expect: first, value: bytes("2"), ttlSeconds: 3600 });
      assert.equal(await leaseCount(etcd.endpoint), 1);
      await revokeLeases(etcd.endpoint);
      assert.equal((await store.get("a")).entry, undefined);
      await put(store, "b", "1", "absent", 3600);
      assert.equal(await leaseCount(etcd.endpoint), 1);
    }));
});

// Reads the leases directly from etcd, independent of the store.
async function leases(endpoint: string): Promise<string[]> {
  const { leases = [] } = await etcdGateway(endpoint, "lease/leases") as { leases?: { ID: string }[] }; // The documented response of the gateway.
  return leases.map(({ ID }) => ID);
}

async function leaseCount(endpoint: string): Promise<number> {
  return (await leases(endpoint)).length;
}

async function revokeLeases(endpoint: string): Promise<void> {
  for (const ID of await leases(endpoint)) await etcdGateway(endpoint, "lease/revoke", { ID });
}
