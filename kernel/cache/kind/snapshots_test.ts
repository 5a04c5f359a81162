// In Deno's suite only: the cache uses nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultNames } from "../../../core/names.ts";
import { writeContinue } from "../../reads/continue-token.ts";
import { directReads } from "../../reads/direct-reads.ts";
import { openSqlite } from "../../store/sqlite/sqlite.ts";
import { manualClock } from "../../../test/store/clock.ts";
import { openReads } from "../mod.ts";
import { refused, withCache } from "../../../test/reads/bench.ts";
import { catalog, catalogOf, type Fixture, list, plugin, prefix, put, putBytes, remove, type Shown } from "../../../test/reads/fixture.ts";
import { snapshotEventsMax } from "./snapshots.ts";

const off = catalogOf(plugin.resources ?? [], { ListFromCacheSnapshot: false });
const exactly = (revision: number) => `resourceVersion=${revision}&resourceVersionMatch=Exact`;
const versions = ({ objects }: Shown) => objects.map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`);

for (const on of [true, false]) {
  test(`with ListFromCacheSnapshot ${on ? "on, lists at a version and continues are answered by the cache" : "off, they are answered by the store"}`, () =>
    withCache(async ({ fixture, faulty }) => {
      const revisions: number[] = [];
      for (const name of ["a", "b", "c", "d"]) revisions.push(await put(fixture, name));
      const first = await list(fixture, "limit=1");
      await put(fixture, "bb");
      await remove(fixture, "c");
      await list(fixture);
      const storeLists: number[] = [];
      const at = async (query: string): Promise<Shown> => {
        faulty.lists = 0;
        const shown = await list(fixture, query);
        storeLists.push(faulty.lists);
        return shown;
      };
      assert.deepEqual((await at(exactly(revisions[1]!))).names, ["a", "b"]);
      assert.deepEqual((await at(`resourceVersion=${revisions[2]}&limit=2`)).names, ["a", "b"]);
      const second = await at(`limit=2&continue=${first.page.continue}`);
      assert.deepEqual(second.names, ["b", "c"]);
      const third = await at(`limit=2&continue=${second.page.continue}`);
      assert.deepEqual([third.names, third.page.revision, third.page.continue], [["d"], first.page.revision, ""]);
      assert.deepEqual(storeLists, on ? [0, 0, 0, 0] : [1, 1, 1, 1]);
      // Everything else is answered from memory with the gate on and off.
      for (const query of ["", "limit=1", "resourceVersion=0", `resourceVersion=${revisions[1]}`]) await at(query);
      assert.deepEqual(storeLists.slice(4), [0, 0, 0, 0]);
      // A continued list comes in chunks, also with resourceVersion=0.
      const newest = writeContinue({ revision: -1, start: "a\0" }, defaultNames);
      const rests = [[first.page.continue, ["b", "c", "d"]], [newest, ["b", "bb", "d"]]] as const;
      for (const [token, names] of rests) {
        const rest = await at(`limit=2&resourceVersion=0&continue=${token}`);
        assert.deepEqual([rest.names, rest.page.remaining], [names.slice(0, 2), 1]);
      }
      assert.deepEqual(storeLists.slice(8), on ? [0, 0] : [1, 1]);
    }, on ? {} : { catalog: off }));

  test(`a chunked list keeps its revision across a restart with ListFromCacheSnapshot ${on ? "on" : "off"}`, async () => {
    const store = await openSqlite(":memory:");
    try {
      const chunk = async (query: string, change: (fixture: Fixture) => Promise<unknown>): Promise<Shown> => {
        const cache = await openReads(store, on ? catalog : off, prefix, { checkEveryMs: 0 });
        const fixture: Fixture = { store: cache.store, reads: cache.reads, close: () => cache.close() };
        try {
          const shown = await list(fixture, query);
          await change(fixture);
          return shown;
        } finally {
          await fixture.close();
        }
      };
      for (const name of ["a", "b", "c", "d", "e"]) await put({ store, reads: directReads(store), close: () => store.close() }, name);
      const first = await chunk("limit=2", (fixture) => remove(fixture, "c"));
      const second = await chunk(`limit=2&continue=${first.page.continue}`, (fixture) => put(fixture, "cc"));
      const third = await chunk(`limit=2&continue=${second.page.continue}`, (fixture) => put(fixture, "z"));
      assert.deepEqual([first, second, third].map(({ names }) => names), [["a", "b"], ["c", "d"], ["e"]]);
      assert.deepEqual(new Set([first, second, third].map(({ page }) => page.revision)).size, 1);
      assert.deepEqual([second.page.remaining, third.page.continue], [1, ""]);
    } finally {
      await store.close();
    }
  });
}

test("ListFromCacheSnapshot of a new catalog takes effect at the next list", () =>
  withCache(async ({ fixture, cache, faulty }) => {
    const a = await put(fixture, "a");
    await put(fixture, "b");
    await list(fixture);
    const storeLists: number[] = [];
    for (const next of [catalog, off, catalog]) {
      await cache.adopt(next);
      faulty.lists = 0;
      assert.deepEqual((await list(fixture, exactly(a))).names, ["a"]);
      storeLists.push(faulty.lists);
    }
    assert.deepEqual(storeLists, [0, 1, 0]);
  }));

test("a state is retained for 75 seconds after it was the newest, that of a chunked list for 75 seconds after the list began", async () => {
  const clock = manualClock();
  await withCache(async ({ fixture, faulty }) => {
    const a = await put(fixture, "a");
    await list(fixture);
    const isRemembered = async (query: string): Promise<boolean> => {
      faulty.lists = 0;
      assert.deepEqual((await list(fixture, query)).names, query.includes("continue") ? ["b"] : ["a"]);
      return faulty.lists === 0;
    };
    // It is the newest until the next event.
    clock.advance(200_000);
    assert.equal(await isRemembered(exactly(a)), true);
    await put(fixture, "b");
    const { page } = await list(fixture, "limit=1");
    clock.advance(30_000);
    await put(fixture, "c");
    await list(fixture);
    clock.advance(44_999);
    assert.equal(await isRemembered(exactly(a)), true);
    assert.equal(await isRemembered(`limit=1&continue=${page.continue}`), true);
    clock.advance(1);
    assert.equal(await isRemembered(exactly(a)), false);
    // The state with b was the newest until the event of c.
    assert.equal(await isRemembered(`limit=1&continue=${page.continue}`), true);
    clock.advance(30_000);
    assert.equal(await isRemembered(`limit=1&continue=${page.continue}`), false);
    await fixture.store.compact(await put(fixture, "d"));
    assert.equal((await refused(() => list(fixture, exactly(a)))).code, 410);
  }, { clock });
});

test("the cache does not answer for states that it does not retain: after a compaction, and beyond the bounds of its ring", () =>
  withCache(async ({ fixture, faulty }) => {
    const revisions: number[] = [];
    for (const name of ["a", "b", "c", "d"]) revisions.push(await put(fixture, name));
    await list(fixture);
    const names: string[][] = [];
    faulty.lists = 0;
    for (const revision of revisions) names.push([...(await list(fixture, exactly(revision))).names]);
    assert.deepEqual(names, [["a"], ["a", "b"], ["a", "b", "c"], ["a", "b", "c", "d"]]);
    // Two events are kept, so the states before and after them are known.
    assert.equal(faulty.lists, 1);
    await fixture.store.compact(revisions[3]!);
    assert.equal((await refused(() => list(fixture, exactly(revisions[2]!)))).code, 410);
    assert.deepEqual((await list(fixture, exactly(revisions[3]!))).names, ["a", "b", "c", "d"]);
  }, { bounds: { eventsMax: 2 } }));

test("every state of a long history equals the store's", () =>
  withCache(async ({ fixture, faulty }) => {
    const there = new Set<string>();
    const states = new Map<number, number>();
    for (let round = 0; round < 3 * snapshotEventsMax; round++) {
      const name = `n-${(round * 7) % 31}`;
      const leaves = there.has(name) && round % 3 === 0;
      states.set(leaves ? await remove(fixture, name) : await put(fixture, name, { labels: { round: `${round}` } }), round);
      if (leaves) there.delete(name);
      else there.add(name);
    }
    await list(fixture);
    const direct: Fixture = { ...fixture, reads: directReads(fixture.store) };
    for (const [revision, round] of states) {
      if (round % 29 !== 0 && (round + 1) % snapshotEventsMax > 2) continue;
      const expected = await list(direct, exactly(revision));
      faulty.lists = 0;
      const shown = await list(fixture, exactly(revision));
      assert.equal(faulty.lists, 0);
      assert.deepEqual([versions(shown), shown.page.revision], [versions(expected), revision]);
    }
  }));

test("the store answers for a state with undecodable bytes, also after they were overwritten", () =>
  withCache(async ({ fixture }) => {
    await put(fixture, "a");
    const broken = await putBytes(fixture, "b", new TextEncoder().encode("{nonsense"));
    const mended = await put(fixture, "b");
    await put(fixture, "c");
    await list(fixture);
    assert.match((await refused(() => list(fixture, exactly(broken)))).message, /cannot be read/);
    assert.deepEqual((await list(fixture, exactly(mended))).names, ["a", "b"]);
  }));

test("the state of a chunked list is kept for its later chunks, also when later events fill the ring", () =>
  withCache(async ({ fixture, faulty }) => {
    for (const name of ["a", "b", "c"]) await put(fixture, name);
    const { page } = await list(fixture, "limit=1");
    for (let round = 0; round < 5; round++) await put(fixture, "b", { data: { round: `${round}` } });
    await list(fixture);
    faulty.lists = 0;
    assert.deepEqual((await list(fixture, `continue=${page.continue}`)).names, ["b", "c"]);
    assert.equal(faulty.lists, 0);
    await list(fixture, exactly(page.revision - 1));
    assert.equal(faulty.lists, 1);
  }, { bounds: { eventsMax: 2 } }));
