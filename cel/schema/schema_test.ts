// In Deno's suite only: plain values.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldErrorText } from "../../core/field-error.ts";
import type { Json } from "../../core/json.ts";
import type { StructuralSchema } from "../../core/structural-schema.ts";
import { CelError } from "../values.ts";
import { storedRules } from "./environments.ts";
import { escapeName, unescapeName } from "./escape.ts";
import { KeyedList } from "./keyed-list.ts";
import { celObjectStepsMax, type RuleOptions, validateRules } from "./validate.ts";
import { rulesOf } from "./validator.ts";
import { schemaValue } from "./values.ts";
import { celObjectCostMax } from "../bounds.ts";

function run(schema: StructuralSchema, value: Json, old?: Json, options?: RuleOptions) {
  const node = rulesOf({ type: "object", properties: { spec: schema } }, true, storedRules);
  assert.ok(node !== undefined);
  const { errors, ...result } = validateRules(node, { spec: value }, old === undefined ? undefined : { spec: old }, options);
  return { ...result, errors: errors.map(fieldErrorText) };
}

test("names of properties are escaped, and read back", () => {
  for (
    const [name, identifier] of [["a-b", "a__dash__b"], ["in", "__in__"], ["a__b", "a__underscores__b"], ["x.y/z", "x__dot__y__slash__z"]]
  ) {
    assert.equal(escapeName(name!), identifier);
    assert.equal(unescapeName(identifier!), name);
  }
  assert.equal(escapeName("1a"), undefined);
  assert.equal(escapeName("a b"), undefined);
  assert.equal(unescapeName("a__other__b"), undefined);
  assert.equal(unescapeName("a__in__"), undefined);
  assert.equal(unescapeName("_a_"), "_a_");
});

test("unescapeName() takes one pass", () => {
  const long = "_".repeat(100_000) + "a";
  assert.equal(unescapeName(long), long);
});

test("rules report their message, path and reason", () => {
  const schema: StructuralSchema = {
    type: "object",
    properties: { a: { type: "integer" }, b: { type: "string" } },
    "x-kubernetes-validations": [
      { rule: "self.a > 1" },
      { rule: "self.a > 2", messageExpression: "'a is ' + string(self.a)", fieldPath: ".a", reason: "FieldValueForbidden" },
      { rule: "self.b == 'x'", message: " b " },
    ],
  };
  assert.deepEqual(run(schema, { a: 1 }).errors, [
    "spec: Invalid value: failed rule: self.a > 1",
    "spec.a: Forbidden: a is 1",
    'spec: Invalid value: "object": no such key: b evaluating rule: b',
  ]);
});

test("sets are compared without order, and added as unions", () => {
  const set: StructuralSchema = { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } };
  const schema: StructuralSchema = {
    type: "object",
    properties: { a: set, b: set },
    "x-kubernetes-validations": [{ rule: "self.a == self.b" }, { rule: "(self.a + self.b).size() == 2" }],
  };
  assert.deepEqual(run(schema, { a: ["x", "y"], b: ["y", "x"] }).errors, []);
});

test("transition rules run for old values; items of keyed lists have the one with their keys", () => {
  const schema: StructuralSchema = {
    type: "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["k"],
    items: {
      type: "object",
      properties: { k: { type: "string" }, v: { type: "integer" } },
      "x-kubernetes-validations": [{ rule: "self.v >= oldSelf.v" }],
    },
  };
  assert.deepEqual(run(schema, [{ k: "a", v: 1 }]).errors, []);
  assert.deepEqual(run(schema, [{ k: "b", v: 1 }, { k: "a", v: 1 }], [{ k: "a", v: 2 }]).errors, [
    "spec[1]: Invalid value: failed rule: self.v >= oldSelf.v",
  ]);
});

test("the error of a value that has not changed is a warning", () => {
  const schema: StructuralSchema = { type: "integer", "x-kubernetes-validations": [{ rule: "self > 5" }] };
  assert.deepEqual(run(schema, 1, 1).errors, []);
  assert.equal(run(schema, 1, 1).warnings.length, 1);
  assert.equal(run(schema, 2, 1).errors.length, 1);
});

test("validation ends when the budget is spent", () => {
  const schema: StructuralSchema = { type: "array", items: { type: "integer", "x-kubernetes-validations": [{ rule: "self > 5" }] } };
  const { errors, isExhausted } = run(schema, [6, 6, 6], undefined, { budget: 4 });
  assert.equal(isExhausted, true);
  assert.match(errors.at(-1)!, /running out of cost budget/);
});

test("all rules of an object share one bound of work", () => {
  // Comparing the lists costs a unit for each element of the outer one, and a step for each of the inner ones.
  const inner = Array.from({ length: 20_000 }, (_, index) => index);
  const rule = { rule: "[0, 1, 2, 3, 4, 5, 6, 7].all(i, self.a == self.b)" };
  const schema: StructuralSchema = {
    type: "object",
    properties: {
      things: {
        type: "array",
        items: {
          type: "object",
          properties: {
            a: { type: "array", items: { type: "array", items: { type: "integer" } } },
            b: { type: "array", items: { type: "array", items: { type: "integer" } } },
          },
          "x-kubernetes-validations": [rule],
        },
      },
    },
  };
  const object = (count: number): Json => ({ things: Array.from({ length: count }, () => ({ a: [inner], b: [[...inner]] })) });
  const found = (count: number) => validateRules(rulesOf(schema, true, storedRules)!, object(count), undefined);
  assert.deepEqual(found(3).errors, []);
  const { errors, isExhausted, cost } = found(celObjectStepsMax / (8 * 20_000) + 1);
  assert.ok(isExhausted && cost < celObjectCostMax, `${cost} units`);
  assert.equal(errors.length, 1);
  assert.match(errors[0]!.detail, /no further validation rules will be run/);
});

test("validation ends when there are more errors than an answer has", () => {
  const schema: StructuralSchema = {
    type: "array",
    items: { type: "integer", "x-kubernetes-validations": [{ rule: "false", message: "m".repeat(1000) }] },
  };
  const { errors, isExhausted } = run(schema, new Array<number>(100_000).fill(1));
  assert.equal(isExhausted, true);
  assert.ok(errors.length < 100_000);
});

test("values that are not of their type are errors, not exceptions", () => {
  for (
    const [value, schema] of [[1, { type: "string" }], ["x", { type: "integer" }], [null, { type: "object" }], [[], {
      type: "array",
    }]] as const
  ) {
    assert.ok(schemaValue(value, schema) instanceof CelError);
  }
});

test("KeyedList looks at each old item once", () => {
  let reads = 0;
  const items = Array.from({ length: 1000 }, (_, index) => ({
    get k() {
      reads++;
      return `k${index}`;
    },
  }));
  const list = new KeyedList({ type: "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"] }, items);
  for (let index = 999; index >= 0; index--) assert.equal(list.find({ k: `k${index}` }), items[index]);
  assert.equal(list.find({ k: "other" }), undefined);
  assert.ok(reads <= 1000, `${reads} reads`);
});
