import assert from "node:assert/strict";
import { test } from "node:test";
import { newTally, type Tally } from "./client.ts";
import { judge } from "./judge.ts";

function tallyOf(change: (tally: Tally) => void): ReadonlyMap<string, Tally> {
  const tally = newTally();
  change(tally);
  return new Map([["a client", tally]]);
}
const outages = [{ from: 1_000, to: 2_000 }];
const failure = (at: number) => ({ counts: { requests: 1 }, faults: [], failures: [{ at, text: "no answer" }] });

test("judge() expects failures during restarts, and no others", () => {
  for (const at of [1_000, 2_000]) {
    assert.deepEqual(judge(tallyOf((tally) => tally.add(failure(at))), outages), { faults: [], duringRestarts: 1 });
  }
  for (const at of [999, 2_001]) {
    const { faults, duringRestarts } = judge(tallyOf((tally) => tally.add(failure(at))), outages);
    assert.deepEqual([faults, duringRestarts], [[`a client, ${new Date(at).toISOString()}: no answer`], 0]);
  }
});

test("judge() excuses no violation, and no client that did nothing or failed only", () => {
  const violated = tallyOf((tally) => {
    tally.count("requests");
    tally.fault("an event twice");
  });
  assert.deepEqual(judge(violated, [{ from: 0, to: Infinity }]).faults, ["a client: an event twice"]);
  assert.deepEqual(judge(tallyOf(() => {}), []).faults, ["a client: it did nothing"]);
  const failing = tallyOf((tally) => tally.failed("a read", new Error("no answer")));
  assert.deepEqual(judge(failing, [{ from: 0, to: Infinity }]).faults, ["a client: it did nothing"]);
});
