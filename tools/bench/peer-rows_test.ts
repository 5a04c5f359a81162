import assert from "node:assert/strict";
import { test } from "node:test";
import type { Rate } from "./measured.ts";
import { peerLine, rowOf, rowOfRates, rowOfRuns } from "./peer-rows.ts";

const rate = (cpuMs: number, p50 = 1): Rate => ({ requests: 10, failed: 0, perSecond: 5, p50, p99: 2, p999: 3, cpuMs });

test("rowOfRates() has the median of the ratios of each round, and whether the wanted one is reached", () => {
  const row = rowOfRates("get", { ours: [rate(1), rate(1), rate(2)], theirs: [rate(4), rate(2), rate(10)], failed: 0 });
  assert.deepEqual([row.ours, row.theirs, row.ratio, row.lowest, row.highest], [1, 4, 4, 2, 5]);
  assert.deepEqual([row.wanted, row.met], [3, true]);
  assert.equal(rowOfRates("get", { ours: [rate(1)], theirs: [rate(2.9)], failed: 0 }).met, false);
});

test("rowOfRates() of a watch is not met when its p50 is worse than theirs", () => {
  const name = "watch, 100 watchers";
  assert.equal(rowOfRates(name, { ours: [rate(1, 2)], theirs: [rate(4, 2)], failed: 0 }).met, true);
  assert.equal(rowOfRates(name, { ours: [rate(1, 2.1)], theirs: [rate(4, 2)], failed: 0 }).met, false);
});

test("rowOfRuns() compares one run with each of several others", () => {
  const row = rowOfRuns("density: CPU", "CPU s", 50, [110, 90]);
  assert.deepEqual([row.ours, row.lowest, row.highest, row.wanted], [50, 1.8, 2.2, 2]);
});

test("rowOf() compares single values, and peerLine() prints them", () => {
  const row = rowOf("ready, package", "ms", [{ value: 300, cpuMs: 500 }], [{ value: 4_500, cpuMs: 2_000 }]);
  assert.equal(row.met, true);
  assert.equal(rowOf("ready, package, later start", "ms", [{ value: 300 }], [{ value: 3_300 }]).wanted, undefined);
  assert.equal(rowOf("ready, repository", "ms", [{ value: 300 }], [{ value: 3_300 }]).wanted, undefined);
  assert.equal(
    peerLine(row),
    "ready, package              ms 300 / 4,500: 15.0 times (15.0 to 15.0), wanted 15.0: met; CPU ms 500 / 2,000",
  );
});
