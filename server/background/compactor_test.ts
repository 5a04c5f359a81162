import assert from "node:assert/strict";
import { test } from "node:test";
import { compactOnce, initialState, startCompactor } from "./compactor.ts";
import { manualClock } from "../../test/store/clock.ts";
import { openSqlite } from "../../kernel/store/sqlite/sqlite.ts";
import { put, refused, text } from "../../test/store/helpers.ts";
import { type Store, StoreError } from "../../kernel/store/store.ts";

const key = "compact_rev_key";

async function inMemory(prove: (store: Store) => Promise<void>): Promise<void> {
  const store = await openSqlite(":memory:");
  try {
    await prove(store);
  } finally {
    await store.close();
  }
}

test("compactOnce() compacts to the newest revision of the round before, and writes it to the key", () =>
  inMemory(async (store) => {
    const first = await put(store, "a", "1");
    const seen = await initialState(store, key);
    assert.deepEqual(seen, { key: "absent", newest: first });
    const second = await put(store, "a", "2", first);
    const next = await compactOnce(store, key, seen);
    assert.deepEqual(next, { key: second + 1, newest: second + 1 });
    assert.equal(text((await store.get(key)).entry?.value), `${first}`);
    assert.equal((await store.list({ prefix: "a" }, { at: first })).entries[0]?.revision, first);
    await refused("compacted", () => store.list({ prefix: "a" }, { at: first - 1 }), { oldest: first });
    await compactOnce(store, key, next);
    await refused("compacted", () => store.list({ prefix: "a" }, { at: second }), { oldest: next.newest });
  }));

test("compactOnce() leaves the round to the first replica, and takes over when that stops", () =>
  inMemory(async (store) => {
    let one = await initialState(store, key);
    let two = await initialState(store, key);
    for (let round = 0; round < 3; round++) {
      await put(store, `a/${round}`, "1");
      one = await compactOnce(store, key, one);
      const before = await store.get(key);
      two = await compactOnce(store, key, two);
      assert.deepEqual(await store.get(key), before);
      assert.deepEqual(two, one);
    }
    await put(store, "b", "1");
    const three = await compactOnce(store, key, two);
    await refused("compacted", () => store.list({ prefix: "" }, { at: two.newest - 1 }), { oldest: two.newest });
    assert.equal(three.key, three.newest);
  }));

test("compactOnce() accepts a compaction by another process beyond its own", () =>
  inMemory(async (store) => {
    const seen = await initialState(store, key);
    const compacting: Store = { ...store, compact: () => Promise.reject(new StoreError("compacted", "further already")) };
    await compactOnce(compacting, key, seen);
    const broken: Store = { ...store, compact: () => Promise.reject(new StoreError("unavailable", "gone")) };
    await refused("unavailable", async () => compactOnce(broken, key, await initialState(store, key)));
  }));

test("startCompactor() runs a round at each interval, reports failures, and ends with its signal", () =>
  inMemory(async (store) => {
    const clock = manualClock();
    const stop = new AbortController();
    const errors: unknown[] = [];
    let failing = false;
    let rounds = Promise.withResolvers<void>();
    // The compactor sets its next timer at the end of a round.
    const watched = {
      ...clock,
      after(ms: number, run: () => void) {
        assert.equal(ms, 1000);
        rounds.resolve();
        rounds = Promise.withResolvers();
        return clock.after(ms, run);
      },
    };
    const flaky: Store = { ...store, compact: (revision) => failing ? Promise.reject(new Error("no")) : store.compact(revision) };
    const round = async (): Promise<void> => {
      const over = rounds.promise;
      clock.advance(1000);
      await over;
    };
    const looked = rounds.promise;
    const running = startCompactor(flaky, {
      everyMs: 1000,
      key,
      clock: watched,
      signal: stop.signal,
      onError: (error) => errors.push(error),
    });
    await looked;
    const first = await put(store, "a", "1");
    assert.equal((await store.get(key)).entry, undefined);
    await round();
    await round();
    await refused("compacted", () => store.list({ prefix: "" }, { at: first }), { oldest: first + 1 });
    failing = true;
    await round();
    assert.equal(errors.length, 1);
    failing = false;
    const before = (await store.get(key)).revision;
    await round(); // finds the key changed by its own failed round
    await round();
    await refused("compacted", () => store.list({ prefix: "" }, { at: before - 1 }), { oldest: before });
    stop.abort();
    await running;
    assert.equal(clock.waiting, 0);
  }));
