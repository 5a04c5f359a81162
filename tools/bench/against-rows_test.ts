import assert from "node:assert/strict";
import { test } from "node:test";
import { differenceLine, differenceOf } from "./against-rows.ts";

const ones = [1, 1, 1, 1, 1, 1, 1];

test("differenceOf() judges a row by the median of its rounds, and by how many of them agree", () => {
  const dearer = differenceOf("get", "CPU ms", [1.1, 1.08, 1.2, 1.1, 0.99, 1.1, 1.07], ones);
  assert.deepEqual([dearer.ratio, dearer.lowest, dearer.highest, dearer.verdict], [1.1, 0.99, 1.2, "dearer"]);
  assert.equal(differenceOf("get", "CPU ms", [0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 1.3], ones).verdict, "cheaper");
  // A small change in all rounds, and a large one that only some have.
  assert.equal(differenceOf("get", "CPU ms", ones.map(() => 1.04), ones).verdict, "same");
  assert.equal(differenceOf("get", "CPU ms", [1.5, 1.5, 1.5, 1.5, 0.9, 0.9, 0.9], ones).verdict, "same");
});

test("differenceLine() prints a row, with its verdict and what failed", () => {
  const row = differenceOf("update", "CPU ms", [0.22, 0.22, 0.22], [0.2, 0.2, 0.2]);
  assert.equal(differenceLine(row), "update                      CPU ms 0.220 / 0.200: 1.10 times (1.10 to 1.10): DEARER");
  assert.match(differenceLine({ ...row, verdict: "same", failed: 2 }), /1\.10\) {2}!! 2 failed or missing$/);
});
