import assert from "node:assert/strict";
import { test } from "node:test";
import { compactTo, nothingSeen, type Seen, startCompactor, takeTurn } from "./compactor.ts";
import { manualClock } from "../../test/store/clock.ts";
import { openSqlite } from "../../kernel/store/sqlite/sqlite.ts";
import { put, refused } from "../../test/store/helpers.ts";
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

/** One round of a replica. */
async function roundOf(store: Store, seen: Seen = nothingSeen) {
  const turn = await takeTurn(store, key, seen);
  if (turn.isOwn) await compactTo(store, seen.newest);
  return turn;
}

test("a round compacts to the newest revision of the round before", () =>
  inMemory(async (store) => {
    const first = await put(store, "a", "1");
    const seen = await roundOf(store);
    assert.deepEqual(seen, { isOwn: true, writes: 1, newest: first });
    const second = await put(store, "a", "2", first);
    const next = await roundOf(store, seen);
    assert.deepEqual(next, { isOwn: true, writes: 2, newest: second });
    assert.equal((await store.list({ prefix: "a" }, { at: first })).entries[0]?.revision, first);
    await refused("compacted", () => store.list({ prefix: "a" }, { at: first - 1 }), { oldest: first });
    await roundOf(store, next);
    await refused("compacted", () => store.list({ prefix: "a" }, { at: first }), { oldest: second });
  }));

test("a round leaves the round to the first replica, and takes over when that stops", () =>
  inMemory(async (store) => {
    let one = await roundOf(store);
    let two = await roundOf(store);
    for (let round = 0; round < 3; round++) {
      await put(store, `a/${round}`, "1");
      one = await roundOf(store, one);
      two = await roundOf(store, two);
      assert.deepEqual([one, two], [{ ...one, isOwn: true }, { ...one, isOwn: false }]);
    }
    await put(store, "b", "1");
    await roundOf(store, two);
    await refused("compacted", () => store.list({ prefix: "" }, { at: two.newest - 1 }), { oldest: two.newest });
  }));

test("a round accepts a compaction by another process beyond its own", () =>
  inMemory(async (store) => {
    const seen = await roundOf(store);
    const compacting: Store = { ...store, compact: () => Promise.reject(new StoreError("compacted", "further already")) };
    await roundOf(compacting, seen);
    const broken: Store = { ...store, compact: () => Promise.reject(new StoreError("unavailable", "gone")) };
    await refused("unavailable", async () => roundOf(broken, await roundOf(store)));
  }));

test("startCompactor() runs a round at each interval, reports failures, and ends with its signal", () =>
  inMemory(async (store) => {
    const clock = manualClock();
    const stop = new AbortController();
    const errors: unknown[] = [], idle: number[] = [];
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
      onIdle: (rounds) => idle.push(rounds),
    });
    await looked;
    const first = await put(store, "a", "1");
    await round();
    const second = await put(store, "b", "1");
    await round();
    await refused("compacted", () => store.list({ prefix: "" }, { at: first - 1 }), { oldest: first });
    failing = true;
    for (let each = 1; each < 3; each++) await round();
    assert.deepEqual(idle, []);
    for (let each = 3; each < 7; each++) await round();
    assert.equal(errors.length, 6);
    assert.deepEqual(idle, [3, 6]);
    failing = false;
    await round();
    await refused("compacted", () => store.list({ prefix: "" }, { at: second - 1 }), { oldest: second });
    assert.deepEqual(idle, [3, 6]);
    stop.abort();
    await running;
    assert.equal(clock.waiting, 0);
  }));
