import assert from "node:assert/strict";
import { test } from "node:test";
import { concat } from "../objects/chunks.ts";
import { limits } from "../../core/limits.ts";
import { keyOf } from "../objects/objects.ts";
import { StoreError } from "../store/store.ts";
import { manualClock } from "../store/testing/clock.ts";
import { refused, turn, waitFor, withCache } from "./testing/bench.ts";
import {
  endpointOf,
  get,
  jsonFraming,
  list,
  openWatch,
  prefix,
  put,
  putBytes,
  remove,
  revisionOfEvent,
  startWatch,
  told,
  within,
} from "./testing/fixture.ts";

test("openReads() finds what was there before, at the store's revision, by one list of each cached kind and one watch", () =>
  withCache(
    async ({ room, cache, brittle }) => {
      assert.deepEqual(cache.state(), { tag: "current" });
      assert.deepEqual([brittle.lists, brittle.watches], [2, 1]);
      const { revision } = await room.store.get("x");
      const shown = await list(room, "resourceVersion=0", { namespace: "" });
      assert.deepEqual([shown.names, shown.page.revision], [["ns/a", "other/b"], revision]);
    },
    {},
    async (room) => {
      await put(room, "a");
      await put(room, "gone");
      await put(room, "b", { namespace: "other" });
      await put(room, "scrap", { plural: "scraps" });
      await remove(room, "gone");
    },
  ));

test("openReads() fills kinds of more than one page", () =>
  withCache(
    async ({ room }) => {
      const { names } = await list(room, "resourceVersion=0");
      assert.equal(names.length, 1201);
      assert.deepEqual(names, [...names].sort());
    },
    {},
    async (room) => {
      for (let index = 0; index < 1201; index++) await put(room, `n-${String(index).padStart(4, "0")}`);
    },
  ));

test("the cache begins anew when its watch breaks: nothing is missed, followers end without a word", () =>
  withCache(async ({ room, cache, brittle, errors }) => {
    const from = await put(room, "a");
    const watch = await startWatch(room, `resourceVersion=${from}`);
    const state = await startWatch(room, "");
    await state.has(1);
    brittle.hold = new Promise(() => {});
    // The cache never hears of these.
    await put(room, "b");
    await remove(room, "a");
    const last = await put(room, "c");
    const reading = list(room);
    brittle.hold = undefined;
    const error = new StoreError("compacted", "history is gone", { oldest: last });
    brittle.breakWatches(error);
    assert.deepEqual((await reading).names, ["b", "c"]);
    await watch.ended;
    await state.ended;
    assert.deepEqual(watch.events, []);
    assert.deepEqual(errors, [error]);
    assert.deepEqual(cache.state(), { tag: "current" });
    assert.equal((await list(room)).page.revision, last);
    const again = await startWatch(room, `resourceVersion=${last}`);
    const next = await put(room, "d");
    await again.reached(next);
    assert.deepEqual(told(await again.stop()), [`ADDED d ${next}`]);
  }));

test("a watch from before the cache was filled reads what the store still knows, then follows", () =>
  withCache(async ({ room, brittle, errors }) => {
    const first = await put(room, "a");
    const b = await put(room, "b", { labels: { l: "1" } });
    await list(room);
    brittle.breakWatches(new StoreError("unavailable", "gone"));
    while (errors.length === 0) await list(room);
    // The ring begins after b now.
    const watch = await startWatch(room, `resourceVersion=${first - 1}`);
    const selected = await startWatch(room, `resourceVersion=${first - 1}&labelSelector=l`);
    const c = await put(room, "c");
    const gone = await remove(room, "b");
    await watch.reached(gone);
    await selected.reached(gone);
    assert.deepEqual(told(await watch.stop()), [`ADDED a ${first}`, `ADDED b ${b}`, `ADDED c ${c}`, `DELETED b ${gone}`]);
    assert.deepEqual(told(await selected.stop()), [`ADDED b ${b}`, `DELETED b ${gone}`]);
    assert.equal(brittle.watches, 4);
  }));

test("while the cache is filled, gets and plain chunks come from the store, and everything else is refused with 429", () =>
  withCache(async ({ room, cache, brittle, errors }) => {
    await put(room, "a");
    brittle.listFails = new StoreError("unavailable", "etcdserver: no leader");
    const failing = brittle.listFails;
    brittle.breakWatches(new Error("broken"));
    while (errors.length < 2) await list(room, "limit=1").catch(() => {});
    assert.equal(cache.state().tag, "filling");
    assert.ok(errors.slice(1).every((error) => error === failing));
    assert.notEqual((await get(room, "a"))?.revision, undefined);
    for (
      const act of [
        () => list(room),
        () => list(room, "limit=1&labelSelector=a"),
        () => startWatch(room, ""),
        () => list(room, "resourceVersion=0"),
      ]
    ) {
      const error = await refused(act);
      assert.deepEqual([error.code, error.message, error.details], [429, "storage is (re)initializing: etcdserver: no leader", {
        retryAfterSeconds: 1,
      }]);
    }
    await assert.rejects(list(room, "limit=1"), failing);
    brittle.listFails = undefined;
    const { names } = await list(room, "limit=1");
    assert.deepEqual(names, ["a"]);
  }, { fillWaitMs: 20 }));

test("openReads() opens after its time although the cache is still being filled", async () => {
  const reason = new StoreError("unavailable", "no leader");
  await withCache(
    async ({ room, cache, brittle }) => {
      assert.equal(cache.state().tag, "filling");
      brittle.listFails = undefined;
      const watch = await startWatch(room, "");
      await watch.has(1);
      await watch.stop();
      assert.deepEqual(cache.state(), { tag: "current" });
    },
    { openWaitMs: 0, fillWaitMs: 10_000 },
    async (room, brittle) => {
      await put(room, "a");
      brittle.listFails = reason;
    },
  );
});

test("consistent reads that wait together share round trips", () =>
  withCache(async ({ room, brittle }) => {
    await put(room, "a");
    brittle.gets = 0;
    const reads = await Promise.all(Array.from({ length: 100 }, () => get(room, "a")));
    assert.ok(reads.every((item) => item?.object.metadata.name === "a"));
    assert.equal(brittle.gets, 2);
    const { lists } = brittle;
    await Promise.all(Array.from({ length: 50 }, () => list(room)));
    assert.deepEqual([brittle.gets, brittle.lists], [4, lists]);
  }));

test("a read of the newest state asks nobody where the store knows how new it is, and waits for what the cache has not seen", () =>
  withCache(async ({ room, brittle }) => {
    await put(room, "a");
    await list(room);
    brittle.alone = true;
    const unused = {
      get signal(): AbortSignal {
        return assert.fail("nobody waits");
      },
    };
    const { stored } = endpointOf("notes");
    const read = (name: string) => room.reads.get(stored, keyOf(prefix, stored, "ns", name), "", unused);
    assert.notEqual(await read("a"), undefined);
    assert.equal(await read("b"), undefined);
    const release = Promise.withResolvers<void>();
    brittle.hold = release.promise;
    await put(room, "b");
    const { gets } = brittle;
    await assert.rejects(read("b"), /nobody waits/);
    const reading = get(room, "b");
    brittle.hold = undefined;
    release.resolve();
    assert.notEqual(await reading, undefined);
    assert.equal(brittle.gets, gets);
  }));

test("a write begins with the cache, sure of it where nobody else can have written, and with the store where that says more", () =>
  withCache(async ({ room, brittle }) => {
    await put(room, "a");
    await list(room);
    const { stored } = endpointOf("notes");
    const live = async (name: string, gets: number) => {
      const before = brittle.gets;
      const found = await room.reads.live(stored, keyOf(prefix, stored, "ns", name), new AbortController());
      assert.equal(brittle.gets - before, gets);
      return found;
    };
    const unsure = await live("a", 0);
    const renewed = await unsure.renew?.();
    assert.deepEqual(concat(unsure.item!.stored), concat(renewed!.stored));
    assert.deepEqual([unsure.item?.revision, unsure.item?.object], [renewed?.revision, renewed?.object]);
    assert.deepEqual(await live("b", 1), { item: undefined, renew: undefined });
    brittle.alone = true;
    const sure = await live("a", 0);
    assert.deepEqual([concat(sure.item!.stored), sure.renew], [concat(renewed!.stored), undefined]);
    assert.deepEqual(await live("b", 0), { item: undefined, renew: undefined });
    const release = Promise.withResolvers<void>();
    brittle.hold = release.promise;
    for (const alone of [true, false]) {
      brittle.alone = alone;
      for (const name of ["a", "b"]) {
        const revision = await put(room, name);
        const { item, renew } = await live(name, 1);
        assert.deepEqual([item?.revision, renew], [revision, undefined]);
      }
    }
    brittle.hold = undefined;
    release.resolve();
  }));

test("a consistent read that the cache does not catch up with is read from the store", async () => {
  const clock = manualClock();
  await withCache(async ({ room, brittle }) => {
    await put(room, "a");
    await list(room);
    const release = Promise.withResolvers<void>();
    brittle.hold = release.promise;
    const last = await put(room, "b");
    const reading = list(room);
    await waitFor(clock, 1);
    clock.advance(3_000);
    const shown = await reading;
    assert.deepEqual([shown.names, shown.page.revision], [["a", "b"], last]);
    release.resolve();
  }, { clock });
});

test("an event is encoded once for all watches that write alike, however many they are", () =>
  withCache(async ({ room }) => {
    const from = await put(room, "a");
    const made: string[] = [];
    const framing = (id: string) =>
      jsonFraming({
        id,
        plain: false,
        frame(type, item) {
          made.push(`${id} ${type}`);
          return new TextEncoder().encode(`{"type":"${type}","object":${item.text}}\n`);
        },
      });
    const watches = await Promise.all(
      Array.from(
        { length: 60 },
        (_, at) => startWatch(room, `resourceVersion=${from}`, { framing: framing(at % 2 === 0 ? "even" : "odd") }),
      ),
    );
    const last = await put(room, "b");
    for (const watch of watches) {
      await watch.reached(last);
      assert.deepEqual(told(await watch.stop()), [`ADDED b ${last}`]);
    }
    assert.deepEqual(made.toSorted(), ["even ADDED", "odd ADDED"]);
  }));

test("watches get a bookmark a minute, and one two seconds before their planned end, with the newest revision", async () => {
  const clock = manualClock();
  await withCache(async ({ room }) => {
    const from = await put(room, "a");
    const watch = await startWatch(room, `resourceVersion=${from}&allowWatchBookmarks=1`, { ms: 130_000 });
    const silent = await startWatch(room, `resourceVersion=${from}`, { ms: 130_000 });
    const future = await startWatch(room, `resourceVersion=${from + 1000}&allowWatchBookmarks=1`, { ms: 130_000 });
    const elsewhere = await put(room, "s", { plural: "shelves" });
    await list(room);
    clock.advance(59_999);
    assert.deepEqual(watch.events, []);
    clock.advance(1);
    assert.deepEqual(told(await watch.has(1)), [`BOOKMARK  ${elsewhere}`]);
    const b = await put(room, "b");
    await watch.reached(b);
    clock.advance(60_000);
    await watch.has(3);
    clock.advance(8_000);
    assert.deepEqual(told(await watch.has(4)), [`BOOKMARK  ${elsewhere}`, `ADDED b ${b}`, `BOOKMARK  ${b}`, `BOOKMARK  ${b}`]);
    clock.advance(1_999);
    clock.advance(1);
    await Promise.all([watch.ended, silent.ended, future.ended]);
    assert.equal(watch.events.length, 4);
    assert.deepEqual(told(silent.events), [`ADDED b ${b}`]);
    assert.deepEqual(future.events, []);
    assert.equal(clock.waiting, 0);
  }, { clock });
});

test("a timer that fires a moment early gives one bookmark before the end, not two", () => {
  const exact = manualClock();
  const early = { now: exact.now, after: (ms: number, run: () => void) => exact.after(ms > 1 ? ms - 1 : ms, run) };
  return withCache(async ({ room }) => {
    const from = await put(room, "a");
    const watch = await startWatch(room, `resourceVersion=${from}&allowWatchBookmarks=1`, { ms: 10_000 });
    await list(room);
    exact.advance(7_999);
    await watch.has(1);
    exact.advance(2);
    const b = await put(room, "b");
    assert.deepEqual(told(await watch.reached(b)), [`BOOKMARK  ${from}`, `ADDED b ${b}`]);
    await watch.stop();
  }, { clock: early });
});

test("a watch that does not read is ended and counted once it lags too far for too long, others go on", async () => {
  const clock = manualClock();
  await withCache(async ({ room, cache, counted }) => {
    let last = await put(room, "a");
    const reads = await startWatch(room, `resourceVersion=${last}`);
    const { stream } = await openWatch(room, `resourceVersion=${last}`);
    const stuck = stream[Symbol.asyncIterator]();
    const first = stuck.next();
    const text = "x".repeat(500_000);
    // Each event counts its state after and the one before.
    const rounds = Math.ceil(limits.watchQueueBytesMax / 1_000_000) + 4;
    const write = async (round: number): Promise<void> => {
      last = await put(room, "a", { data: { text: text + round } });
      await list(room);
      await reads.reached(last);
    };
    for (let round = 0; round < rounds; round++) {
      await write(round);
      if (round === 0) assert.equal((await first).done, false);
    }
    clock.advance(limits.watchStalledMs - 1);
    for (const round of [1, 2]) await write(rounds + round);
    assert.deepEqual(await counted("apiserver_terminated_watchers_total"), []);
    clock.advance(1);
    for (const round of [3, 4]) await write(rounds + round);
    assert.deepEqual(await counted("apiserver_terminated_watchers_total"), [], "its client may have read while the server stood still");
    clock.advance(100);
    assert.deepEqual(await counted("apiserver_terminated_watchers_total"), ['{resource="notes"} 1']);
    assert.equal(cache.size().watches, 1);
    assert.equal((await within(stuck.next(), "the end")).done, true);
    assert.equal((await reads.stop()).length, rounds + 4);
    assert.equal(cache.size().watches, 0);
  }, { clock });
});

test("a watch whose client reads on is not ended because the server stood still while many megabytes came", async () => {
  const clock = manualClock();
  await withCache(async ({ room, counted }) => {
    const from = await put(room, "a");
    const { stream } = await openWatch(room, `resourceVersion=${from}`);
    const watch = stream[Symbol.asyncIterator]();
    const text = "x".repeat(1_000_000);
    let last = await put(room, "first");
    assert.equal((await watch.next()).done, false);
    clock.advance(2 * limits.watchStalledMs);
    for (let round = 0; round < 24; round++) last = await put(room, `large-${round}`, { data: { text } });
    await list(room);
    let read = "";
    while (!read.includes(`"resourceVersion":"${last}"`)) {
      const next = await within(watch.next(), "the next event");
      assert.equal(next.done, false);
      read = new TextDecoder().decode(next.value);
      clock.advance(100);
    }
    assert.deepEqual(await counted("apiserver_terminated_watchers_total"), []);
    await watch.return?.();
    assert.equal(clock.waiting, 0);
  }, { clock });
});

test("what one namespace's watches are not told of does not make them slow", () =>
  withCache(async ({ room, counted }) => {
    const from = await put(room, "a");
    const watch = await startWatch(room, `resourceVersion=${from}`);
    const text = "x".repeat(1_000_000);
    for (let round = 0; round < 20; round++) await put(room, "b", { namespace: "other", data: { text: text + round } });
    const last = await put(room, "c");
    await watch.reached(last);
    assert.deepEqual(told(await watch.stop()), [`ADDED c ${last}`]);
    assert.deepEqual(await counted("apiserver_terminated_watchers_total"), []);
  }));

test("the ring forgets by age, count and size; what it forgot is read from the store while that knows it", async () => {
  const clock = manualClock();
  await withCache(async ({ room, brittle }) => {
    const revisions: number[] = [];
    for (const name of ["a", "b", "c", "d"]) revisions.push(await put(room, name));
    await list(room);
    const watches = brittle.watches;
    const late = await startWatch(room, `resourceVersion=${revisions[0]}`);
    await late.has(3);
    assert.equal(brittle.watches, watches + 1);
    const near = await startWatch(room, `resourceVersion=${revisions[1]}`);
    assert.deepEqual((await near.has(2)).map(revisionOfEvent), revisions.slice(2));
    assert.equal(brittle.watches, watches + 1);
    await Promise.all([late.stop(), near.stop()]);
  }, { clock, bounds: { eventsMax: 2 } });
});

test("the cache is compared with the store, and filled anew where it differs", async () => {
  const clock = manualClock();
  await withCache(async ({ room, cache, brittle, errors, counted }) => {
    const checked = () => counted("apiserver_storage_consistency_checks_total");
    await put(room, "a");
    await putBytes(room, "nonsense", new TextEncoder().encode("{"), { namespace: "other" });
    await list(room);
    await turn(clock, 1000, async () => (await checked()).length === 2);
    assert.deepEqual(await checked(), ['{resource="notes",status="success"} 1', '{resource="shelves",status="success"} 1']);
    brittle.listFails = new StoreError("unavailable", "no leader");
    await turn(clock, 1000, async () => (await checked()).length === 4);
    assert.deepEqual((await checked()).slice(2), ['{resource="notes",status="error"} 1', '{resource="shelves",status="error"} 1']);
    brittle.listFails = undefined;
    brittle.lose = (key) => key.endsWith("/lost");
    const from = await put(room, "lost");
    await put(room, "s", { plural: "shelves" });
    assert.equal(await get(room, "lost"), undefined);
    const watch = await startWatch(room, `resourceVersion=${from}`);
    brittle.lose = undefined;
    await turn(clock, 1000, () => errors.length === 1);
    await watch.ended;
    assert.match(`${errors[0]}`, /The cache of notes differs from the store at revision \d+/);
    assert.equal((await checked())[4], '{resource="notes",status="failure"} 1');
    assert.equal((await get(room, "lost"))?.revision, from);
    assert.deepEqual(cache.state(), { tag: "current" });
  }, { clock, checkEveryMs: 1000 });
});

test("close() ends watches and lets reads fall back to the store", () =>
  withCache(async ({ room, cache }) => {
    const from = await put(room, "a");
    const watch = await startWatch(room, `resourceVersion=${from}`);
    await cache.close();
    await watch.ended;
    assert.deepEqual([watch.events, cache.state()], [[], { tag: "closed" }]);
    assert.equal((await get(room, "a"))?.revision, from);
  }));
