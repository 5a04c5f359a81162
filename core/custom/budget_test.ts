import assert from "node:assert/strict";
import { test } from "node:test";
import { Budget } from "../budget.ts";
import { celPatternSizeMax, estimatedSize } from "../pattern.ts";
import { fieldErrorText } from "../field-error.ts";
import type { Json } from "../json.ts";
import type { StructuralSchema } from "../structural-schema.ts";
import { listTypeErrors } from "./list-types.ts";
import { areCut } from "./result.ts";
import { validateValue } from "./validate.ts";
import { requestStepsMax } from "../../kernel/pipeline/dispatch.ts";

const refused = new Error("refused");

/** Steps of a validation. */
function stepsOf(run: () => unknown, stepsMax = Infinity): number {
  const budget = new Budget(stepsMax, () => refused);
  budget.run(run);
  return budget.spent;
}
const listOf = (items: StructuralSchema): StructuralSchema => ({ type: "array", items });
const times = <T>(count: number, value: T): readonly T[] => Array.from({ length: count }, () => value);

test("validateValue() looks an enumeration up in a set, and its errors share the list of values", () => {
  const few = listOf({ type: "integer", enum: [1, 2] });
  const many = listOf({ type: "integer", enum: Array.from({ length: 10_000 }, (_, index) => index + 100) });
  const values = times(1_000, 1);
  assert.ok(stepsOf(() => validateValue(values, few)) < 100_000);
  const errors: ReturnType<typeof validateValue>[] = [];
  const steps = stepsOf(() => errors.push(validateValue(values, many)));
  assert.ok(steps > errors[0]!.length * errors[0]![0]!.detail.length / 8, "each error is charged for the list of values in it");
  assert.ok(steps < 1_000_000, "steps do not grow with the enumeration times the values");
  assert.ok(errors[0]!.length < 1_000 && errors[0]!.length > 1, "errors beyond a response are not kept");
  assert.equal(errors[0]![0]!.detail, errors[0]![1]!.detail);
  assert.ok(areCut(errors[0]!));
});

test("validateValue() compares numbers with an enumeration as Go does", () => {
  const errorsOf = (value: Json, allowed: readonly Json[]) => validateValue(value, { enum: allowed }).map(fieldErrorText);
  assert.deepEqual(errorsOf(1.5, [1]), [], "converted to the type of the allowed value");
  assert.deepEqual(errorsOf(1, [1.5]), ['<nil>: Unsupported value: 1: supported values: "1.5"']);
  assert.deepEqual(errorsOf(9007199254740993n, [9007199254740993n]), []);
  assert.deepEqual(errorsOf({ a: [null], b: 1 }, [{ a: [null], b: 1 }]), []);
  assert.deepEqual(errorsOf("1", [1]), ['<nil>: Unsupported value: "1": supported values: "1"']);
});

test("validateValue() charges each alternative, required name, member and pattern of each item", () => {
  const values = times(100, 1), small = stepsOf(() => validateValue(values, listOf({ type: "integer" })));
  const alternatives = listOf({ type: "integer", anyOf: times(200, { minimum: 100 }) });
  assert.ok(stepsOf(() => validateValue(values, alternatives)) > 100 * small);
  const names = Array.from({ length: 1_000 }, (_, index) => `n${index}`);
  const lacking = listOf({ type: "object", required: names }), empty = times(10, {});
  assert.ok(stepsOf(() => validateValue(empty, lacking)) > 10 * 1_000);
  assert.throws(() => stepsOf(() => validateValue(times(100_000, 1), alternatives), 1_000_000), refused);
});

test("validateValue() charges the same number of alternatives for any keyword at least by half, and at most by four times", () => {
  const alternatives: Readonly<Record<string, readonly [Json, StructuralSchema]>> = {
    minimum: [1, { minimum: 100 }],
    multipleOf: [7, { multipleOf: 10 }],
    required: [{}, { required: ["a"] }],
    minProperties: [{ a: 1 }, { minProperties: 3 }],
    maxItems: [[1, 2], { maxItems: 1 }],
    maxLength: ["abc", { maxLength: 1 }],
    pattern: ["abc", { pattern: "^x" }],
    enum: [1, { enum: [5] }],
    not: [1, { not: { minimum: 1 } }],
    hostname: ["a.b.c.d", { format: "hostname" }],
    duration: ["1 1 1 1", { format: "duration" }],
  };
  const charged = (value: Json, schema: StructuralSchema) =>
    stepsOf(() => validateValue(times(10, value), listOf({ anyOf: times(100, schema) })));
  const usual = charged(...alternatives["minimum"]!);
  for (const [keyword, [value, schema]] of Object.entries(alternatives)) {
    const steps = charged(value, schema);
    assert.ok(steps >= usual / 2 && steps <= usual * 4, `${keyword}: ${steps} steps, ${usual} for minimum`);
  }
});

test("validateValue() leaves out errors that repeat one, of few errors and of many", () => {
  const detailsOf = (allOf: readonly StructuralSchema[]) => validateValue(1, { allOf }, { path: "x" }).map(({ detail }) => detail);
  const distinct = (count: number) => Array.from({ length: count }, (_, index) => ({ minimum: index + 2 }));
  for (const count of [1, 3, 4, 5, 20]) {
    const once = detailsOf(distinct(count));
    assert.equal(once.length, count + 1);
    assert.deepEqual(detailsOf([...distinct(count), ...distinct(count)]), once);
  }
});

test("validateValue() counts the code points of a string", () => {
  const fits = (text: string, length: number) => validateValue(text, { type: "string", minLength: length, maxLength: length }).length === 0;
  assert.ok(fits("aé😀", 3));
  assert.ok(fits("\ud83d\ud83d\ude00\ude00", 3), "a half of a pair counts as one");
});

test("validateValue() keeps a pattern within the budget, and charges known states of its automaton by characters", () => {
  const validating = (pattern: string, text: string) => () => validateValue(text, { type: "string", pattern });
  const wide = validating(`^((a?){1000})$`, "a".repeat(500) + "!");
  assert.ok(stepsOf(wide) > 500 * 1_000);
  assert.throws(() => stepsOf(wide, 500_000), refused);
  const name = validating("^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$", "a-name.example.com");
  stepsOf(name);
  assert.ok(stepsOf(name) < 100);
  const large = "(a?){1000}".repeat(101);
  assert.ok(estimatedSize(large) > celPatternSizeMax);
  assert.match(validateValue("a", { type: "string", pattern: large }).map(fieldErrorText).join(), /pattern is invalid: .*too large/);
});

test("listTypeErrors() charges items times keys", () => {
  const keys = Array.from({ length: 500 }, (_, index) => `k${index}`);
  const schema: StructuralSchema = {
    type: "array",
    items: { type: "object" },
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": keys,
  };
  assert.ok(stepsOf(() => listTypeErrors(times(100, {}), schema)) > 100 * 500);
});

test("a large object of a usual schema is far from the bound", () => {
  const container: StructuralSchema = {
    type: "object",
    required: ["name", "image"],
    properties: {
      name: { type: "string", maxLength: 63, pattern: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$" },
      image: { type: "string", minLength: 1 },
      policy: { type: "string", enum: ["Always", "IfNotPresent", "Never"] },
      port: { anyOf: [{ type: "integer" }, { type: "string" }], "x-kubernetes-int-or-string": true },
      args: { type: "array", items: { type: "string" } },
    },
  };
  const item = { name: "a-usual-name", image: "registry.example.com/team/image:v1", policy: "Always", port: 80, args: ["--a=b", "--c=d"] };
  const value = times(16_000, item);
  assert.ok(JSON.stringify(value).length > 1_500_000, "more than the store accepts");
  const steps = stepsOf(() => assert.deepEqual(validateValue(value, listOf(container)), []));
  assert.ok(steps < requestStepsMax / 5, `${steps} steps`);
});
