import assert from "node:assert/strict";
import { test } from "node:test";
import { validateTopologies } from "./validate-node-selector.ts";

const term = (values: Readonly<Record<string, readonly string[]>>) => ({
  matchLabelExpressions: Object.entries(values).map(([key, each]) => ({ key, values: [...each] })),
});
const duplicates = (terms: Parameters<typeof validateTopologies>[0]) =>
  validateTopologies(terms, "t").map(({ path }) => path).filter((path) => path.endsWith("matchLabelExpressions"));

test("validateTopologies() reports equal terms in any order, once for each equal term before", () => {
  const one = term({ a: ["1", "2"], b: ["3"] }), same = term({ b: ["3"], a: ["2", "1"] });
  assert.deepEqual(duplicates([one, term({ a: ["1"], b: ["3"] }), same, one]), [
    "t[2].matchLabelExpressions",
    "t[3].matchLabelExpressions",
    "t[3].matchLabelExpressions",
  ]);
  assert.deepEqual(duplicates([term({ "a,b": ["1"] }), term({ a: ["b,1"] })]), []);
  // As upstream, a term without requirements gives one error per term.
  assert.deepEqual(duplicates([term({}), one]), ["t[0].matchLabelExpressions", "t[0].matchLabelExpressions"]);
});

test("validateTopologies() is linear in the number of terms, and its errors are bounded", { timeout: 60_000 }, () => {
  let reads = 0;
  const counted = (index: number) => ({
    get matchLabelExpressions() {
      reads++;
      return [{ key: "a", values: [String(index)] }];
    },
  });
  const count = 30_000;
  assert.deepEqual(validateTopologies(Array.from({ length: count }, (_, index) => counted(index)), "t"), []);
  assert.ok(reads <= 4 * count);
  // 900 million duplicates.
  assert.ok(validateTopologies(Array.from({ length: count }, () => term({})), "t").length < 1_000_000);
});
