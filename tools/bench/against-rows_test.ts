import assert from "node:assert/strict";
import { test } from "node:test";
import { differenceLine, differenceOf } from "./against-rows.ts";

/** A sitting beside a server that takes 1 in each round. */
const sitting = (...ours: readonly number[]) => ({ ours, theirs: ours.map(() => 1), failed: 0 });

test("differenceOf() judges a row by the median of its rounds, and by whether all sittings agree", () => {
  const dearer = differenceOf("get", "CPU ms", [sitting(1.1, 1.08, 1.2), sitting(1.1, 0.99, 1.1)]);
  assert.deepEqual([dearer.ratio, dearer.lowest, dearer.highest, dearer.verdict], [1.1, 0.99, 1.2, "dearer"]);
  assert.equal(differenceOf("get", "CPU ms", [sitting(0.9, 0.9, 1.3), sitting(0.9, 0.9, 0.9)]).verdict, "cheaper");
  // A small change in all rounds, and a large one in all processes but one.
  assert.equal(differenceOf("get", "CPU ms", [sitting(1.04, 1.04), sitting(1.04, 1.04)]).verdict, "same");
  assert.equal(differenceOf("get", "CPU ms", [sitting(1.5, 1.5), sitting(1.5, 1.5), sitting(0.99, 0.99)]).verdict, "same");
});

test("differenceLine() prints a row, with its verdict and what failed", () => {
  const row = differenceOf("update", "CPU ms", [{ ours: [0.22], theirs: [0.2], failed: 0 }]);
  assert.equal(differenceLine(row), "update                      CPU ms 0.220 / 0.200: 1.10 times (1.10 to 1.10): DEARER");
  assert.match(differenceLine({ ...row, verdict: "same", failed: 2 }), /1\.10\) {2}!! 2 failed or missing$/);
});
