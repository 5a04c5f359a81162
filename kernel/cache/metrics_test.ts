import assert from "node:assert/strict";
import { test } from "node:test";
import { cacheMetrics } from "./mod.ts";
import { StoreError } from "../store/store.ts";
import { manualClock } from "../../test/store/clock.ts";
import { waitFor, withCache } from "../../test/reads/bench.ts";
import { list, put, putBytes, remove, startWatch } from "../../test/reads/fixture.ts";
import { compressedIdleMs } from "./blocks/shared-blocks.ts";

const proven = new Set<string>();
/** A test that changes these metrics. */
function moves(names: readonly (keyof typeof cacheMetrics)[], what: string, prove: () => Promise<void>): void {
  for (const name of names) proven.add(name);
  test(`${names.map((name) => cacheMetrics[name].name).join(", ")}: ${what}`, prove);
}
const named = (name: keyof typeof cacheMetrics) => cacheMetrics[name].name;

moves(
  ["initializations", "undecodable", "fillSeconds", "fillObjects"],
  "fills of a kind, and objects that cannot be decoded",
  () =>
    withCache(
      async ({ fixture, faulty, errors, counted }) => {
        assert.deepEqual(await counted(named("fillObjects")), ['{resource="notes"} 1', '{resource="shelves"} 0']);
        for (const line of await counted(named("fillSeconds"))) assert.ok(Number(line.split(" ").at(-1)) > 0, line);
        assert.deepEqual(await counted(named("initializations")), ['{resource="notes"} 1', '{resource="shelves"} 1']);
        assert.deepEqual(await counted(named("undecodable")), ['{resource="notes"} 1']);
        faulty.breakWatches(new StoreError("unavailable", "gone"));
        while (errors.length === 0) await list(fixture, "", { namespace: "other" });
        await putBytes(fixture, "worse", new TextEncoder().encode("{"));
        await list(fixture, "", { namespace: "other" });
        assert.deepEqual(await counted(named("initializations")), ['{resource="notes"} 2', '{resource="shelves"} 2']);
        assert.deepEqual(await counted(named("undecodable")), ['{resource="notes"} 3']);
      },
      {},
      async (fixture) => void await putBytes(fixture, "bad", new TextEncoder().encode("{nonsense")),
    ),
);

moves(
  ["received", "dispatched", "revision"],
  "events by kind, and the revision that the cache has reached",
  () =>
    withCache(async ({ fixture, counted }) => {
      await put(fixture, "a");
      await put(fixture, "a", { mood: "sad" });
      await put(fixture, "s", { plural: "shelves" });
      const last = await remove(fixture, "a");
      await list(fixture);
      for (const name of ["received", "dispatched"] as const) {
        assert.deepEqual((await counted(named(name))).toSorted(), ['{resource="notes"} 3', '{resource="shelves"} 1']);
      }
      assert.deepEqual(await counted(named("revision")), [`{resource="notes"} ${last}`, `{resource="shelves"} ${last}`]);
    }),
);

moves(
  ["initEvents"],
  "objects and earlier events that watches begin with, from memory and from the store",
  () =>
    withCache(async ({ fixture, faulty, errors, counted }) => {
      const first = await put(fixture, "a");
      await put(fixture, "b");
      const last = await put(fixture, "c");
      await list(fixture);
      const begun = async (query: string): Promise<number> => {
        const before = Number((await counted(named("initEvents")))[0]?.split(" ")[1] ?? 0);
        const watch = await startWatch(fixture, query);
        await watch.reached(last);
        await watch.stop();
        return Number((await counted(named("initEvents")))[0]?.split(" ")[1]) - before;
      };
      assert.equal(await begun(""), 3);
      assert.equal(await begun(`resourceVersion=${first}`), 2);
      faulty.breakWatches(new StoreError("unavailable", "gone"));
      while (errors.length === 0) await list(fixture);
      assert.equal(await begun(`resourceVersion=${first}`), 2);
    }),
);

moves(["consistentReads", "readWait"], "reads of the newest state, from memory, from the store instead, and not at all", async () => {
  const clock = manualClock();
  await withCache(async ({ fixture, faulty, counted }) => {
    await put(fixture, "a");
    await list(fixture);
    const of = (success: boolean, fallback: boolean, count: number) =>
      `{fallback="${fallback}",resource="notes",success="${success}"} ${count}`;
    assert.deepEqual(await counted(named("consistentReads")), [of(true, false, 1)]);
    const release = Promise.withResolvers<void>();
    faulty.hold = release.promise;
    await put(fixture, "b");
    for (const fails of [undefined, new StoreError("unavailable", "no leader")]) {
      const reading = list(fixture).then(() => undefined, (error: unknown) => error);
      await waitFor(clock, 1);
      faulty.listFails = fails;
      clock.advance(3_000);
      assert.equal(await reading, fails);
    }
    assert.deepEqual(await counted(named("consistentReads")), [of(true, false, 1), of(true, true, 1), of(false, true, 1)]);
    assert.deepEqual(await counted(`${named("readWait")}_count`), ['{resource="notes"} 3']);
    assert.deepEqual(await counted(`${named("readWait")}_sum`), ['{resource="notes"} 6']);
    faulty.hold = undefined;
    release.resolve();
  }, { clock });
});

moves(
  ["lists", "listFetched", "listReturned"],
  "lists from memory, objects evaluated and objects returned",
  () =>
    withCache(async ({ fixture, counted }) => {
      for (const name of ["a", "b", "c", "d"]) await put(fixture, name, { labels: { first: `${name === "a" || name === "c"}` } });
      const steps: readonly [string, number, number][] = [
        ["", 4, 4],
        ["labelSelector=first=true", 4, 2],
        ["limit=1&labelSelector=first=false", 2, 1],
        ["limit=3", 3, 3],
        ["fieldSelector=metadata.name=b", 1, 1],
        ["fieldSelector=metadata.name=x", 0, 0],
      ];
      let [fetched, returned] = [0, 0];
      for (const [index, [query, looked, answered]] of steps.entries()) {
        await list(fixture, query);
        fetched += looked;
        returned += answered;
        assert.deepEqual(await counted(named("lists")), [`{index="",resource="notes"} ${index + 1}`]);
        assert.deepEqual(await counted(named("listFetched")), [`{index="",resource="notes"} ${fetched}`], query);
        assert.deepEqual(await counted(named("listReturned")), [`{resource="notes"} ${returned}`], query);
      }
      // A list from the store is not counted as one of the cache.
      await list(fixture, "", { plural: "scraps" });
      assert.equal((await counted(named("lists"))).length, 1);
    }),
);

moves(
  ["storeEvaluated", "storeReturned"],
  "lists from the store, objects evaluated and objects returned; fills read everything",
  () =>
    withCache(
      async ({ fixture, counted }) => {
        const of = async (resource: string) =>
          (await Promise.all((["storeEvaluated", "storeReturned"] as const).map((name) => counted(named(name)))))
            .map((lines) => Number(lines.find((line) => line.includes(resource))?.split(" ")[1] ?? 0));
        assert.deepEqual(await of("notes"), [2, 2], "to fill the cache");
        await list(fixture);
        assert.deepEqual(await of("notes"), [2, 2], "from memory");
        for (const name of ["a", "b", "c", "d"]) {
          await put(fixture, name, { plural: "scraps", labels: { first: `${name === "a" || name === "c"}` } });
        }
        const steps: readonly [string, number, number][] = [
          ["", 4, 4],
          ["labelSelector=first=true", 4, 2],
          ["limit=1&labelSelector=first=false", 2, 1],
          ["limit=3", 3, 3],
          ["labelSelector=first=maybe", 4, 0],
        ];
        let [evaluated, returned] = [0, 0];
        for (const [query, looked, answered] of steps) {
          await list(fixture, query, { plural: "scraps" });
          evaluated += looked;
          returned += answered;
          assert.deepEqual(await of("scraps"), [evaluated, returned], query);
        }
      },
      {},
      async (fixture) => {
        for (const name of ["x", "y"]) await put(fixture, name);
      },
    ),
);

moves(
  ["capacity", "capacityUp", "capacityDown"],
  "the capacity doubles when it is exceeded, and halves when it is mostly free",
  async () => {
    const clock = manualClock();
    await withCache(async ({ fixture, counted }) => {
      const fill = async (rounds: number): Promise<void> => {
        for (let round = 0; round < rounds; round++) await put(fixture, "a", { data: { round: `${round}` } });
        await list(fixture);
      };
      const of = async () =>
        (await Promise.all((["capacity", "capacityUp", "capacityDown"] as const).map((name) => counted(named(name)))))
          .map((lines) => Number(lines.find((line) => line.includes("notes"))?.split(" ")[1] ?? 0));
      assert.deepEqual(await of(), [100, 0, 0]);
      await fill(100);
      assert.deepEqual(await of(), [100, 0, 0]);
      await fill(1);
      assert.deepEqual(await of(), [200, 1, 0]);
      await fill(100);
      assert.deepEqual(await of(), [400, 2, 0]);
      clock.advance(5 * 60_000 + 1);
      await fill(1);
      assert.deepEqual(await of(), [100, 2, 1]);
    }, { clock });
  },
);

moves(["blocks", "blockBytes"], "blocks that are compressed, and that later lists share until they are idle", async () => {
  const clock = manualClock();
  await withCache(async ({ fixture, counted }) => {
    for (const name of ["a", "b"]) await put(fixture, name);
    const read = async (): Promise<void> => {
      const { page: { items } } = await list(fixture);
      for (const block of items.blocks?.({ name: "json", between: ",", bytesOf: undefined }) ?? []) void [...block.pieces()];
    };
    const bytes = async () => Number((await counted(named("blockBytes"), " ")).join(""));
    assert.equal(await bytes(), 0);
    await read();
    await read();
    await read();
    assert.deepEqual((await counted(named("blocks"))).toSorted(), [
      '{kept="false",resource="notes"} 1',
      '{kept="true",resource="notes"} 2',
    ]);
    assert.ok(await bytes() > 400);
    clock.advance(2 * compressedIdleMs);
    assert.equal(await bytes(), 0);
  }, { clock });
});

test("each metric of the cache is changed by a test", () => {
  // Slow watches and comparisons with the store are tested in watch-cache_test.ts.
  assert.deepEqual(Object.keys(cacheMetrics).filter((name) => !proven.has(name)), ["terminated", "checks"]);
});
