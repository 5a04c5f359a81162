import assert from "node:assert/strict";
import { test } from "node:test";
import { sharedRoundTrip } from "./freshness.ts";

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
