import assert from "node:assert/strict";
import { test } from "node:test";
import { progressKeeper, reportsProgress } from "./progress.ts";
import { manualClock } from "../testing/clock.ts";

test("progressKeeper() requests progress for a watch behind the revision of a read, until it has reached it", () => {
  const clock = manualClock();
  const keeper = progressKeeper(clock);
  const watch = { at: 5, requests: 0 };
  const stop = keeper.supervise({ position: () => watch.at, request: () => watch.requests++ });
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

test("reportsProgress() accepts the releases in which progress does not overtake events", () => {
  const answers = ["3.4.30", "3.4.31", "3.5.0", "3.5.12", "3.5.13", "3.5.13-rc.1", "3.6.0", "4.0.0", "3.3.27"].map(reportsProgress);
  assert.deepEqual(answers, [false, true, false, false, true, true, true, true, false]);
});
