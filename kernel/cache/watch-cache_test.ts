import assert from "node:assert/strict";
import { test } from "node:test";
import { concat } from "../objects/chunks.ts";
import { keyOf } from "../objects/objects.ts";
import { StoreError } from "../store/store.ts";
import { manualClock } from "../../test/store/clock.ts";
import { refused, turn, waitFor, withCache } from "../../test/reads/bench.ts";
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
  summaries,
  within,
} from "../../test/reads/fixture.ts";
import { watchQueueBytesMax, watchStalledMs } from "./watch/cursor.ts";
import { cacheExpiryMs } from "./watch-cache.ts";

test("openReads() fills the cache at the store's revision by one list of each cached kind and one watch", () =>
  withCache(
    async ({ fixture, cache, faulty }) => {
      assert.deepEqual(cache.state(), { tag: "current" });
      assert.deepEqual([faulty.lists, faulty.watches], [2, 1]);
      const { revision } = await fixture.store.get("x");
      const shown = await list(fixture, "resourceVersion=0", { namespace: "" });
      assert.deepEqual([shown.names, shown.page.revision], [["ns/a", "other/b"], revision]);
    },
    {},
    async (fixture) => {
      await put(fixture, "a");
      await put(fixture, "gone");
      await put(fixture, "b", { namespace: "other" });
      await put(fixture, "scrap", { plural: "scraps" });
      await remove(fixture, "gone");
    },
  ));

test("openReads() fills kinds of more than one page, and tells of each", () => {
  const pages: number[] = [];
  return withCache(
    async ({ fixture }) => {
      const { names } = await list(fixture, "resourceVersion=0");
      assert.equal(names.length, 1201);
      assert.deepEqual(names, [...names].sort());
      assert.equal(pages.reduce((sum, objects) => sum + objects, 0), 1201);
      assert.ok(pages.length > 1);
    },
    { onPage: (objects) => void pages.push(objects) },
    async (fixture) => {
      for (let index = 0; index < 1201; index++) await put(fixture, `n-${String(index).padStart(4, "0")}`);
    },
  );
});

test("the cache is filled again when its watch breaks: no event is missed, watches end without an event", () =>
  withCache(async ({ fixture, cache, faulty, errors }) => {
    const from = await put(fixture, "a");
    const watch = await startWatch(fixture, `resourceVersion=${from}`);
    const state = await startWatch(fixture, "");
    await state.has(1);
    faulty.hold = new Promise(() => {});
    // The cache gets no events of these writes.
    await put(fixture, "b");
    await remove(fixture, "a");
    const last = await put(fixture, "c");
    const reading = list(fixture);
    faulty.hold = undefined;
    const error = new StoreError("compacted", "history is gone", { oldest: last });
    faulty.breakWatches(error);
    assert.deepEqual((await reading).names, ["b", "c"]);
    await watch.ended;
    await state.ended;
    assert.deepEqual(watch.events, []);
    assert.deepEqual(errors, [error]);
    assert.deepEqual(cache.state(), { tag: "current" });
    assert.equal((await list(fixture)).page.revision, last);
    const again = await startWatch(fixture, `resourceVersion=${last}`);
    const next = await put(fixture, "d");
    await again.reached(next);
    assert.deepEqual(summaries(await again.stop()), [`ADDED d ${next}`]);
  }));

test("a watch from before the fill reads the store's history, then follows the ring", () =>
  withCache(async ({ fixture, faulty, errors }) => {
    const first = await put(fixture, "a");
    const b = await put(fixture, "b", { labels: { l: "1" } });
    await list(fixture);
    faulty.breakWatches(new StoreError("unavailable", "gone"));
    while (errors.length === 0) await list(fixture);
    // The ring now begins after b.
    const watch = await startWatch(fixture, `resourceVersion=${first - 1}`);
    const selected = await startWatch(fixture, `resourceVersion=${first - 1}&labelSelector=l`);
    const c = await put(fixture, "c");
    const gone = await remove(fixture, "b");
    await watch.reached(gone);
    await selected.reached(gone);
    assert.deepEqual(summaries(await watch.stop()), [`ADDED a ${first}`, `ADDED b ${b}`, `ADDED c ${c}`, `DELETED b ${gone}`]);
    assert.deepEqual(summaries(await selected.stop()), [`ADDED b ${b}`, `DELETED b ${gone}`]);
    assert.equal(faulty.watches, 4);
  }));

test("while the cache is filled, gets and plain chunks come from the store, and all other reads are rejected with 429", () =>
  withCache(async ({ fixture, cache, faulty, errors }) => {
    await put(fixture, "a");
    faulty.listFails = new StoreError("unavailable", "etcdserver: no leader");
    const failing = faulty.listFails;
    faulty.breakWatches(new Error("broken"));
    while (errors.length < 2) await list(fixture, "limit=1").catch(() => {});
    assert.equal(cache.state().tag, "filling");
    assert.ok(errors.slice(1).every((error) => error === failing));
    assert.notEqual((await get(fixture, "a"))?.revision, undefined);
    for (
      const act of [
        () => list(fixture),
        () => list(fixture, "limit=1&labelSelector=a"),
        () => startWatch(fixture, ""),
        () => list(fixture, "resourceVersion=0"),
      ]
    ) {
      const error = await refused(act);
      assert.deepEqual([error.code, error.message, error.details], [429, "storage is (re)initializing: etcdserver: no leader", {
        retryAfterSeconds: 1,
      }]);
    }
    await assert.rejects(list(fixture, "limit=1"), failing);
    faulty.listFails = undefined;
    const { names } = await list(fixture, "limit=1");
    assert.deepEqual(names, ["a"]);
  }, { fillWaitMs: 20 }));

test("openReads() resolves after its timeout although the cache is still being filled", async () => {
  const reason = new StoreError("unavailable", "no leader");
  await withCache(
    async ({ fixture, cache, faulty }) => {
      assert.equal(cache.state().tag, "filling");
      faulty.listFails = undefined;
      const watch = await startWatch(fixture, "");
      await watch.has(1);
      await watch.stop();
      assert.deepEqual(cache.state(), { tag: "current" });
    },
    { openWaitMs: 0, fillWaitMs: 10_000 },
    async (fixture, faulty) => {
      await put(fixture, "a");
      faulty.listFails = reason;
    },
  );
});

test("consistent reads that wait together share round trips", () =>
  withCache(async ({ fixture, faulty }) => {
    await put(fixture, "a");
    faulty.gets = 0;
    const reads = await Promise.all(Array.from({ length: 100 }, () => get(fixture, "a")));
    assert.ok(reads.every((item) => item?.object.metadata.name === "a"));
    assert.equal(faulty.gets, 2);
    const { lists } = faulty;
    await Promise.all(Array.from({ length: 50 }, () => list(fixture)));
    assert.deepEqual([faulty.gets, faulty.lists], [4, lists]);
  }));

test("a read of the newest state needs no round trip if the store knows its revision, and waits for the cache to reach it", () =>
  withCache(async ({ fixture, faulty }) => {
    await put(fixture, "a");
    await list(fixture);
    faulty.alone = true;
    const unused = {
      get signal(): AbortSignal {
        return assert.fail("no read waits");
      },
    };
    const { stored } = endpointOf("notes");
    const read = (name: string) => fixture.reads.get(stored, keyOf(prefix, stored, "ns", name), "", unused);
    assert.notEqual(await read("a"), undefined);
    assert.equal(await read("b"), undefined);
    const release = Promise.withResolvers<void>();
    faulty.hold = release.promise;
    await put(fixture, "b");
    const { gets } = faulty;
    await assert.rejects(read("b"), /no read waits/);
    const reading = get(fixture, "b");
    faulty.hold = undefined;
    release.resolve();
    assert.notEqual(await reading, undefined);
    assert.equal(faulty.gets, gets);
  }));

test("a write begins with the cached object if no other writer can have changed it, else with the store's", () =>
  withCache(async ({ fixture, faulty }) => {
    await put(fixture, "a");
    await list(fixture);
    const { stored } = endpointOf("notes");
    const live = async (name: string, gets: number) => {
      const before = faulty.gets;
      const found = await fixture.reads.live(stored, keyOf(prefix, stored, "ns", name), new AbortController());
      assert.equal(faulty.gets - before, gets);
      return found;
    };
    const unsure = await live("a", 0);
    const renewed = await unsure.renew?.();
    assert.deepEqual(concat(unsure.item!.stored), concat(renewed!.stored));
    assert.deepEqual([unsure.item?.revision, unsure.item?.object], [renewed?.revision, renewed?.object]);
    assert.deepEqual(await live("b", 1), { item: undefined, renew: undefined });
    faulty.alone = true;
    const sure = await live("a", 0);
    assert.deepEqual([concat(sure.item!.stored), sure.renew], [concat(renewed!.stored), undefined]);
    assert.deepEqual(await live("b", 0), { item: undefined, renew: undefined });
    const release = Promise.withResolvers<void>();
    faulty.hold = release.promise;
    for (const alone of [true, false]) {
      faulty.alone = alone;
      for (const name of ["a", "b"]) {
        const revision = await put(fixture, name);
        const { item, renew } = await live(name, 1);
        assert.deepEqual([item?.revision, renew], [revision, undefined]);
      }
    }
    faulty.hold = undefined;
    release.resolve();
  }));

test("a consistent read that the cache does not catch up with is read from the store", async () => {
  const clock = manualClock();
  await withCache(async ({ fixture, faulty }) => {
    await put(fixture, "a");
    await list(fixture);
    const release = Promise.withResolvers<void>();
    faulty.hold = release.promise;
    const last = await put(fixture, "b");
    const reading = list(fixture);
    await waitFor(clock, 1);
    clock.advance(3_000);
    const shown = await reading;
    assert.deepEqual([shown.names, shown.page.revision], [["a", "b"], last]);
    release.resolve();
  }, { clock });
});

test("an event is encoded once for all watches of one encoding", () =>
  withCache(async ({ fixture }) => {
    const from = await put(fixture, "a");
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
        (_, at) => startWatch(fixture, `resourceVersion=${from}`, { framing: framing(at % 2 === 0 ? "a" : "b") }),
      ),
    );
    const last = await put(fixture, "b");
    for (const watch of watches) {
      await watch.reached(last);
      assert.deepEqual(summaries(await watch.stop()), [`ADDED b ${last}`]);
    }
    assert.deepEqual(made.toSorted(), ["a ADDED", "b ADDED"]);
  }));

test("watches get a bookmark a minute, and one two seconds before their planned end, with the newest revision", async () => {
  const clock = manualClock();
  await withCache(async ({ fixture }) => {
    const from = await put(fixture, "a");
    const watch = await startWatch(fixture, `resourceVersion=${from}&allowWatchBookmarks=1`, { ms: 130_000 });
    const silent = await startWatch(fixture, `resourceVersion=${from}`, { ms: 130_000 });
    const future = await startWatch(fixture, `resourceVersion=${from + 1000}&allowWatchBookmarks=1`, { ms: 130_000 });
    const elsewhere = await put(fixture, "s", { plural: "shelves" });
    await list(fixture);
    clock.advance(59_999);
    assert.deepEqual(watch.events, []);
    clock.advance(1);
    assert.deepEqual(summaries(await watch.has(1)), [`BOOKMARK  ${elsewhere}`]);
    const b = await put(fixture, "b");
    await watch.reached(b);
    clock.advance(60_000);
    await watch.has(3);
    clock.advance(8_000);
    assert.deepEqual(summaries(await watch.has(4)), [`BOOKMARK  ${elsewhere}`, `ADDED b ${b}`, `BOOKMARK  ${b}`, `BOOKMARK  ${b}`]);
    clock.advance(1_999);
    clock.advance(1);
    await Promise.all([watch.ended, silent.ended, future.ended]);
    assert.equal(watch.events.length, 4);
    assert.deepEqual(summaries(silent.events), [`ADDED b ${b}`]);
    assert.deepEqual(future.events, []);
    assert.equal(clock.waiting, 0);
  }, { clock });
});

test("a bookmark that is due while the events before it wait for a turn comes after them", async () => {
  const clock = manualClock();
  await withCache(async ({ fixture }) => {
    const from = await put(fixture, "a");
    const query = `resourceVersion=${from}&allowWatchBookmarks=1`;
    // So many that their events are gathered.
    const watches = await Promise.all(Array.from({ length: 60 }, () => startWatch(fixture, query, { ms: 7_200_000 })));
    await list(fixture);
    const written: string[] = [];
    for (let round = 0; round < 20; round++) {
      const name = `n${round}`;
      written.push(`ADDED ${name} ${await put(fixture, name)}`);
      await list(fixture);
      clock.advance(60_000);
    }
    const last = await put(fixture, "z");
    for (const watch of watches) {
      await watch.reached(last);
      const seen = summaries(await watch.stop());
      assert.deepEqual(seen.filter((each) => !each.startsWith("BOOKMARK")), [...written, `ADDED z ${last}`]);
      // Each bookmark is of a revision whose events came before it.
      const revisions = seen.map((each) => Number(each.slice(each.lastIndexOf(" "))));
      assert.deepEqual(revisions, revisions.toSorted((a, b) => a - b));
    }
  }, { clock });
});

test("a watch whose client reads the events before the turn in which it is woken gets each once", () =>
  withCache(async ({ fixture }) => {
    const from = await put(fixture, "a");
    const others = await Promise.all(Array.from({ length: 60 }, () => startWatch(fixture, `resourceVersion=${from}`)));
    const { stream } = await openWatch(fixture, `resourceVersion=${from}`);
    const reader = stream[Symbol.asyncIterator]();
    const first = reader.next();
    await list(fixture);
    const text: string[] = [];
    const keep = ({ value }: IteratorResult<Uint8Array, unknown>) => void text.push(new TextDecoder().decode(value as Uint8Array));
    await put(fixture, "n0");
    keep(await first);
    const names = ["n0"];
    for (let round = 1; round <= 40; round += 2) {
      names.push(`n${round}`, `n${round + 1}`);
      await put(fixture, `n${round}`);
      await list(fixture);
      // It reads this event itself, and waits for the next one before it is woken.
      keep(await reader.next());
      const next = reader.next();
      await put(fixture, `n${round + 1}`);
      keep(await next);
    }
    const seen = text.join("").trim().split("\n").map((line) => JSON.parse(line).object.metadata.name);
    assert.deepEqual(seen, names);
    await Promise.all([reader.return?.(), ...others.map((each) => each.stop())]);
  }));

test("a timer that fires a moment early gives one bookmark before the end, not two", () => {
  const exact = manualClock();
  const early = { now: exact.now, after: (ms: number, run: () => void) => exact.after(ms > 1 ? ms - 1 : ms, run) };
  return withCache(async ({ fixture }) => {
    const from = await put(fixture, "a");
    const watch = await startWatch(fixture, `resourceVersion=${from}&allowWatchBookmarks=1`, { ms: 10_000 });
    await list(fixture);
    exact.advance(7_999);
    await watch.has(1);
    exact.advance(2);
    const b = await put(fixture, "b");
    assert.deepEqual(summaries(await watch.reached(b)), [`BOOKMARK  ${from}`, `ADDED b ${b}`]);
    await watch.stop();
  }, { clock: early });
});

test("a watch that is not read is ended and counted once it is too far behind for too long; others continue", async () => {
  const clock = manualClock();
  await withCache(async ({ fixture, cache, counted }) => {
    let last = await put(fixture, "a");
    const reads = await startWatch(fixture, `resourceVersion=${last}`);
    const { stream } = await openWatch(fixture, `resourceVersion=${last}`);
    const stuck = stream[Symbol.asyncIterator]();
    const first = stuck.next();
    const text = "x".repeat(500_000);
    // Each event counts its state after and the one before.
    const rounds = Math.ceil(watchQueueBytesMax / 1_000_000) + 4;
    const write = async (round: number): Promise<void> => {
      last = await put(fixture, "a", { data: { text: text + round } });
      await list(fixture);
      await reads.reached(last);
    };
    for (let round = 0; round < rounds; round++) {
      await write(round);
      if (round === 0) assert.equal((await first).done, false);
    }
    clock.advance(watchStalledMs - 1);
    for (const round of [1, 2]) await write(rounds + round);
    assert.deepEqual(await counted("apiserver_terminated_watchers_total"), []);
    clock.advance(1);
    for (const round of [3, 4]) await write(rounds + round);
    assert.deepEqual(await counted("apiserver_terminated_watchers_total"), [], "its client may have read while the process was blocked");
    clock.advance(100);
    assert.deepEqual(await counted("apiserver_terminated_watchers_total"), ['{resource="notes"} 1']);
    assert.equal(cache.size().watches, 1);
    assert.equal((await within(stuck.next(), "the end")).done, true);
    assert.equal((await reads.stop()).length, rounds + 4);
    assert.equal(cache.size().watches, 0);
  }, { clock });
});

test("a watch whose client reads is not ended after the process was blocked while many megabytes arrived", async () => {
  const clock = manualClock();
  await withCache(async ({ fixture, counted }) => {
    const from = await put(fixture, "a");
    const { stream } = await openWatch(fixture, `resourceVersion=${from}`);
    const watch = stream[Symbol.asyncIterator]();
    const text = "x".repeat(1_000_000);
    let last = await put(fixture, "first");
    assert.equal((await watch.next()).done, false);
    clock.advance(2 * watchStalledMs);
    for (let round = 0; round < 24; round++) last = await put(fixture, `large-${round}`, { data: { text } });
    await list(fixture);
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

test("events of other namespaces do not make a watch slow", () =>
  withCache(async ({ fixture, counted }) => {
    const from = await put(fixture, "a");
    const watch = await startWatch(fixture, `resourceVersion=${from}`);
    const text = "x".repeat(1_000_000);
    for (let round = 0; round < 20; round++) await put(fixture, "b", { namespace: "other", data: { text: text + round } });
    const last = await put(fixture, "c");
    await watch.reached(last);
    assert.deepEqual(summaries(await watch.stop()), [`ADDED c ${last}`]);
    assert.deepEqual(await counted("apiserver_terminated_watchers_total"), []);
  }));

test("the ring drops events by age, count and size; dropped events are read from the store until it compacts them", async () => {
  const clock = manualClock();
  await withCache(async ({ fixture, faulty }) => {
    const revisions: number[] = [];
    for (const name of ["a", "b", "c", "d"]) revisions.push(await put(fixture, name));
    await list(fixture);
    const watches = faulty.watches;
    const late = await startWatch(fixture, `resourceVersion=${revisions[0]}`);
    await late.has(3);
    assert.equal(faulty.watches, watches + 1);
    const near = await startWatch(fixture, `resourceVersion=${revisions[1]}`);
    assert.deepEqual((await near.has(2)).map(revisionOfEvent), revisions.slice(2));
    assert.equal(faulty.watches, watches + 1);
    await Promise.all([late.stop(), near.stop()]);
  }, { clock, bounds: { eventsMax: 2 } });
});

test("the ring of a kind without new events drops old ones when another kind changes", async () => {
  const clock = manualClock();
  await withCache(async ({ fixture, faulty }) => {
    const revisions = [await put(fixture, "a"), await put(fixture, "b")];
    await list(fixture);
    const watches = faulty.watches;
    const change = async (ms: number) => {
      clock.advance(ms);
      await put(fixture, "s", { plural: "shelves" });
      await list(fixture, "", { plural: "shelves", namespace: "" });
      const watch = await startWatch(fixture, `resourceVersion=${revisions[0]}`);
      assert.deepEqual((await watch.has(1)).map(revisionOfEvent), revisions.slice(1));
      await watch.stop();
      return faulty.watches - watches;
    };
    assert.equal(await change(cacheExpiryMs), 0);
    assert.equal(await change(cacheExpiryMs), 1, "read from the store");
  }, { clock, bounds: { keptMs: 1.5 * cacheExpiryMs } });
});

test("the cache is compared with the store, and filled again on a difference", async () => {
  const clock = manualClock();
  await withCache(async ({ fixture, cache, faulty, errors, counted }) => {
    const checked = () => counted("apiserver_storage_consistency_checks_total");
    await put(fixture, "a");
    await putBytes(fixture, "nonsense", new TextEncoder().encode("{"), { namespace: "other" });
    await list(fixture);
    await turn(clock, 1000, async () => (await checked()).length === 2);
    assert.deepEqual(await checked(), ['{resource="notes",status="success"} 1', '{resource="shelves",status="success"} 1']);
    faulty.listFails = new StoreError("unavailable", "no leader");
    await turn(clock, 1000, async () => (await checked()).length === 4);
    assert.deepEqual((await checked()).slice(2), ['{resource="notes",status="error"} 1', '{resource="shelves",status="error"} 1']);
    faulty.listFails = undefined;
    faulty.lose = (key) => key.endsWith("/lost");
    const from = await put(fixture, "lost");
    await put(fixture, "s", { plural: "shelves" });
    assert.equal(await get(fixture, "lost"), undefined);
    const watch = await startWatch(fixture, `resourceVersion=${from}`);
    faulty.lose = undefined;
    await turn(clock, 1000, () => errors.length === 1);
    await watch.ended;
    assert.match(`${errors[0]}`, /The cache of notes differs from the store at revision \d+/);
    assert.equal((await checked())[4], '{resource="notes",status="failure"} 1');
    assert.equal((await get(fixture, "lost"))?.revision, from);
    assert.deepEqual(cache.state(), { tag: "current" });
  }, { clock, checkEveryMs: 1000 });
});

test("close() ends watches and lets reads fall back to the store", () =>
  withCache(async ({ fixture, cache }) => {
    const from = await put(fixture, "a");
    const watch = await startWatch(fixture, `resourceVersion=${from}`);
    await cache.close();
    await watch.ended;
    assert.deepEqual([watch.events, cache.state()], [[], { tag: "closed" }]);
    assert.equal((await get(fixture, "a"))?.revision, from);
  }));
