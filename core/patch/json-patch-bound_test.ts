import assert from "node:assert/strict";
import { test } from "node:test";
import { Budget } from "../budget.ts";
import { NumberText, type Tree, TreeObject } from "../tree/tree.ts";
import { applyJsonPatch, jsonPatchCopiedValuesMax, type Operation } from "./json-patch.ts";
import { JsonPatchFailure } from "./json-patch-failure.ts";
import { inlineStepsMax } from "../../kernel/request-context.ts";

const copy = (from: string, path: string): Operation => ({ op: "copy", from, path, value: undefined });
const listOf = (tree: Tree) => new TreeObject(["l"], [tree]);
const doubling = (count: number) => Array.from({ length: count }, () => copy("/l", "/l/-"));
function spentBy(run: () => unknown, stepsMax = Infinity): number {
  const budget = new Budget(stepsMax, () => new Error("refused"));
  budget.run(run);
  return budget.spent;
}

test("applyJsonPatch() bounds the values that copies add, also while they double", () => {
  // n copies of a list into itself add 2^n - 1 lists.
  const fitting = Math.floor(Math.log2(jsonPatchCopiedValuesMax));
  applyJsonPatch(listOf([]), doubling(fitting));
  const isBound = (error: unknown) => error instanceof JsonPatchFailure && /number of values of copies exceeds the limit/.test(error.why);
  assert.throws(() => applyJsonPatch(listOf([]), doubling(fitting + 1)), isBound);
  assert.throws(
    () => applyJsonPatch(listOf([]), [...doubling(30), { op: "remove", path: "/l", from: undefined, value: undefined }]),
    isBound,
  );
});

test("applyJsonPatch() charges copies by the values that they add, so that a small patch is repeated in the heavy thread", () => {
  assert.ok(spentBy(() => applyJsonPatch(listOf([]), doubling(4))) < 2_000);
  assert.ok(spentBy(() => applyJsonPatch(listOf([]), doubling(14))) > inlineStepsMax);
  assert.throws(() => spentBy(() => applyJsonPatch(listOf([]), doubling(17)), inlineStepsMax), /refused/);
});

test("applyJsonPatch() charges the items that an insertion or removal moves", () => {
  const long = (): Tree => Array.from({ length: 64_000 }, () => new NumberText("1"));
  const insertions = Array.from({ length: 100 }, (): Operation => ({ op: "add", path: "/l/0", from: undefined, value: null }));
  assert.ok(spentBy(() => applyJsonPatch(listOf(long()), insertions)) >= 100_000);
  const removals = Array.from({ length: 100 }, (): Operation => ({ op: "remove", path: "/l/0", from: undefined, value: undefined }));
  assert.ok(spentBy(() => applyJsonPatch(listOf(long()), removals)) >= 99_000);
  assert.ok(spentBy(() => applyJsonPatch(listOf(long()), insertions.map((each) => ({ ...each, path: "/l/-" })))) < 100);
});
