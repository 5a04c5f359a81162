import assert from "node:assert/strict";
import { test } from "node:test";
import { clockOf } from "./async.ts";
import { manualClock } from "./test-clock.ts";

const day = 24 * 60 * 60 * 1000;

/** Timers as those of the system: one that is too long ends at once. */
function systemTimers() {
  const clock = manualClock();
  return { clock, timed: clockOf((ms, run) => clock.after(ms >= 2 ** 31 ? 1 : ms, run)) };
}

for (const days of [24, 25, 30, 49, 50, 365]) {
  test(`after() of the clock of the system waits ${days} days, and not less`, () => {
    const { clock, timed } = systemTimers();
    let ran = 0;
    timed.after(days * day, () => ran++);
    clock.advance(days * day - 1);
    assert.equal(ran, 0);
    clock.advance(1);
    assert.equal(ran, 1);
    clock.advance(1000 * day);
    assert.equal(ran, 1);
  });
}

test("after() of the clock of the system is cancelled in any of its timers", () => {
  for (const passed of [0, 10, 24, 26, 49.9]) {
    const { clock, timed } = systemTimers();
    const cancel = timed.after(50 * day, () => assert.fail("it was cancelled"));
    clock.advance(passed * day);
    cancel();
    assert.equal(clock.waiting, 0);
    clock.advance(100 * day);
  }
});
