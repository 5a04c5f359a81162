import assert from "node:assert/strict";
import { test } from "node:test";
import { randomOf } from "../random.ts";
import { seedOfRun } from "../derive/test-random.ts";
import { assertCheap } from "../test-cost.ts";
import { type FieldRequirement, matchesFields } from "./field.ts";
import { type LabelOperator, type LabelRequirement, matchesLabels } from "./label.ts";
import { fieldMatcher, labelMatcher } from "./matcher.ts";

const operators: readonly LabelOperator[] = ["in", "notin", "=", "==", "!=", "exists", "!", "gt", "lt"];
const seed = seedOfRun();

test(`labelMatcher() and fieldMatcher() agree with the loops for selectors of any length (seed ${seed})`, () => {
  const random = randomOf(seed), below = (max: number) => Math.floor(random() * max);
  const keys = ["a", "b", "c", "d", "e"], values = ["", "1", "2", "+3", "-4", "x", "9223372036854775808"];
  const some = <T>(list: readonly T[]): T => list[below(list.length)]!;
  let matched = 0;
  for (let round = 0; round < 3_000; round++) {
    const chosen = some([operators, ["notin", "!=", "!"], ["exists", "in", "gt", "lt"]] as const);
    const requirements = Array.from({ length: below(30) }, (): LabelRequirement => {
      const operator = some<LabelOperator>(chosen);
      const given = operator === "exists" || operator === "!"
        ? []
        : operator === "gt" || operator === "lt"
        ? [some(["0", "+2", "-5", "7"])]
        : Array.from({ length: operator.endsWith("in") ? 1 + below(20) : 1 }, () => some(values));
      return { key: some(keys), operator, values: given };
    });
    const labels = Object.fromEntries(keys.filter(() => below(3) > 0).map((key) => [key, some(values)]));
    const expected = matchesLabels(requirements, labels);
    if (expected) matched++;
    assert.equal(labelMatcher(requirements)(labels), expected, JSON.stringify([requirements, labels]));
    assert.equal(labelMatcher(requirements)(undefined), matchesLabels(requirements, undefined));
    const fields = Array.from({ length: below(40) }, (): FieldRequirement => ({
      field: some(["f", "g"]),
      operator: below(20) === 0 ? "=" : "!=",
      value: `${below(60)}`,
    }));
    const valueOf = (field: string) => field === "f" ? "7" : `${round % 60}`;
    assert.equal(fieldMatcher(fields)(valueOf), matchesFields(fields, valueOf), JSON.stringify(fields));
  }
  assert.ok(matched > 100, `${matched} matched`);
});

test("labelMatcher() and fieldMatcher() take time linear in the objects for long selectors", () => {
  const many = Array.from({ length: 100_000 }, (_, at) => `v${at}`);
  const selectors: readonly (readonly LabelRequirement[])[] = [
    many.map((value) => ({ key: "a", operator: "!=", values: [value] })),
    many.map((key) => ({ key, operator: "!", values: [] })),
    [{ key: "a", operator: "in", values: [...many, "x"] }, { key: "b", operator: "notin", values: many }],
    many.map((_, at) => ({ key: "n", operator: "gt", values: [`${-at}`] })),
  ];
  for (const requirements of selectors) {
    const matches = assertCheap("labelMatcher()", () => labelMatcher(requirements));
    const labels = Array.from({ length: 50_000 }, (_, at) => ({ a: "x", b: `w${at}`, n: `${at + 1}` }));
    assert.ok(assertCheap("labels", () => labels.every((each) => matches(each))));
  }
  const matches = fieldMatcher(many.map((value) => ({ field: "metadata.name", operator: "!=", value })));
  assert.ok(assertCheap("fields", () => Array.from({ length: 50_000 }).every((_, at) => matches(() => `n${at}`))));
});
