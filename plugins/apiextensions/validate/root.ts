/** The rules of the schema of a version. */
import { type FieldError, forbidden, invalid } from "../../../plugin.ts";
import type { SchemaProps } from "../schema-props.ts";
import type { Validation } from "../schema.ts";
import { Convertible } from "./convertible.ts";
import { validateDefaults } from "./defaults.ts";
import { Findings } from "./findings.ts";
import { type OpenapiRun, validateOpenapi } from "./openapi.ts";
import { type CompileRules, type RuleOptions, SchemaRules } from "./rules.ts";
import { shownSchema } from "./shown.ts";
import { validateStructural } from "./structural.ts";
import type { RootOptions } from "./options.ts";

/** The compiler of rules; absent until the one of core/cel is here. */
const compileRules: CompileRules | undefined = undefined as CompileRules | undefined;

function ruleOptions(options: RootOptions, compile: CompileRules): RuleOptions {
  const { storedRules, storedMessageExpressions, unchangedSchemas, version } = options;
  return { compile, storedRules, storedMessageExpressions, allowsCostlyExpressions: unchangedSchemas.has(version) };
}

/** Rules of defaults need their programs. */
const noRules = (): readonly FieldError[] => [];

/** `path`: of the field that has `openAPIV3Schema`. */
export function validateValidation(validation: Validation | undefined, path: string, options: RootOptions): readonly FieldError[] {
  const root = validation?.openAPIV3Schema;
  return root === undefined ? [] : validateRoot(root, `${path}.openAPIV3Schema`, options);
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
      errors = validateDefaults(root, path, { requirePruned: options.requirePrunedDefaults, validateRules: noRules });
    }
    findings.addAll(errors);
    if (errors.length === 0 && compileRules !== undefined) rules = new SchemaRules(ruleOptions(options, compileRules));
  }
  const run: OpenapiRun = { options, convertible, findings, ruleFindings, rules };
  validateOpenapi(root, path, run);
  findings.addAll(ruleFindings.list);
  // What prevents the conversion is mostly reported above.
  if (findings.count === 0 && mistake !== undefined) findings.add(invalid(path, "", mistake));
  if (rules !== undefined) findings.addAll(rules.totalCostErrors(path));
  return findings.list;
}

/** The keys that are not allowed in a root schema with the subresource status, and the type, in upstream's order. */
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

/** With the subresource status, the schema of the status must be complete in itself. Returns the first error. */
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
