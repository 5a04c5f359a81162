import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../store/testing/clock.ts";
import { catchingUp, sharedRoundTrip } from "./freshness.ts";

/** Round trips that end when the test says so; each answers with its number. */
function trips() {
  const open: PromiseWithResolvers<number>[] = [];
  const ask = sharedRoundTrip(() => {
    const trip = Promise.withResolvers<number>();
    open.push(trip);
    return trip.promise;
  });
  return { open, ask };
}

test("sharedRoundTrip() gives nobody an answer that was under way before they asked", async () => {
  const { open, ask } = trips();
  const first = ask();
  const later = [ask(), ask(), ask()];
  assert.equal(open.length, 1);
  open[0]!.resolve(1);
  assert.equal(await first, 1);
  assert.equal(open.length, 2);
  const latest = ask();
  assert.equal(open.length, 2);
  open[1]!.resolve(2);
  assert.deepEqual(await Promise.all(later), [2, 2, 2]);
  open[2]!.resolve(3);
  assert.equal(await latest, 3);
  const alone = ask();
  open[3]!.resolve(4);
  assert.equal(await alone, 4);
  assert.equal(open.length, 4);
});

test("sharedRoundTrip() tells a failure to those who waited for it, and the next ones ask again", async () => {
  const { open, ask } = trips();
  const first = ask(), second = ask();
  open[0]!.reject(new Error("away"));
  await assert.rejects(first, /away/);
  open[1]!.resolve(2);
  assert.equal(await second, 2);
  const third = ask();
  open[2]!.reject(new Error("away again"));
  await assert.rejects(third, /away again/);
  const fourth = ask();
  open[3]!.resolve(4);
  assert.equal(await fourth, 4);
});

/** Readers of a cache that comes to a revision when the test says so. */
function readers() {
  const clock = manualClock();
  const { open, ask } = trips();
  const waits: { readonly revision: number; readonly come: () => void; over: boolean }[] = [];
  const together = catchingUp(ask, (revision) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wait = { revision, come: resolve, over: false };
    waits.push(wait);
    return { passed: promise, forget: () => void (wait.over = true) };
  }, clock);
  return { clock, open, waits, together };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

test("catchingUp() asks and waits once for those who come together, and lets nobody share an answer that is older than the question", async () => {
  const { open, waits, together, clock } = readers();
  const first = together(), later = together(), same = together();
  assert.equal(later, same);
  assert.notEqual(first, later);
  open[0]!.resolve(7);
  assert.equal(await first.newest, 7);
  await turn();
  assert.deepEqual(waits.map(({ revision }) => revision), [7]);
  open[1]!.resolve(8);
  await turn();
  assert.deepEqual(waits.map(({ revision }) => revision), [7, 8]);
  for (const { come } of waits) come();
  assert.deepEqual(await Promise.all([first.isSoon, later.isSoon]), [true, true]);
  assert.ok(waits.every(({ over }) => over));
  assert.equal(clock.waiting, 0);
});

test("catchingUp() gives up after a moment, whether the store or the cache is late, and keeps the question", async () => {
  const { open, waits, together, clock } = readers();
  const first = together();
  clock.advance(99);
  await turn();
  clock.advance(1);
  assert.equal(await first.isSoon, false);
  open[0]!.resolve(7);
  assert.equal(await first.newest, 7);
  assert.equal(waits.length, 0);
  const second = together();
  open[1]!.resolve(8);
  await turn();
  clock.advance(100);
  assert.equal(await second.isSoon, false);
  assert.ok(waits[0]!.over);
});

test("catchingUp() tells a failure to all who asked together", async () => {
  const { open, together, clock } = readers();
  const asked = together();
  open[0]!.reject(new Error("away"));
  await assert.rejects(asked.isSoon, /away/);
  await assert.rejects(asked.newest, /away/);
  assert.equal(clock.waiting, 0);
});
