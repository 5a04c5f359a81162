import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldErrorText } from "../../../toolbox.ts";
import type { SchemaProps } from "../schema-props.ts";
import { Convertible } from "./convertible.ts";
import { Findings } from "./findings.ts";
import { type OpenapiRun, validateOpenapi } from "./openapi.ts";
import { optionsOfCreate } from "./options.ts";
import { costWarningsOf, validateValidation } from "./root.ts";
import { type CompiledRule, SchemaRules } from "./rules.ts";

const plain: CompiledRule = { cost: 1, cardinality: 1000, usesOldSelf: false };
const try_ = "(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)";

/** All errors of a schema whose rules are compiled as their texts say: JSON of a `CompiledRule`. */
function errors(root: SchemaProps, allowsCostlyExpressions = false): readonly string[] {
  const rules = new SchemaRules({
    compile: ({ schema }) =>
      schema["x-kubernetes-validations"]![0]!.rule === "none"
        ? "no type"
        : schema["x-kubernetes-validations"]!.map(({ rule }) => ({ ...plain, ...JSON.parse(rule) })),
    storedRules: new Set(),
    storedMessageExpressions: new Set(),
    allowsCostlyExpressions,
  });
  const findings = new Findings(), ruleFindings = new Findings();
  const options = { requireValidTypes: true, requireAtomicSets: true, requireMapListKeys: true };
  const run: OpenapiRun = { options, convertible: new Convertible(), findings, ruleFindings, rules };
  validateOpenapi(root, "root", run);
  return [...findings.list, ...ruleFindings.list, ...rules.totalCostErrors("root")].map(fieldErrorText);
}
const withRules = (schema: SchemaProps, ...rules: Partial<CompiledRule>[]): SchemaProps => ({
  ...schema,
  "x-kubernetes-validations": rules.map((each) => ({ rule: JSON.stringify(each) })),
});
const at = "root.x-kubernetes-validations[0]";
const object: SchemaProps = { type: "object" };

test("errors of the compilation show the rule", () => {
  const [shown] = errors(withRules(object, { error: { type: "Invalid", detail: "compilation failed" } }));
  assert.match(shown!, /^root\.x-kubernetes-validations\[0\]\.rule: Invalid value: \{"Rule":".*","Message":"",.*\}: compilation failed$/);
  assert.deepEqual(errors(withRules(object, { error: { type: "Required", detail: "no" } })), [`${at}.rule: Required value: no`]);
  assert.match(errors(withRules(object, { messageExpressionError: "bad" }))[0]!, /messageExpression: Invalid value: \{.*\}: bad$/);
  assert.deepEqual(errors({ ...object, "x-kubernetes-validations": [{ rule: "none" }] }), [
    "root.x-kubernetes-validations: Internal error: no type",
  ]);
});

test("the cost of an expression is bounded; unchanged schemas keep theirs", () => {
  const costly = withRules(object, { cost: 12_000_000 }, { messageExpressionCost: 2e9 });
  assert.deepEqual(errors(costly).slice(0, 2), [
    `${at}.rule: Forbidden: estimated rule cost exceeds budget by factor of 1.200000x ${try_}`,
    `root.x-kubernetes-validations[1].messageExpression: Forbidden: estimated messageExpression cost exceeds budget by factor of more than 100x ${try_}`,
  ]);
  assert.deepEqual(errors(withRules(object, { cost: 12_000_000 }), true), []);
});

test("a value in lists and maps is counted as often as it can occur", () => {
  const list = (bounds: SchemaProps): SchemaProps => ({
    type: "object",
    properties: { l: { type: "array", ...bounds, items: withRules(object, { cost: 100_000 }) } },
  });
  assert.deepEqual(errors(list({ maxItems: 100 })), []);
  const path = "root.properties[l].items.x-kubernetes-validations[0].rule";
  assert.deepEqual(errors(list({ maxItems: 500 })), [`${path}: Forbidden: estimated rule cost exceeds budget by factor of 5.0x ${try_}`]);
  assert.deepEqual(errors(list({})), [`${path}: Forbidden: estimated rule cost exceeds budget by factor of 10.0x ${try_}`]);
});

test("the cost of all expressions is bounded, and the costliest are named", () => {
  const found = errors(withRules(object, ...Array.from({ length: 20 }, (_, i) => ({ cost: 9_000_000 + i }))));
  const total =
    `root: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of 1.8x ${try_}`;
  assert.equal(found.at(-1), total);
  assert.deepEqual(
    found.slice(0, -1).map((text) => text.split(":")[0]),
    [19, 18, 17, 16].map((i) => `root.x-kubernetes-validations[${i}].rule`),
  );
});

test("oldSelf needs a value before, and optionalOldSelf needs oldSelf", () => {
  const inner = withRules(object, { usesOldSelf: true });
  const rule = JSON.stringify(JSON.stringify({ usesOldSelf: true }));
  assert.deepEqual(errors({ type: "object", properties: { l: { type: "array", maxItems: 1, items: inner } } }), [
    `root.properties[l].items.x-kubernetes-validations[0].rule: Invalid value: ${rule}: ` +
    "oldSelf cannot be used on the uncorrelatable portion of the schema within root.properties[l]",
  ]);
  const keyed: SchemaProps = {
    type: "array",
    maxItems: 1,
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["k"],
    items: { ...inner, properties: { k: { type: "string" } }, required: ["k"] },
  };
  assert.deepEqual(errors({ type: "object", properties: { l: keyed } }), []);
  assert.deepEqual(errors({ ...object, "x-kubernetes-validations": [{ rule: "{}", optionalOldSelf: true }] }), [
    `${at}.optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule`,
  ]);
});

test("rules are not compiled where the schema has errors", () => {
  const wrong = withRules({ type: "object", properties: { a: { type: "text" } } }, { error: { type: "Required", detail: "no" } });
  assert.deepEqual(errors(wrong).map((text) => text.split(":")[0]), ["root.properties[a].type"]);
});

test("a rule that uses more than half of its budget has a warning", () => {
  const text: SchemaProps = {
    type: "string",
    maxLength: 5_000_000,
    "x-kubernetes-validations": [{ rule: "self.startsWith('a') && self.matches('abc')" }],
  };
  const root: SchemaProps = { type: "object", properties: { a: text } };
  const options = { ...optionsOfCreate({ minCompatibility: "1.34" }), statusEnabled: false, version: "v1" };
  assert.deepEqual(
    validateValidation({ openAPIV3Schema: { ...root, properties: { a: { ...text, maxLength: 1_600_000 } } } }, "schema", options),
    [],
  );
  const costly: SchemaProps = { ...root, properties: { a: { ...text, maxLength: 16_000_000 } } };
  assert.deepEqual(validateValidation({ openAPIV3Schema: costly }, "schema", options), []);
  assert.deepEqual(costWarningsOf(costly), [
    "schema.openAPIV3Schema.properties[a].x-kubernetes-validations[0].rule: estimated rule cost 6400004 is 64% of the budget",
  ]);
});
