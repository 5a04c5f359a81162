// Library functions return, cost and are estimated as upstream's, for recorded calls.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { environment } from "../../cel/environment.ts";
import { CelError } from "../../cel/values.ts";
import { evaluateTree, tagged, type Tree } from "./call-trees.ts";

interface Case {
  readonly group: string;
  readonly call: Tree;
  readonly value?: unknown;
  readonly error?: string;
  readonly cost: number;
  /** Least and most units. */
  readonly estimate: readonly [string, string];
}

const { cases } = JSON.parse(readFileSync(new URL("cel-calls.json", import.meta.url), "utf8")) as { cases: readonly Case[] };
const known = environment({ version: 34 });

/** Doubles in upstream's notation as numbers. */
function comparable(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (key, each) => key === "double" ? String(Number(each)) : each);
}
function comparableOwn(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, each) => key === "double" ? String(each) : each));
}
/** Doubles that are no literals are calls in expressions, with a cost of their own. */
function hasSpecialDouble(tree: Tree): boolean {
  return /"double":"(?:NaN|-?Infinity)"/.test(JSON.stringify(tree));
}

for (const group of new Set(cases.map((each) => each.group))) {
  test(`recorded calls: ${group}`, () => {
    for (const { call, value, error, cost, estimate } of cases.filter((each) => each.group === group)) {
      const text = JSON.stringify(call);
      const own = evaluateTree(call, known);
      if (error !== undefined) assert.equal(own.value instanceof CelError ? own.value.message : undefined, error, text);
      else assert.deepEqual(comparableOwn(tagged(own.value)), comparable(value), text);
      if (group !== "format" || !hasSpecialDouble(call)) {
        assert.equal(own.cost, cost, text);
        assert.deepEqual([String(own.estimate.min), String(own.estimate.max)], estimate, text);
      }
    }
  });
}
