// In Deno's suite only: the result does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { wantedLevels } from "./bootstrap-objects.ts";
import { borrow } from "./borrow.ts";
import { retryAfterSecondsMax, seatsMax } from "./bounds.ts";
import { RetryAfter } from "./retry-after.ts";
import { Demand } from "./demand.ts";
import { divide, seatsOf, smoothed } from "./seats-of-levels.ts";
import { listWidth, sendsObjects, widestOf } from "./width.ts";

const specs = new Map(wantedLevels.map(({ name, spec }) => [name, spec]));

test("seatsOf() divides the server's seats as kube-apiserver does", () => {
  const seats = seatsOf(specs, 600);
  const shown = Object.fromEntries(Array.from(seats, ([name, { nominal, lower, upper }]) => [name, [nominal, lower, upper]]));
  assert.deepEqual(shown, {
    system: [74, 50, 674],
    "node-high": [98, 73, 698],
    "leader-election": [25, 25, 625],
    "workload-high": [98, 49, 698],
    "workload-low": [245, 24, 845],
    "global-default": [49, 24, 649],
    "catch-all": [13, 13, 613],
    exempt: [0, 0, 600],
  });
  assert.ok(seatsOf(specs, 0).get("system")!.isUnlimited);
});

test("divide() gives each level the same part of its target within its bounds, and never more than there is", () => {
  const of = (target: number, lower: number, upper: number) => ({ target, lower, upper });
  const rounded = (sum: number, ...claims: ReturnType<typeof of>[]) => divide(sum, claims).seats.map(Math.round);
  assert.deepEqual(rounded(100, of(10, 0, 1000), of(30, 0, 1000)), [25, 75]);
  assert.deepEqual(rounded(100, of(10, 40, 1000), of(30, 0, 1000)), [40, 60], "a lower bound");
  assert.deepEqual(rounded(100, of(10, 0, 1000), of(30, 0, 50)), [50, 50], "an upper bound");
  assert.deepEqual(rounded(100, of(0, 0, 1000), of(0, 0, 1000)), [50, 50], "no demand");
  assert.deepEqual(rounded(100, of(10, 0, 20), of(30, 0, 50)), [20, 50], "more than all may have");
});

/** What `borrow` reads of a level, and the seats that it gives. */
function level(name: string, nominal: number, lower: number, upper: number, wanted: number) {
  const own = {
    name,
    seats: { nominal, lower, upper, isUnlimited: false },
    isEnding: false,
    isExempt: false,
    limit: nominal,
    queue: { limit: nominal },
    period: () => ({ highest: wanted, average: wanted, deviation: 0, smoothed: wanted }),
    give: (limit: number) => void (own.limit = limit),
  };
  return own;
}
const series = { set() {}, add() {}, observe() {} };
const metric = (() => ({ with: () => series })) as unknown as Parameters<typeof borrow>[1]; // what the function uses of it

test("borrow() moves the seats that idle levels lend to those that want more, up to their limit", () => {
  const idle = level("idle", 100, 10, 200, 0), busy = level("busy", 100, 100, 250, 400), limited = level("limited", 100, 100, 120, 400);
  borrow([idle, busy, limited], metric, 10);
  assert.equal(limited.limit, 120, "its borrowing limit");
  assert.equal(idle.limit + busy.limit + limited.limit, 300);
  assert.ok(idle.limit >= 10 && idle.limit < 60, `${idle.limit}`);
  assert.ok(busy.limit > 120 && busy.limit <= 250, `${busy.limit}`);
  const still = level("still", 100, 10, 200, 0), other = level("other", 100, 10, 200, 0);
  borrow([still, other], metric, 10);
  assert.deepEqual([still.limit, other.limit], [100, 100], "idle levels have their own seats");
});

test("Demand has the average of a period, and smoothed() forgets a high one slowly", () => {
  const demand = new Demand();
  demand.set(0, 0);
  demand.set(10, 5);
  demand.set(2, 7.5);
  const { highest, average, deviation } = demand.take(10);
  assert.deepEqual([highest, average, Math.round(deviation * 100)], [10, 3, 412]);
  assert.deepEqual(demand.take(20), { highest: 2, average: 2, deviation: 0 });
  assert.equal(smoothed(0, 3, 4), 7);
  assert.equal(smoothed(100, 0, 0), 97.7);
});

test("RetryAfter tells clients to wait longer while many are rejected, up to retryAfterSecondsMax, and shorter again", () => {
  const after = new RetryAfter();
  assert.equal(after.rejected(0), 1);
  let seconds = 1;
  for (let now = 0; now < 300; now += 0.1) seconds = after.rejected(now);
  assert.equal(seconds, retryAfterSecondsMax);
  for (let now = 400; now < 1_000; now += 10) seconds = after.rejected(now);
  assert.equal(seconds, 1);
});

test("listWidth() counts a seat for each hundred objects that are read, within the bounds", () => {
  const width = (objects: number | undefined, query = "", most = 100) => {
    const parameters = new URLSearchParams(query);
    return listWidth(objects, { first: (name) => parameters.get(name) ?? "" }, most);
  };
  assert.deepEqual([width(undefined), width(0), width(100), width(101), width(500)], [1, 1, 1, 2, 5]);
  assert.deepEqual([width(100 * seatsMax), width(100 * seatsMax + 1), width(1e9, "", 3), width(1e9, "", 0)], [seatsMax, seatsMax, 3, 1]);
  assert.deepEqual([width(800, "limit=300"), width(200, "limit=300"), width(200, "limit=x")], [3, 2, 2]);
  const exact = "limit=100&resourceVersion=7&resourceVersionMatch=Exact";
  assert.deepEqual([width(500, exact), width(500, `${exact}&labelSelector=a`), width(500, "limit=100&continue=t")], [2, 6, 2]);
  const begins = (query: string) => sendsObjects({ first: (name) => new URLSearchParams(query).get(name) ?? "" });
  assert.deepEqual(["", "resourceVersion=0", "resourceVersion=5", "resourceVersion=5&sendInitialEvents=true"].map(begins), [
    true,
    true,
    false,
    true,
  ]);
  assert.deepEqual([widestOf(245, 6), widestOf(25, 4), widestOf(3, 8), widestOf(13, undefined)], [37, 4, 1, seatsMax]);
});
