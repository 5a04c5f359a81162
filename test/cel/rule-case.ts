/** Runs one recorded rule: the definition that contains it, and an object that it validates. */
import { cardinality, product, RuleCompiler, type SchemaPlace } from "../../cel/schema/definition.ts";
import { serverReleases } from "../../core/releases.ts";
import { rulesWithStored, storedRules } from "../../cel/schema/environments.ts";
import { rulesOf } from "../../cel/schema/validator.ts";
import { type RuleResult, validateRules } from "../../cel/schema/validate.ts";
import { type FieldError, fieldErrorBody, fieldErrorReason } from "../../core/field-error.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { withDefaults } from "../../core/structural/defaults.ts";
import { pruneValue } from "../../core/structural/prune.ts";
import { otherMembers, type StructuralSchema } from "../../core/structural-schema.ts";
import { optionsOfCreate } from "../../plugins/apiextensions/validate/options.ts";
import { Patterns } from "../../plugins/apiextensions/validate/patterns.ts";
import { validateStructural } from "../../plugins/apiextensions/validate/structural.ts";
import { validateValidation } from "../../plugins/apiextensions/validate/root.ts";
import type { SchemaProps } from "../../plugins/apiextensions/schema-props.ts";
import type { Expected, RuleCase } from "./cases.ts";

const rootPath = "spec.validation";
const ruleCostMax = 10_000_000n;

/** The result of this implementation for a case, in the form of `expect`. */
export function runRuleCase(given: RuleCase): Expected {
  const { schema, object, expect } = given;
  return {
    ...definitionOf(schema),
    ...(object === undefined || expect["errors"] === undefined ? {} : validationOf(given, object)),
  };
}

function definitionOf(schema: StructuralSchema): Expected {
  const errors = validateValidation({ openAPIV3Schema: schema as SchemaProps }, rootPath, {
    ...optionsOfCreate(serverReleases),
    statusEnabled: false,
    version: "",
  });
  const isStructural = validateStructural(schema as SchemaProps, rootPath, new Patterns()).length === 0;
  const { rules, total } = isStructural ? reportsOf(schema) : { rules: [], total: 0n };
  return {
    ...(errors.length === 0 ? {} : { crdErrors: errors.map(causeOf).sort(byText) }),
    rules,
    crdCost: shown(total),
  };
}

const causeOf = (error: FieldError): JsonObject => ({
  reason: fieldErrorReason(error),
  field: error.path,
  message: fieldErrorBody(error),
});
export const byText = (a: Json, b: Json): number => {
  const left = JSON.stringify(a), right = JSON.stringify(b);
  return left < right ? -1 : left > right ? 1 : 0;
};

/** Costs beyond 2^53-1 are recorded as text. */
function shown(cost: bigint): Json {
  return cost > BigInt(Number.MAX_SAFE_INTEGER) ? String(cost) : Number(cost);
}

function reportsOf(root: StructuralSchema): { readonly rules: readonly Json[]; readonly total: bigint } {
  const compiler = new RuleCompiler(rulesWithStored(new Set(), new Set(), serverReleases.minCompatibility));
  const rules: Json[] = [];
  let total = 0n;
  const add = (cost: bigint) => {
    total = total + cost > 2n ** 64n - 1n ? 2n ** 64n - 1n : total + cost;
  };
  for (const { place, path } of placesOf({ schema: root, parent: undefined, step: "root" }, `${rootPath}.openAPIV3Schema`)) {
    if ((place.schema["x-kubernetes-validations"] ?? []).length === 0) continue;
    const node = compiler.compile(place);
    if (typeof node === "string") {
      rules.push({ at: path, typeInfoError: node.replace(/^internal error: failed to construct .* rules: /, "") });
      continue;
    }
    const times = cardinality(place) ?? node.occurrencesMax;
    for (const [index, rule] of node.rules.entries()) {
      const cost = product(rule.costMax, times);
      add(cost);
      add(rule.messageCostMax);
      rules.push({
        at: path,
        index,
        ...(rule.error !== undefined ? { compileError: anonymous(rule.error) } : {
          estimatedCost: shown(rule.costMax),
          timesUpTo: shown(times),
          totalCost: shown(cost),
          overLimit: cost > ruleCostMax,
          usesOldSelf: rule.usesOldSelf,
        }),
        ...(rule.messageError === undefined ? {} : { messageCompileError: anonymous(rule.messageError) }),
        ...(rule.message === undefined ? {} : { messageEstimatedCost: shown(rule.messageCostMax) }),
        ...(rule.fieldPath === "" ? {} : { fieldPath: rule.fieldPath }),
      });
    }
  }
  return { rules: rules.sort(byText), total };
}

function* placesOf(place: SchemaPlace, path: string): Iterable<{ readonly place: SchemaPlace; readonly path: string }> {
  yield { place, path };
  const { properties = {}, items } = place.schema, others = otherMembers(place.schema);
  for (const [property, schema] of Object.entries(properties)) {
    yield* placesOf({ schema, parent: place, step: { property } }, `${path}.properties[${property}]`);
  }
  if (others !== undefined) {
    yield* placesOf({ schema: others, parent: place, step: "additionalProperties" }, `${path}.additionalProperties`);
  }
  if (items !== undefined) yield* placesOf({ schema: items, parent: place, step: "items" }, `${path}.items`);
}

/** The name of the type of `self` is new for each compilation. */
export function anonymous(text: string): string {
  return text.replace(/selfType[0-9]+/g, "selfType#");
}

function validationOf({ schema, oldObject }: RuleCase, object: Json): Expected {
  const node = rulesOf(schema, true, storedRules);
  const now = prepared(object, schema), old = oldObject === undefined ? undefined : prepared(oldObject, schema);
  const nothing: RuleResult = { errors: [], warnings: [], cost: 0, isExhausted: false };
  const result = node === undefined ? nothing : validateRules(node, now, old);
  const before = node === undefined || old === undefined ? nothing : validateRules(node, old, undefined);
  return {
    errors: result.errors.map((error) => ({ ...causeOf(error), detail: error.detail })),
    cost: result.isExhausted ? "exhausted" : result.cost,
    ...(old === undefined ? {} : { oldAccepted: before.errors.length === 0 }),
    ...(result.warnings.length === 0 ? {} : { ratcheted: result.warnings }),
  };
}

const identity: JsonObject = {
  apiVersion: "vectors.example.com/v1",
  kind: "Thing",
  metadata: { name: "thing", namespace: "default" },
};

/** The object as it is stored: pruned, with defaults. */
function prepared(object: Json, schema: StructuralSchema): Json {
  const complete = { ...identity, ...(object as JsonObject) };
  const root = { ...schema, "x-kubernetes-embedded-resource": true };
  return withDefaults(pruneValue(complete, root, { metadata: (metadata) => metadata }), schema);
}
