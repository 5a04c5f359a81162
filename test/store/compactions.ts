/** Compacted and retained history. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { all, assertChained, type Case, eventFields, eventsUntil, put, refused, remove, shown, startWatch, within } from "./helpers.ts";

export function compactions(promise: Case): void {
  promise("size() is the number of stored bytes, and grows with them", async (store) => {
    const before = await store.size();
    assert.ok(Number.isSafeInteger(before) && before > 0, `${before}`);
    // A store may compress its values.
    for (const key of ["/a", "/b", "/c", "/d"]) await store.commit({ key, expect: "absent", value: randomBytes(1024 * 1024) });
    await within(
      (async () => {
        // A store may write its pages shortly after the commit.
        while (await store.size() < before + 3 * 1024 * 1024) await new Promise((resolve) => setTimeout(resolve, 20));
      })(),
      "the store to have grown",
    );
  });
  promise("claim() gives a turn to one of those that have seen the same, and tells the others", async (store) => {
    const value = new TextEncoder().encode("1");
    const claim = async (writes: number) => {
      const { isOwn, writes: seen, revision } = await store.claim("compact_rev_key", writes, value);
      assert.ok(revision >= last);
      return [isOwn, seen];
    };
    const last = await put(store, "a", "1");
    const first = await Promise.all([claim(0), claim(0), claim(0)]);
    assert.deepEqual(first.toSorted(), [[false, 1], [false, 1], [true, 1]]);
    assert.deepEqual(await claim(7), [false, 1]);
    assert.deepEqual([await claim(1), await claim(1), await claim(2)], [[true, 2], [false, 2], [true, 3]]);
  });

  promise("compact() drops history before a revision and keeps the state at it", async (store) => {
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
    assert.deepEqual((await eventsUntil(store, all, gone, a3)).map(eventFields), [["a", "3", a3, "2", a2]]);
    assert.equal(await put(store, "b", "2"), a3 + 1);
  });

  promise("compact() of a compacted revision does nothing", async (store) => {
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
    assert.deepEqual((await eventsUntil(store, all, gone, gone + 1)).map(eventFields), [["a", "2", gone + 1, undefined, undefined]]);
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
