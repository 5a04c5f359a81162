/** Validates the schema of a version. */
import { type FieldError, forbidden, invalid } from "../../../plugin.ts";
import { RuleCompiler, type SchemaPlace } from "../../../cel/schema/definition.ts";
import { validateRules } from "../../../cel/schema/validate.ts";
import { rulesOf } from "../../../cel/schema/validator.ts";
import { rulesWithStored } from "../../../cel/schema/environments.ts";
import type { CompiledRule as RuleOfNode } from "../../../cel/schema/rule.ts";
import { type SchemaProps, structural } from "../schema-props.ts";
import type { Validation } from "../schema.ts";
import { Convertible } from "./convertible.ts";
import { validateDefaults, type ValidateRules } from "./defaults.ts";
import { Findings } from "./findings.ts";
import { type OpenapiRun, type RulePlace, validateOpenapi } from "./openapi.ts";
import { type CompiledRule, type CompileRules, type RuleOptions, SchemaRules } from "./rules.ts";
import { shownSchema } from "./shown.ts";
import { validateStructural } from "./structural.ts";
import type { RootOptions } from "./options.ts";
import { celObjectCostMax } from "../../../cel/bounds.ts";

/** Makes the compiler of the rules of one root schema. */
function compilerOf({ storedRules, storedMessageExpressions, minCompatibility }: RootOptions): CompileRules {
  const compiler = new RuleCompiler(rulesWithStored(storedRules, storedMessageExpressions, minCompatibility));
  const places = new Map<RulePlace, SchemaPlace>();
  // Here the schema has already been found to be structural.
  const structuralPlace = (place: RulePlace): SchemaPlace => {
    const known = places.get(place);
    if (known !== undefined) return known;
    const { step } = place, parent = place.parent === undefined ? undefined : structuralPlace(place.parent);
    const made: SchemaPlace = { schema: structural(place.schema), parent, step };
    places.set(place, made);
    return made;
  };
  return (place) => {
    const node = compiler.compile(structuralPlace(place));
    return typeof node === "string" ? node : node.rules.map((rule) => compileRule(rule, node.occurrencesMax));
  };
}

function compileRule(rule: RuleOfNode, occurrencesMax: bigint): CompiledRule {
  const { error, usesOldSelf, messageError } = rule;
  return {
    ...(error === undefined ? {} : { error: { type: "Invalid", detail: error } }),
    cost: Number(rule.costMax),
    cardinality: Number(occurrencesMax),
    usesOldSelf,
    ...(messageError === undefined ? {} : { messageExpressionError: messageError }),
    ...(rule.message === undefined ? {} : { messageExpressionCost: Number(rule.messageCostMax) }),
  };
}

function ruleOptions(options: RootOptions): RuleOptions {
  const { storedRules, storedMessageExpressions, unchangedSchemas, version } = options;
  return { compile: compilerOf(options), storedRules, storedMessageExpressions, allowsCostlyExpressions: unchangedSchemas.has(version) };
}

/** Makes the function that evaluates the rules for defaults. All defaults share one budget. */
function defaultRules(options: RootOptions): ValidateRules {
  const environments = rulesWithStored(options.storedRules, options.storedMessageExpressions, options.minCompatibility);
  let budget: number = celObjectCostMax;
  return (props, value, path) => {
    const schema = structural(props);
    const node = budget < 0 ? undefined : rulesOf(schema, schema["x-kubernetes-embedded-resource"] === true, environments);
    if (node === undefined) return [];
    const unchanged = validateRules(node, value, value, { budget, path, ratchets: false });
    // Rules with an optional old value are also run as for a new object. The higher of the two costs counts.
    const fresh = unchanged.errors.length === 0 ? validateRules(node, value, undefined, { budget, path, ratchets: false }) : unchanged;
    budget = unchanged.isExhausted || fresh.isExhausted ? -1 : budget - Math.max(unchanged.cost, fresh.cost);
    return fresh.errors;
  };
}

/** Validates a schema. `path` is that of the field that contains `openAPIV3Schema`. */
export function validateValidation(validation: Validation | undefined, path: string, options: RootOptions): readonly FieldError[] {
  const root = validation?.openAPIV3Schema;
  return root === undefined ? [] : validateRoot(root, `${path}.openAPIV3Schema`, options);
}

/** The warnings of schemas that were validated. */
const costWarnings = new WeakMap<SchemaProps, readonly string[]>();

/** Returns one warning for each rule of a validated schema that uses more than half of its budget. */
export function costWarningsOf(root: SchemaProps): readonly string[] {
  return costWarnings.get(root) ?? [];
}

function validateRoot(root: SchemaProps, path: string, options: RootOptions): readonly FieldError[] {
  const findings = new Findings(), ruleFindings = new Findings();
  const convertible = new Convertible();
  if (options.statusEnabled) findings.addAll(validateWithStatus(root, path));
  if (root.nullable === true) findings.add(forbidden(`${path}.nullable`, "nullable cannot be true at the root"));
  const mistake = options.requireStructural ? convertible.mistake(root) : undefined;
  let rules: SchemaRules | undefined;
  if (options.requireStructural && mistake === undefined) {
    let errors = validateStructural(root, path, options.patterns);
    if (errors.length === 0) {
      errors = validateDefaults(root, path, { requirePruned: options.requirePrunedDefaults, validateRules: defaultRules(options) });
    }
    findings.addAll(errors);
    if (errors.length === 0) rules = new SchemaRules(ruleOptions(options));
  }
  const run: OpenapiRun = { options, convertible, findings, ruleFindings, rules };
  validateOpenapi(root, path, run);
  findings.addAll(ruleFindings.list);
  // If there are findings, they already say why the conversion fails in most cases.
  if (findings.count === 0 && mistake !== undefined) findings.add(invalid(path, "", mistake));
  if (rules !== undefined) {
    findings.addAll(rules.totalCostErrors(path));
    costWarnings.set(root, rules.warnings);
  }
  return findings.list;
}

/** The keys that a root schema must not have if there is a subresource status, and the type, in upstream's order. */
const restrictedKeys: readonly (keyof SchemaProps)[] = [
  "id",
  "$schema",
  "$ref",
  "type",
  "nullable",
  "default",
  "enum",
  "maxProperties",
  "minProperties",
  "allOf",
  "oneOf",
  "anyOf",
  "not",
  "additionalProperties",
  "patternProperties",
  "dependencies",
  "additionalItems",
  "definitions",
  "x-kubernetes-embedded-resource",
  "x-kubernetes-int-or-string",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-list-type",
  "x-kubernetes-map-type",
];
const allowedWithStatus =
  "Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems " +
  "MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations";

/** If there is a subresource status, the schema of the status must be complete in itself. Returns the first error. */
function validateWithStatus(root: SchemaProps, path: string): readonly FieldError[] {
  for (const key of restrictedKeys) {
    if (root[key] === undefined) continue;
    if (key !== "type") {
      const rule = `only [${allowedWithStatus}] fields are allowed at the root of the schema if the status subresource is enabled`;
      return [invalid(path, shownSchema(root), rule)];
    }
    if (root.type !== "object") {
      const rule = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
      return [invalid(`${path}.type`, root.type, rule)];
    }
  }
  return [];
}
