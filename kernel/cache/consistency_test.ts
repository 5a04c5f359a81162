import assert from "node:assert/strict";
import { test } from "node:test";
import { type Clock, systemClock } from "../../core/async.ts";
import { withCache } from "../../test/reads/bench.ts";
import { catalogOf, plugin } from "../../test/reads/fixture.ts";

test("the cache is compared with the store only while DetectCacheInconsistency is on", async () => {
  const everyMs = 12_345;
  const due: (() => void)[] = [];
  const clock: Clock = {
    now: systemClock.now,
    after(ms, run) {
      if (ms !== everyMs) return systemClock.after(ms, run);
      due.push(run);
      return () => {};
    },
  };
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const off = catalogOf(plugin.resources ?? [], { DetectCacheInconsistency: false }), on = catalogOf(plugin.resources ?? []);
  await withCache(async ({ cache, counted }) => {
    const checked = () => counted("apiserver_storage_consistency_checks_total");
    for (let round = 1; round <= 3; round++) {
      due.at(-1)!();
      // The next wait begins after this round.
      while (due.length === round) await turn();
    }
    assert.deepEqual(await checked(), []);
    await cache.adopt(on);
    due.at(-1)!();
    while (due.length === 4) await turn();
    assert.equal((await checked()).length, 2);
  }, { clock, checkEveryMs: everyMs, catalog: off });
});
