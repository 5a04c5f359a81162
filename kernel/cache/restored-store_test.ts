// A store that was restored from an older copy: no lost state is served, and watches of lost revisions end with 410.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openSqlite } from "../store/sqlite/sqlite.ts";
import { type Store, StoreError } from "../store/store.ts";
import { type Bench, withCache } from "../../test/reads/bench.ts";
import { type Fixture, get, list, put, startWatch, summaries } from "../../test/reads/fixture.ts";

/** Two stores with different objects `note` at the same revision. */
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

test("a read that finds the store restored waits until the cache is filled again, and returns no lost state", () =>
  withTwo(async ({ fixture, faulty, errors, cache }, older) => {
    const watch = await startWatch(fixture, "resourceVersion=1");
    const scraps = await startWatch(fixture, "resourceVersion=1", { plural: "scraps" });
    await watch.has(2);
    // The cache's own watch gets no event.
    faulty.hold = new Promise(() => {});
    faulty.become(older.store);
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

test("a watch from a lost revision ends with 410, until the store has passed that revision", () =>
  withTwo(async ({ fixture, faulty }, older) => {
    const last = (await list(fixture)).page.revision;
    faulty.become(older.store);
    faulty.breakWatches(new StoreError("set-back", "gone"));
    assert.deepEqual(await moods(fixture), [["note", "old"]]);
    const back = await startWatch(fixture, `resourceVersion=${last}`);
    await back.ended;
    assert.deepEqual(back.events.map(({ type, object }) => [type, object.code]), [["ERROR", 410]]);
    for (let revision = 0; revision < last; revision = await put(fixture, "note", { mood: `${revision}` }));
    await list(fixture);
    const next = await startWatch(fixture, `resourceVersion=${last}`);
    const b = await put(fixture, "b");
    await next.reached(b);
    assert.deepEqual(summaries(await next.stop()), [`ADDED b ${b}`]);
  }));
