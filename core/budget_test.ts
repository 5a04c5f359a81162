import assert from "node:assert/strict";
import { test } from "node:test";
import { runMetered, runMeteredTogether, spend } from "../cel/value/work.ts";
import { Budget, spendSteps, stepsLeft } from "./budget.ts";

const refused = new Error("refused"), handedOver = new Error("handed over");

test("Budget.run() allows the steps of its bound, and throws above it", () => {
  const budget = new Budget(10, () => refused);
  budget.run(() => spendSteps(10));
  assert.equal(budget.spent, 10);
  assert.throws(() => budget.run(() => spendSteps(1)), refused);
  spendSteps(1_000_000); // outside of a budget
  assert.equal(stepsLeft(), Infinity);
});

test("Budget.run() adds up the steps of several runs, and a share bounds one of them", () => {
  const budget = new Budget(10, () => refused), share = { stepsMax: 4, exceeded: () => handedOver };
  budget.run(() => spendSteps(4), share);
  assert.throws(() => budget.run(() => spendSteps(1), share), handedOver);
  assert.equal(budget.run(stepsLeft), 5);
  assert.equal(budget.run(stepsLeft, share), 0);
  assert.throws(() => budget.run(() => spendSteps(6), { stepsMax: 100, exceeded: () => handedOver }), refused, "no share above the whole");
});

test("Budget.run() restores the budget around it, also after an error", () => {
  const outer = new Budget(10, () => refused), inner = new Budget(1, () => handedOver);
  outer.run(() => {
    assert.throws(() => inner.run(() => spendSteps(2)), handedOver);
    spendSteps(3);
  });
  assert.deepEqual([outer.spent, inner.spent], [3, 2]);
});

test("runMetered() charges the budget in force with the steps of evaluations, and ends them at its bound", () => {
  const budget = new Budget(10, () => refused);
  assert.equal(budget.run(() => runMetered(6, () => (spend(5), "done"))), "done");
  assert.equal(budget.run(() => runMetered(2, () => spend(3))), undefined, "the bound of the evaluation comes first");
  assert.equal(budget.spent, 8);
  let after = 0;
  assert.throws(() =>
    budget.run(() =>
      runMeteredTogether(100, () => {
        for (; after < 9; after++) runMetered(100, () => spend(1));
      })
    ), refused);
  assert.equal(after, 2);
});
