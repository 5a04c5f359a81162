/** Validates `allOf`, `anyOf`, `oneOf` and `not`. They restrict values, but do not define structure. */
import { forbidden, invalid } from "../../../plugin.ts";
import type { SchemaProps } from "../schema-props.ts";
import { isSchema } from "../schema-walk.ts";
import type { Findings } from "./findings.ts";
import type { Patterns } from "./patterns.ts";

/** Whether `anyOf` describes an integer or a string. Only such an `anyOf` may contain types. */
export function isIntOrStringPattern(anyOf: readonly SchemaProps[] | undefined): boolean {
  return anyOf?.length === 2 && isOnly(anyOf[0]!, "integer") && isOnly(anyOf[1]!, "string");
}
function isOnly(schema: SchemaProps, type: string): boolean {
  return schema.type === type && Object.keys(schema).length === 1;
}

interface Skipped {
  readonly skipsAnyOf: boolean;
  readonly skipsFirstAllOf: boolean;
}
const nothingSkipped: Skipped = { skipsAnyOf: false, skipsFirstAllOf: false };

/** Returns the errors of the conditions of a schema, and of its pattern. */
export function validateJunctors(schema: SchemaProps, path: string, findings: Findings, patterns: Patterns, skipped: Skipped): void {
  const { allOf = [], anyOf = [], oneOf = [], not, pattern = "" } = schema;
  if (!skipped.skipsAnyOf) anyOf.forEach((each, i) => validateNested(each, `${path}.anyOf[${i}]`, findings, patterns, nothingSkipped));
  allOf.forEach((each, i) => {
    const first = { skipsAnyOf: skipped.skipsFirstAllOf && i === 0, skipsFirstAllOf: false };
    validateNested(each, `${path}.allOf[${i}]`, findings, patterns, first);
  });
  oneOf.forEach((each, i) => validateNested(each, `${path}.oneOf[${i}]`, findings, patterns, nothingSkipped));
  if (not !== undefined) validateNested(not, `${path}.not`, findings, patterns, nothingSkipped);
  if (pattern !== "") {
    const wrong = patterns.mistake(pattern);
    if (wrong !== undefined) findings.add(invalid(`${path}.pattern`, pattern, `must be a valid regular expression, but isn't: ${wrong}`));
  }
}

const emptyKeys = ["title", "description"] as const;
const falseExtensions = [
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-embedded-resource",
  "x-kubernetes-int-or-string",
] as const;

/** The recursion is bounded, because the depth of decoded schemas is (`typedDepthMax`). */
function validateNested(schema: SchemaProps, path: string, findings: Findings, patterns: Patterns, skipped: Skipped): void {
  if (findings.full) return;
  const { items, properties = {}, additionalProperties } = schema;
  const forbid = (key: keyof SchemaProps, must: string) => findings.add(forbidden(`${path}.${key}`, `must be ${must} to be structural`));
  validateJunctors(schema, path, findings, patterns, skipped);
  if (isSchema(items)) validateNested(items, `${path}.items`, findings, patterns, nothingSkipped);
  for (const key in properties) validateNested(properties[key]!, `${path}.properties[${key}]`, findings, patterns, nothingSkipped);
  if ((schema.type ?? "") !== "") forbid("type", "empty");
  if (isSchema(additionalProperties) || additionalProperties === true) forbid("additionalProperties", "undefined");
  if ((schema.default ?? null) !== null) forbid("default", "undefined");
  for (const key of emptyKeys) if ((schema[key] ?? "") !== "") forbid(key, "empty");
  if (schema.nullable === true) forbid("nullable", "false");
  for (const key of falseExtensions) if (schema[key] === true) forbid(key, "false");
  if ((schema["x-kubernetes-list-map-keys"] ?? []).length > 0) forbid("x-kubernetes-list-map-keys", "empty");
  for (const key of ["x-kubernetes-list-type", "x-kubernetes-map-type"] as const) if (schema[key] !== undefined) forbid(key, "undefined");
  if ((schema["x-kubernetes-validations"] ?? []).length > 0) forbid("x-kubernetes-validations", "empty");
  if (Object.hasOwn(properties, "metadata")) {
    findings.add(forbidden(`${path}.properties[metadata]`, "must not be specified in a nested context"));
  }
}
