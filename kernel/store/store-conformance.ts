import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Batch,
  type Change,
  type Commit,
  type Range,
  type Revision,
  type Store,
  StoreError,
  type StoreErrorCode,
  type StoreEvent,
} from "./store.ts";

/** How long a promise may take before its test fails; nothing waits so long that passes. */
const patienceMs = 20_000;
const all: Range = { prefix: "" };

/** Registers the suite that every Store passes. `open` gives a store without keys; the suite closes it. */
export function storeConformance(name: string, open: () => Promise<Store>): void {
  const promise = (what: string, prove: (store: Store) => Promise<void>): void => {
    test(`${name}: ${what}`, async () => {
      const store = await open();
      try {
        await prove(store);
      } finally {
        await store.close();
      }
    });
  };
  for (const cases of [commits, reads, orders, watches, compactions, races, bounds, ends]) cases(promise);
}

type Case = (what: string, prove: (store: Store) => Promise<void>) => void;

function commits(promise: Case): void {
  promise("an empty store has a revision and no keys", async (store) => {
    const { entry, revision } = await store.get("a");
    assert.equal(entry, undefined);
    assert.ok(revision >= 1);
    assert.deepEqual(await store.list(all), { entries: [], revision, count: 0 });
  });

  promise("commit() creates, and each commit raises the revision by one", async (store) => {
    const { revision } = await store.get("a");
    assert.equal(await put(store, "a", "1"), revision + 1);
    assert.equal(await put(store, "b", "2"), revision + 2);
    const read = await store.get("a");
    assert.deepEqual(shown(read.entry), ["a", "1", revision + 1]);
    assert.equal(read.revision, revision + 2);
  });

  promise("commit() expecting absence loses against a key and hands it back", async (store) => {
    const first = await put(store, "a", "1");
    const second = await store.commit({ key: "a", expect: "absent", value: bytes("2") });
    assert.deepEqual(lost(second), ["a", "1", first]);
    assert.deepEqual(shown((await store.get("a")).entry), ["a", "1", first]);
    assert.equal((await store.get("a")).revision, first);
  });

  promise("commit() writes over the revision seen and over no other", async (store) => {
    const first = await put(store, "a", "1");
    const second = await put(store, "a", "2", first);
    assert.deepEqual(lost(await store.commit({ key: "a", expect: first, value: bytes("3") })), ["a", "2", second]);
    assert.deepEqual(lost(await store.commit({ key: "a", expect: second + 1, value: bytes("3") })), ["a", "2", second]);
    assert.deepEqual(lost(await store.commit({ key: "b", expect: second, value: bytes("3") })), undefined);
    assert.deepEqual(shown((await store.get("a")).entry), ["a", "2", second]);
  });

  promise("commit() deletes on the revision seen and on no other", async (store) => {
    const first = await put(store, "a", "1");
    const second = await put(store, "a", "2", first);
    assert.deepEqual(lost(await store.commit({ key: "a", expect: first, value: undefined })), ["a", "2", second]);
    assert.equal(await remove(store, "a", second), second + 1);
    assert.deepEqual(await store.get("a"), { entry: undefined, revision: second + 1 });
    assert.equal(lost(await store.commit({ key: "a", expect: second, value: undefined })), undefined);
    assert.equal((await store.get("a")).revision, second + 1);
  });

  promise("commit() creates again what was deleted, as something new", async (store) => {
    const first = await put(store, "a", "1");
    const gone = await remove(store, "a", first);
    assert.equal(lost(await store.commit({ key: "a", expect: first, value: bytes("2") })), undefined);
    assert.equal(await put(store, "a", "2"), gone + 1);
    const events = await eventsUntil(store, all, first - 1, gone + 1);
    assert.deepEqual(events.map(told), [
      ["a", "1", first, undefined, undefined],
      ["a", undefined, gone, "1", first],
      ["a", "2", gone + 1, undefined, undefined],
    ]);
  });

  promise("commit() writes equal bytes as a new revision", async (store) => {
    const first = await put(store, "a", "1");
    assert.equal(await put(store, "a", "1", first), first + 1);
  });

  promise("commit() refuses to delete what it expects to be absent", async (store) => {
    await assert.rejects(store.commit({ key: "a", expect: "absent", value: undefined }));
  });

  promise("commit() with a time to live removes the key by itself, as an event", async (store) => {
    const first = await put(store, "brief", "1", "absent", 1);
    const kept = await put(store, "kept", "1", "absent", 1);
    const lasting = await put(store, "kept", "2", kept);
    const events = await eventsUntil(store, all, lasting, lasting + 1);
    assert.deepEqual(events.map(told), [["brief", undefined, lasting + 1, "1", first]]);
    assert.deepEqual(await store.get("brief"), { entry: undefined, revision: lasting + 1 });
    assert.deepEqual(shown((await store.get("kept")).entry), ["kept", "2", lasting]);
  });
}

function reads(promise: Case): void {
  promise("list() reads the range as it was at a revision", async (store) => {
    const a1 = await put(store, "a", "1");
    const b1 = await put(store, "b", "1");
    const a2 = await put(store, "a", "2", a1);
    const gone = await remove(store, "b", b1);
    const a3 = await put(store, "b", "3");
    const at = async (revision: Revision) => {
      const listing = await store.list(all, { at: revision });
      assert.equal(listing.revision, revision);
      assert.equal(listing.count, listing.entries.length);
      return listing.entries.map(shown);
    };
    assert.deepEqual(await at(a1), [["a", "1", a1]]);
    assert.deepEqual(await at(b1), [["a", "1", a1], ["b", "1", b1]]);
    assert.deepEqual(await at(a2), [["a", "2", a2], ["b", "1", b1]]);
    assert.deepEqual(await at(gone), [["a", "2", a2]]);
    assert.deepEqual(await at(a3), [["a", "2", a2], ["b", "3", a3]]);
    const newest = await store.list(all);
    assert.deepEqual([newest.revision, newest.entries.map(shown)], [a3, [["a", "2", a2], ["b", "3", a3]]]);
  });

  promise("list() pages by limit and after, and counts what is left of the range", async (store) => {
    for (const key of ["p/1", "p/2", "p/3", "p/4", "q/1"]) await put(store, key, key);
    const { revision } = await store.get("p/1");
    await put(store, "p/5", "later");
    const pages: [string[], number][] = [];
    let after: string | undefined;
    while (pages.length < 10) {
      const listing = await store.list({ prefix: "p/", ...(after === undefined ? {} : { after }) }, { limit: 3, at: revision });
      assert.equal(listing.revision, revision);
      pages.push([keysOf(listing.entries), listing.count]);
      after = listing.entries.at(-1)?.key;
      if (listing.count === listing.entries.length) break;
    }
    assert.deepEqual(pages, [[["p/1", "p/2", "p/3"], 4], [["p/4"], 1]]);
    const newest = await store.list({ prefix: "p/" }, { limit: 4 });
    assert.deepEqual([keysOf(newest.entries), newest.count], [["p/1", "p/2", "p/3", "p/4"], 5]);
    const exact = await store.list({ prefix: "p/" }, { limit: 5 });
    assert.deepEqual([exact.entries.length, exact.count], [5, 5]);
    assert.deepEqual((await store.list({ prefix: "p/", after: "p/5" }, { limit: 3 })).count, 0);
  });

  promise("list() takes a prefix to its end and not one key further", async (store) => {
    for (const key of ["o", "p", "p.", "p/", "p/a", "p/\u{10ffff}", "p0", "p\u{ff}"]) await put(store, key, key);
    const keys = async (range: Range) => keysOf((await store.list(range)).entries);
    assert.deepEqual(await keys({ prefix: "p/" }), ["p/", "p/a", "p/\u{10ffff}"]);
    assert.deepEqual(await keys({ prefix: "p" }), ["p", "p.", "p/", "p/a", "p/\u{10ffff}", "p0", "p\u{ff}"]);
    assert.deepEqual(await keys({ prefix: "p/b" }), []);
    assert.deepEqual(await keys({ prefix: "p/", after: "p/" }), ["p/a", "p/\u{10ffff}"]);
    assert.deepEqual(await keys({ prefix: "p/", after: "a" }), ["p/", "p/a", "p/\u{10ffff}"]);
    assert.deepEqual(await keys({ prefix: "p/", after: "z" }), []);
    assert.equal((await keys(all)).length, 8);
  });

  promise("newest() is the revision that a read would tell, or nothing", async (store) => {
    const { revision } = await store.get("none");
    assert.equal(store.newest() ?? revision, revision);
    const written = await put(store, "a", "1");
    assert.equal(store.newest() ?? written, written);
    assert.equal((await store.get("a")).revision, written);
  });

  promise("get() and list() end with the signal's reason", async (store) => {
    const reason = new Error("enough");
    const signal = AbortSignal.abort(reason);
    await assert.rejects(store.get("a", signal), reason);
    await assert.rejects(store.list(all, { signal }), reason);
    const live = new AbortController();
    const reading = store.list(all, { signal: live.signal });
    live.abort(reason);
    await assert.rejects(reading, reason);
    assert.equal((await store.list(all)).count, 0);
  });
}

function orders(promise: Case): void {
  const inByteOrder = ["constructor", "x-y/a", "x/a", "x0", "x\u{7f}", "x\u{e9}", "x\u{fffd}", "x\u{1f600}", "y", "__proto__"];

  promise("list() sorts keys by their UTF-8 bytes", async (store) => {
    for (const key of inByteOrder.toReversed()) await put(store, key, key);
    const sorted = ["__proto__", ...inByteOrder.slice(0, -1)];
    assert.deepEqual(keysOf((await store.list(all)).entries), sorted);
    assert.deepEqual(keysOf((await store.list({ prefix: "x" })).entries), sorted.slice(2, -1));
    for (const [index, after] of sorted.entries()) {
      assert.deepEqual(keysOf((await store.list({ prefix: "", after }, { limit: 1 })).entries), sorted.slice(index + 1, index + 2));
    }
    for (const key of sorted) assert.equal((await store.get(key)).entry?.key, key);
  });

  promise("keys and values keep their bytes, zero bytes and no bytes included", async (store) => {
    const odd = ["a\0b", "a\0c", "\u{feff}mark", "a"];
    for (const key of odd) await put(store, key, key);
    for (const key of odd) assert.deepEqual(text((await store.get(key)).entry?.value), key);
    assert.equal((await store.list({ prefix: "a\0" })).count, 2);
    const value = Uint8Array.from({ length: 256 }, (_, index) => index);
    await done(store, { key: "bytes", expect: "absent", value });
    await done(store, { key: "none", expect: "absent", value: new Uint8Array(0) });
    assert.deepEqual(new Uint8Array((await store.get("bytes")).entry?.value ?? []), value);
    assert.equal((await store.get("none")).entry?.value.byteLength, 0);
    const { revision } = await store.get("none");
    const [event] = await eventsUntil(store, { prefix: "none" }, revision - 1, revision);
    assert.equal(event?.value?.byteLength, 0);
  });

  promise("a value that is a view into a larger buffer is stored alone", async (store) => {
    const slab = bytes("beforeVALUEafter");
    await done(store, { key: "view", expect: "absent", value: slab.subarray(6, 11) });
    assert.equal(text((await store.get("view")).entry?.value), "VALUE");
  });
}

function watches(promise: Case): void {
  promise("watch() gives exactly the events after a revision, first from history, then live", async (store) => {
    const a1 = await put(store, "a", "1");
    const a2 = await put(store, "a", "2", a1);
    const b1 = await put(store, "b", "1");
    const watch = startWatch(store, all, a1);
    await watch.reached(b1);
    const gone = await remove(store, "a", a2);
    await watch.reached(gone);
    assert.deepEqual((await watch.stop()).map(told), [
      ["a", "2", a2, "1", a1],
      ["b", "1", b1, undefined, undefined],
      ["a", undefined, gone, "2", a2],
    ]);
  });

  promise("watch() from the newest revision gives nothing old, and from a future one waits for it", async (store) => {
    const first = await put(store, "a", "1");
    const newest = startWatch(store, all, first);
    const future = startWatch(store, all, first + 2);
    let last = first;
    for (let round = 0; round < 4; round++) last = await put(store, "a", `${round}`, last);
    await newest.reached(last);
    await future.reached(last);
    assert.deepEqual((await newest.stop()).map(({ revision }) => revision), [first + 1, first + 2, first + 3, first + 4]);
    assert.deepEqual((await future.stop()).map(({ revision }) => revision), [first + 3, first + 4]);
  });

  promise("watch() keeps to its range", async (store) => {
    const { revision } = await store.get("a");
    const watch = startWatch(store, { prefix: "p/" }, revision);
    const after = startWatch(store, { prefix: "p/", after: "p/a" }, revision);
    let last = revision;
    for (const key of ["o", "p", "p/", "p/a", "p0", "p/b"]) last = await put(store, key, key);
    await watch.reached(last);
    await after.reached(last);
    assert.deepEqual((await watch.stop()).map(({ key }) => key), ["p/", "p/a", "p/b"]);
    assert.deepEqual((await after.stop()).map(({ key }) => key), ["p/b"]);
  });

  promise("watch() orders events across keys by revision, without a gap or a repeat, for every watcher", async (store) => {
    const { revision } = await store.get("a");
    const written: Revision[] = [];
    const early = [startWatch(store, all, revision), startWatch(store, all, revision)];
    const writers = Array.from({ length: 16 }, async (_, writer) => {
      let last: Revision | "absent" = "absent";
      for (let round = 0; round < 20; round++) written.push(last = await put(store, `key-${writer}`, `${round}`, last));
    });
    const late = startWatch(store, all, revision);
    await Promise.all(writers);
    written.sort((a, b) => a - b);
    for (const watch of [...early, late, startWatch(store, all, revision)]) {
      await watch.reached(written.at(-1) ?? 0);
      const events = await watch.stop();
      assert.deepEqual(events.map((event) => event.revision), written);
      assertChained(events);
    }
  });

  promise("watch() begun at any moment of a busy time is complete", async (store) => {
    const written = [await put(store, "a", "0")];
    const newest = () => written.at(-1) ?? 0;
    let enough = false;
    const writing = (async () => {
      while (!enough) written.push(await put(store, "a", `${written.length}`, newest()));
    })();
    const watched = await Promise.all(Array.from({ length: 20 }, async (_, round) => {
      for (let turns = 0; turns < round; turns++) await store.get("a");
      const from = written[Math.max(0, written.length - 1 - round)] ?? 0;
      const to = newest() + 10;
      const watch = startWatch(store, all, from);
      await watch.reached(to);
      return { from, to, events: await watch.stop() };
    })).finally(() => enough = true);
    await writing; // only now all that was seen is also in `written`
    for (const { from, to, events } of watched) {
      const seen = events.map(({ revision }) => revision).filter((revision) => revision <= to);
      assert.deepEqual(seen, written.filter((revision) => revision > from && revision <= to));
    }
  });

  promise("watch() tells progress up to what a read has shown, also without events of its range", async (store) => {
    const { revision } = await store.get("a");
    const quiet = startWatch(store, { prefix: "quiet/" }, revision);
    for (let round = 0; round < 3; round++) {
      await put(store, `busy/${round}`, "1");
      await quiet.reached((await store.get("quiet/a")).revision);
    }
    const last = await put(store, "quiet/a", "1");
    await quiet.reached(last);
    assert.deepEqual((await quiet.stop()).map(({ key }) => key), ["quiet/a"]);
  });

  promise("watch() ends normally when its signal aborts, before, between and while it waits", async (store) => {
    const revision = await put(store, "a", "1");
    for await (const _ of store.watch(all, revision - 1, AbortSignal.abort())) assert.fail("a batch after the abort");
    const between = new AbortController();
    for await (const batch of store.watch(all, revision - 1, between.signal)) {
      if (batch.events.length > 0) between.abort();
    }
    const waits = startWatch(store, all, revision);
    await put(store, "b", "1");
    await waits.reached(revision + 1);
    assert.equal((await waits.stop()).length, 1);
  });

  promise("watch() can be left in the middle", async (store) => {
    const revision = await put(store, "a", "1");
    await put(store, "b", "1");
    for await (const batch of store.watch(all, revision - 1, new AbortController().signal)) {
      if (batch.events.length > 0) break;
    }
    assert.equal((await store.list(all)).count, 2);
  });
}

function compactions(promise: Case): void {
  promise("size() tells the bytes that the store takes, and grows with them", async (store) => {
    const before = await store.size();
    assert.ok(Number.isSafeInteger(before) && before > 0, `${before}`);
    for (const key of ["/a", "/b", "/c", "/d"]) await store.commit({ key, expect: "absent", value: new Uint8Array(1024 * 1024) });
    await within(
      (async () => {
        // A store may write its pages a moment after the commit.
        while (await store.size() < before + 3 * 1024 * 1024) await new Promise((resolve) => setTimeout(resolve, 20));
      })(),
      "the store to have grown",
    );
  });
  promise("compact() forgets history before a revision and keeps what is there at it", async (store) => {
    const a1 = await put(store, "a", "1");
    const b1 = await put(store, "b", "1");
    const a2 = await put(store, "a", "2", a1);
    const gone = await remove(store, "b", b1);
    const a3 = await put(store, "a", "3", a2);
    await store.compact(gone);
    await refused("compacted", () => store.list(all, { at: a2 }), { oldest: gone });
    assert.deepEqual((await store.list(all, { at: gone })).entries.map(shown), [["a", "2", a2]]);
    assert.deepEqual((await store.list(all)).entries.map(shown), [["a", "3", a3]]);
    await refused("compacted", () => eventsUntil(store, all, gone - 1, a3), { oldest: gone });
    assert.deepEqual((await eventsUntil(store, all, gone, a3)).map(told), [["a", "3", a3, "2", a2]]);
    assert.equal(await put(store, "b", "2"), a3 + 1);
  });

  promise("compact() of what is compacted does nothing", async (store) => {
    const a1 = await put(store, "a", "1");
    const a2 = await put(store, "a", "2", a1);
    const a3 = await put(store, "a", "3", a2);
    await store.compact(a2);
    await store.compact(a2);
    await store.compact(a1);
    assert.deepEqual((await store.list(all, { at: a2 })).entries.map(shown), [["a", "2", a2]]);
    await store.compact(a3);
    await refused("compacted", () => store.list(all, { at: a2 }), { oldest: a3 });
  });

  promise("compact() at the newest revision keeps the counter, even when that was a deletion", async (store) => {
    const a1 = await put(store, "a", "1");
    const gone = await remove(store, "a", a1);
    await store.compact(gone);
    assert.deepEqual(await store.list(all), { entries: [], revision: gone, count: 0 });
    assert.equal(await put(store, "a", "2"), gone + 1);
    assert.deepEqual((await eventsUntil(store, all, gone, gone + 1)).map(told), [["a", "2", gone + 1, undefined, undefined]]);
  });

  promise("compact() and list() refuse a revision that is yet to come", async (store) => {
    const current = await put(store, "a", "1");
    await refused("future", () => store.list(all, { at: current + 1 }), { current });
    await refused("future", () => store.compact(current + 1), { current });
    assert.equal((await store.list(all, { at: current })).count, 1);
  });

  promise("compact() leaves watches alone that keep up", async (store) => {
    const { revision } = await store.get("a");
    const watch = startWatch(store, all, revision);
    let last = await put(store, "a", "0");
    for (let round = 1; round <= 5; round++) {
      await watch.reached(last);
      await store.compact(last);
      last = await put(store, "a", `${round}`, last);
    }
    await watch.reached(last);
    const events = await watch.stop();
    assert.equal(events.length, 6);
    assertChained(events);
  });
}

function races(promise: Case): void {
  promise("of many writers on one key exactly one wins each round", async (store) => {
    const { revision } = await store.get("a");
    let last: Revision | "absent" = "absent";
    for (let round = 0; round < 10; round++) {
      const expect: Revision | "absent" = last;
      const tries: Commit[] = await Promise.all(
        Array.from({ length: 32 }, (_, writer) => store.commit({ key: "a", expect, value: bytes(`${round}-${writer}`) })),
      );
      const won = tries.filter((commit) => commit.done);
      assert.equal(won.length, 1);
      last = won[0]?.revision ?? assert.fail("nobody won");
      const { entry } = await store.get("a");
      assert.equal(entry?.revision, last);
      for (const commit of tries) if (!commit.done) assert.deepEqual(shown(commit.current), shown(entry));
    }
    assert.equal(last, revision + 10);
  });

  promise("a counter raised by many writers loses no increment", async (store) => {
    await put(store, "counter", "0");
    await Promise.all(Array.from({ length: 8 }, async () => {
      for (let raised = 0; raised < 10;) {
        const { entry } = await store.get("counter");
        if (entry === undefined) return assert.fail("the counter is gone");
        const commit = await store.commit({ key: "counter", expect: entry.revision, value: bytes(`${Number(text(entry.value)) + 1}`) });
        if (commit.done) raised += 1;
      }
    }));
    assert.equal(text((await store.get("counter")).entry?.value), "80");
  });

  promise("a read after a commit sees it", async (store) => {
    await Promise.all(Array.from({ length: 16 }, async (_, writer) => {
      const revision = await put(store, `key-${writer}`, "1");
      const listing = await store.list({ prefix: `key-${writer}` });
      assert.ok(listing.revision >= revision);
      assert.ok(listing.entries.some((entry) => entry.key === `key-${writer}` && entry.revision === revision));
    }));
  });
}

function bounds(promise: Case): void {
  promise("a value of 1.4 MB goes in and comes out whole, by read, list and watch", async (store) => {
    const value = new Uint8Array(1_400_000).map((_, index) => index % 251);
    const first = await done(store, { key: "large", expect: "absent", value });
    const second = await done(store, { key: "large", expect: first, value: value.toReversed() });
    assert.ok(equal((await store.get("large")).entry?.value, value.toReversed()));
    assert.ok(equal((await store.list(all, { at: first })).entries[0]?.value, value));
    const [, event] = await eventsUntil(store, all, first - 1, second);
    assert.ok(equal(event?.value, value.toReversed()));
    assert.ok(equal(event?.previous?.value, value));
  });

  promise("a value beyond what the store takes is refused and changes nothing", async (store) => {
    const { revision } = await store.get("large");
    for (const size of [1_600_000, 3_000_000]) {
      await refused("too-large", () => store.commit({ key: "large", expect: "absent", value: new Uint8Array(size) }), {
        message: "etcdserver: request is too large",
      });
    }
    assert.deepEqual(await store.get("large"), { entry: undefined, revision });
  });

  promise("a list of many megabytes comes whole, and so does its history", async (store) => {
    const { revision } = await store.get("a");
    const value = new Uint8Array(1_000_000).fill(65);
    for (let index = 0; index < 8; index++) await done(store, { key: `large-${index}`, expect: "absent", value });
    const listing = await store.list(all);
    assert.equal(listing.entries.length, 8);
    assert.ok(listing.entries.every((entry) => entry.value.byteLength === value.byteLength));
    assert.equal((await eventsUntil(store, all, revision, revision + 8)).length, 8);
  });
}

function ends(promise: Case): void {
  promise("close() ends watches and refuses what comes after; closing twice is closing", async (store) => {
    const revision = await put(store, "a", "1");
    const watch = startWatch(store, all, revision - 1);
    await watch.reached(revision);
    await Promise.all([store.close(), store.close()]);
    await refused("closed", () => watch.ended);
    await refused("closed", () => store.get("a"));
    await refused("closed", () => store.list(all));
    await refused("closed", () => store.commit({ key: "a", expect: revision, value: bytes("2") }));
    await refused("closed", () => store.compact(revision));
    await refused("closed", () => eventsUntil(store, all, revision, revision));
    await store.close();
  });
}

/** Commits and gives the new revision; fails when someone else won. */
export async function done(store: Store, change: Change): Promise<Revision> {
  const commit = await store.commit(change);
  if (!commit.done) return assert.fail(`the commit of "${change.key}" lost`);
  return commit.revision;
}

export function put(
  store: Store,
  key: string,
  value: string,
  expect: Revision | "absent" = "absent",
  ttlSeconds?: number,
): Promise<Revision> {
  return done(store, { key, expect, value: bytes(value), ...(ttlSeconds === undefined ? {} : { ttlSeconds }) });
}

function remove(store: Store, key: string, expect: Revision): Promise<Revision> {
  return done(store, { key, expect, value: undefined });
}

/** A watch that runs beside the test: what it gave so far, and a way to wait for a revision. */
export function startWatch(store: Store, range: Range, from: Revision) {
  const controller = new AbortController();
  const events: StoreEvent[] = [];
  let position = from;
  let moved = Promise.withResolvers<void>();
  const ended = (async () => {
    for await (const batch of store.watch(range, from, controller.signal)) {
      assertSound(batch, position);
      events.push(...batch.events);
      position = batch.revision;
      moved.resolve();
      moved = Promise.withResolvers();
    }
  })();
  ended.catch(() => {}); // whoever waits for it hears of it
  return {
    events,
    ended,
    async reached(revision: Revision): Promise<void> {
      while (position < revision) {
        await within(Promise.race([moved.promise, ended]), `the watch to reach revision ${revision} from ${position}`);
        if (controller.signal.aborted) return;
      }
    },
    async stop(): Promise<StoreEvent[]> {
      controller.abort();
      await within(ended, "the watch to end");
      return events;
    },
  };
}

function assertSound(batch: Batch, position: Revision): void {
  assert.ok(batch.revision >= position, `progress went back from ${position} to ${batch.revision}`);
  let last = position;
  for (const event of batch.events) {
    assert.ok(event.revision > last, `revision ${event.revision} after ${last}`);
    last = event.revision;
  }
  assert.ok(last <= batch.revision, `an event of ${last} in a batch up to ${batch.revision}`);
}

/** Each event's previous is the key's event before it. */
function assertChained(events: readonly StoreEvent[]): void {
  const newest = new Map<string, StoreEvent>();
  for (const event of events) {
    const before = newest.get(event.key);
    const expected = before?.value === undefined ? undefined : [text(before.value), before.revision];
    assert.deepEqual(event.previous && [text(event.previous.value), event.previous.revision], expected);
    newest.set(event.key, event);
  }
}

/** All events after `from` until one batch reaches `to`. */
export async function eventsUntil(store: Store, range: Range, from: Revision, to: Revision): Promise<StoreEvent[]> {
  const watch = startWatch(store, range, from);
  await within(Promise.race([watch.reached(to), watch.ended]), `events up to revision ${to}`);
  return watch.stop();
}

export async function refused(
  code: StoreErrorCode,
  act: () => Promise<unknown>,
  more: { oldest?: Revision; current?: Revision; message?: string } = {},
): Promise<void> {
  const error = await within(act(), `a refusal "${code}"`).then(
    () => assert.fail(`expected a StoreError "${code}"`),
    (error: unknown) => error,
  );
  if (!(error instanceof StoreError)) throw error;
  assert.equal(error.code, code, error.message);
  if (more.oldest !== undefined) assert.equal(error.oldest, more.oldest);
  if (more.current !== undefined) assert.equal(error.current, more.current);
  if (more.message !== undefined) assert.equal(error.message, more.message);
}

/** Fails instead of hanging. */
export async function within<T>(promise: Promise<T>, what: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Waited ${patienceMs} ms for ${what}`)), patienceMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

export function bytes(value: string): Uint8Array {
  return new TextEncoder().encode(value);
}

export function text(value: Uint8Array | undefined): string | undefined {
  return value && new TextDecoder("utf-8", { ignoreBOM: true }).decode(value);
}

function equal(a: Uint8Array | undefined, b: Uint8Array): boolean {
  return a !== undefined && a.byteLength === b.byteLength && a.every((byte, index) => byte === b[index]);
}

function keysOf(entries: readonly { readonly key: string }[]): string[] {
  return entries.map(({ key }) => key);
}

function shown(entry: { key: string; value: Uint8Array; revision: Revision } | undefined) {
  return entry && [entry.key, text(entry.value), entry.revision];
}

function told(event: StoreEvent) {
  return [event.key, text(event.value), event.revision, text(event.previous?.value), event.previous?.revision];
}

function lost(commit: Commit) {
  return commit.done ? assert.fail("the commit went through") : shown(commit.current);
}
