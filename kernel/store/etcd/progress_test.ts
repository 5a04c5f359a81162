import assert from "node:assert/strict";
import { test } from "node:test";
import { reportsProgress } from "../../../protocols/etcd/connection.ts";
import { ProgressKeeper, progressWritesMax } from "./progress.ts";
import { manualClock } from "../../../test/store/clock.ts";

test("ProgressKeeper requests progress for a watch behind the revision of a read, until it has reached it", () => {
  const clock = manualClock();
  const keeper = new ProgressKeeper(clock);
  const watch = { at: 5, requests: 0 };
  const stop = keeper.supervise({ position: () => watch.at, request: () => void watch.requests++ });
  keeper.shown(7);
  clock.advance(399);
  assert.equal(watch.requests, 0, "a new watch has time to catch up");
  clock.advance(1);
  assert.equal(watch.requests, 1);
  clock.advance(50);
  assert.equal(watch.requests, 2);
  watch.at = 7;
  clock.advance(1000);
  assert.deepEqual([watch.requests, clock.waiting], [2, 0]);
  keeper.shown(6);
  assert.equal(clock.waiting, 0);
  keeper.shown(8);
  watch.at = 8;
  clock.advance(1000);
  assert.equal(watch.requests, 2, "the event came in time");
  keeper.shown(9);
  stop();
  assert.equal(clock.waiting, 0);
  clock.advance(1000);
  assert.equal(watch.requests, 2);
});

test("ProgressKeeper waits longer after requests without effect", () => {
  const clock = manualClock();
  const keeper = new ProgressKeeper(clock);
  const watch = { at: 5, requests: [] as number[] };
  keeper.supervise({ position: () => watch.at, request: () => void watch.requests.push(clock.now()) });
  const begun = clock.now();
  keeper.shown(7);
  const times = () => watch.requests.splice(0).map((ms) => ms - begun);
  clock.advance(2000);
  assert.deepEqual(times(), [400, 450, 550, 750, 1150, 1550, 1950]);
  watch.at = 6;
  clock.advance(500);
  assert.deepEqual(times(), [2350, 2400, 2500], "an effect ends the longer delays");
});

test("ProgressKeeper has one write of each watch in flight, and some of all watches, the oldest first", async () => {
  const clock = manualClock();
  const keeper = new ProgressKeeper(clock);
  const count = progressWritesMax + 3;
  const writes: { readonly watch: number; readonly end: () => void }[] = [];
  const positions = Array.from({ length: count }, () => 5);
  const stops = positions.map((_, index) => {
    const request = () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      writes.push({ watch: index, end: resolve });
      return promise;
    };
    return keeper.supervise({ position: () => positions[index] ?? 0, request });
  });
  keeper.shown(7);
  clock.advance(60_000);
  assert.deepEqual(writes.map(({ watch }) => watch), Array.from({ length: progressWritesMax }, (_, index) => index));
  positions[progressWritesMax] = 7;
  stops[progressWritesMax + 1]?.();
  const first = writes.splice(0);
  first[0]?.end();
  await Promise.resolve();
  assert.deepEqual(writes.splice(0).map(({ watch }) => watch), [count - 1], "a watch that is current or over sends nothing");
  first[1]?.end();
  await Promise.resolve();
  assert.deepEqual(writes, []);
  clock.advance(50);
  assert.deepEqual(writes.map(({ watch }) => watch), [0], "one slot is left");
  for (const stop of stops) stop();
  assert.equal(clock.waiting, 0);
});

test("reportsProgress() accepts the releases in which progress does not overtake events", () => {
  const answers = ["3.4.30", "3.4.31", "3.5.0", "3.5.12", "3.5.13", "3.5.13-rc.1", "3.6.0", "4.0.0", "3.3.27"].map(reportsProgress);
  assert.deepEqual(answers, [false, true, false, false, true, true, true, true, false]);
});
