// A store in whose place an older copy was put: nothing of what it has lost is shown, and whoever followed it is told.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openSqlite } from "../store/sqlite/sqlite.ts";
import { type Store, StoreError } from "../store/store.ts";
import { type Bench, withCache } from "./testing/bench.ts";
import { type Fixture, get, list, put, startWatch, told } from "./testing/fixture.ts";

/** `note` is at the same revision in both stores, and another. */
async function withTwo(use: (bench: Bench, older: Fixture) => Promise<void>): Promise<void> {
  const store: Store = await openSqlite(":memory:");
  const older: Fixture = { store, reads: undefined as never, close: () => store.close() }; // only written to
  try {
    await put(older, "note", { mood: "old" });
    await withCache(
      async (bench) => {
        await put(bench.fixture, "lost");
        const last = await put(bench.fixture, "lost", { mood: "sad" });
        assert.equal((await list(bench.fixture)).page.revision, last);
        await use(bench, older);
      },
      {},
      async (fixture) => void await put(fixture, "note", { mood: "new" }),
    );
  } finally {
    await store.close();
  }
}

const moods = async (fixture: Fixture) => (await list(fixture)).objects.map((note) => [note.metadata.name, "mood" in note && note.mood]);

test("a read that finds the store set back waits until the cache is filled anew, and is shown nothing that was lost", () =>
  withTwo(async ({ fixture, brittle, errors, cache }, older) => {
    const watch = await startWatch(fixture, "resourceVersion=1");
    const scraps = await startWatch(fixture, "resourceVersion=1", { plural: "scraps" });
    await watch.has(2);
    // The cache's own watch has not noticed.
    brittle.hold = new Promise(() => {});
    brittle.become(older.store);
    const [all, lost, note] = await Promise.all([moods(fixture), get(fixture, "lost"), get(fixture, "note")]);
    assert.deepEqual(all, [["note", "old"]]);
    assert.equal(lost, undefined);
    assert.ok(note?.text.includes('"old"'));
    for (const each of [watch, scraps]) {
      await each.ended;
      assert.deepEqual([each.events.at(-1)?.type, each.events.at(-1)?.object.code], ["ERROR", 410]);
    }
    assert.deepEqual(errors.map((error) => error instanceof StoreError && error.code), ["set-back"]);
    assert.deepEqual(cache.state(), { tag: "current" });
  }));

test("a watch that comes back from what the store has lost is told so, until that is passed", () =>
  withTwo(async ({ fixture, brittle }, older) => {
    const last = (await list(fixture)).page.revision;
    brittle.become(older.store);
    brittle.breakWatches(new StoreError("set-back", "gone"));
    assert.deepEqual(await moods(fixture), [["note", "old"]]);
    const back = await startWatch(fixture, `resourceVersion=${last}`);
    await back.ended;
    assert.deepEqual(back.events.map(({ type, object }) => [type, object.code]), [["ERROR", 410]]);
    for (let revision = 0; revision < last; revision = await put(fixture, "note", { mood: `${revision}` }));
    await list(fixture);
    const next = await startWatch(fixture, `resourceVersion=${last}`);
    const b = await put(fixture, "b");
    await next.reached(b);
    assert.deepEqual(told(await next.stop()), [`ADDED b ${b}`]);
  }));
