import assert from "node:assert/strict";
import { test } from "node:test";
import { gateMistakes } from "./gates.ts";
import type { GateStage } from "../plugin.ts";

const of = (...stages: readonly GateStage[]) => gateMistakes("New", stages);
const rung = (since: string, stage: GateStage["stage"], on: boolean, more: Partial<GateStage> = {}): GateStage => ({
  since,
  stage,
  default: on,
  ...more,
});
const rule = (name: string) => ` (deprecation policy, rule ${name})`;

test("rule gate-default: an alpha gate is off by default and can be set", () => {
  const remedy = `set default to false, without locked, or make it beta${rule("gate-default")}`;
  assert.deepEqual(of(rung("1.34", "Alpha", true)), [`feature gate "New": it is alpha in 1.34 and on: ${remedy}`]);
  assert.deepEqual(of(rung("1.34", "Alpha", false, { locked: true })), [`feature gate "New": it is alpha in 1.34 and locked: ${remedy}`]);
  assert.deepEqual(of(rung("1.34", "Alpha", false), rung("1.35", "Beta", false), rung("1.36", "GA", true, { locked: true })), []);
});

test("rule gate-stages: the stages of a gate follow each other", () => {
  assert.deepEqual(of(rung("1.33", "GA", true), rung("1.34", "Beta", true)), [
    'feature gate "New": it is GA in 1.33 and Beta in 1.34: keep the stage and change the default, or deprecate the gate' +
    rule("gate-stages"),
  ]);
  assert.equal(of(rung("1.33", "Deprecated", false), rung("1.34", "GA", true)).length, 1);
  assert.deepEqual(of(rung("1.32", "Beta", true), rung("1.33", "Beta", false), rung("1.34", "Deprecated", false)), []);
});

test("rule gate-removal: a gate can be set for a period after it has no effect, by its stage before", () => {
  const beta = rung("1.30", "Beta", true);
  const removed = (stages: readonly GateStage[], stage: GateStage["stage"], release: string) =>
    of(...stages, rung("1.33", stage, true, { removed: release }));
  assert.deepEqual(removed([beta], "GA", "1.34"), [
    `feature gate "New": it is GA in 1.33 and removed in 1.34: set removed to "1.35" or later${rule("gate-removal")}`,
  ]);
  assert.deepEqual(removed([beta], "GA", "1.35"), []);
  assert.deepEqual(removed([beta], "Deprecated", "1.34"), []);
  assert.equal(removed([rung("1.30", "GA", true)], "Deprecated", "1.34").length, 1);
  assert.deepEqual(removed([rung("1.30", "GA", true)], "Deprecated", "1.35"), []);
  assert.deepEqual(of(rung("1.30", "Alpha", false, { removed: "1.31" })), []);
  assert.match(
    of(rung("1.30", "Beta", true, { removed: "1.40" })).join(),
    /removed in 1\.40 as a beta gate: make it GA or deprecate it first/,
  );
});
