import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../../test/store/clock.ts";
import { catcherUp, sharedRoundTrip } from "./freshness.ts";

/** Round trips that the test ends; each resolves with its number. */
function trips() {
  const open: PromiseWithResolvers<number>[] = [];
  const ask = sharedRoundTrip(() => {
    const trip = Promise.withResolvers<number>();
    open.push(trip);
    return trip.promise;
  });
  return { open, ask };
}

test("sharedRoundTrip() never returns a result of a round trip that began before the call", async () => {
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

test("sharedRoundTrip() rejects the callers of a failed round trip; the next call begins another", async () => {
  const { open, ask } = trips();
  const first = ask(), second = ask();
  open[0]!.reject(new Error("unreachable"));
  await assert.rejects(first, /unreachable/);
  open[1]!.resolve(2);
  assert.equal(await second, 2);
  const third = ask();
  open[2]!.reject(new Error("unreachable again"));
  await assert.rejects(third, /unreachable again/);
  const fourth = ask();
  open[3]!.resolve(4);
  assert.equal(await fourth, 4);
});

/** Readers of a cache whose revision the test sets. */
function readers() {
  const clock = manualClock();
  const { open, ask } = trips();
  const waits: { readonly revision: number; readonly come: () => void; over: boolean }[] = [];
  const together = catcherUp(ask, (revision) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wait = { revision, come: resolve, over: false };
    waits.push(wait);
    return { passed: promise, forget: () => void (wait.over = true) };
  }, clock);
  return { clock, open, waits, together };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

test("catcherUp() reads and waits once for concurrent calls, and never shares a result that is older than the call", async () => {
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

test("catcherUp() gives up the shared wait after a moment, whether the store or the cache is late, and keeps the read", async () => {
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

test("catcherUp() rejects all calls that share a failed read", async () => {
  const { open, together, clock } = readers();
  const calls = together();
  open[0]!.reject(new Error("unreachable"));
  await assert.rejects(calls.isSoon, /unreachable/);
  await assert.rejects(calls.newest, /unreachable/);
  assert.equal(clock.waiting, 0);
});
