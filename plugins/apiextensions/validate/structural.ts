/** Checks that schemas are structural. */
import { type FieldError, forbidden, invalid, required } from "../../../plugin.ts";
import { fieldErrorText } from "../../../toolbox.ts";
import { compareBytes } from "../../../core/tree/sorted-keys.ts";
import type { SchemaProps } from "../schema-props.ts";
import { isSchema } from "../schema-walk.ts";
import { validateCompleteness } from "./completeness.ts";
import { Findings } from "./findings.ts";
import { isIntOrStringPattern, validateJunctors } from "./junctors.ts";
import type { Patterns } from "./patterns.ts";

type Level = "root" | "item" | "field";

/** Returns the errors of a schema that is not structural, sorted as upstream sorts them. The schema must be convertible. */
export function validateStructural(root: SchemaProps, path: string, patterns: Patterns): readonly FieldError[] {
  const findings = new Findings();
  validateInvariants(root, "root", path, findings, patterns);
  validateCompleteness(root, path, findings);
  return findings.list.map((error) => ({ error, text: fieldErrorText(error) }))
    .sort((a, b) => compareBytes(a.text, b.text))
    .map(({ error }) => error);
}

/** The recursion is bounded, because the depth of decoded schemas is (`typedDepthMax`). */
function validateInvariants(schema: SchemaProps, level: Level, path: string, findings: Findings, patterns: Patterns): void {
  if (findings.full) return;
  const { items, properties = {}, additionalProperties } = schema;
  if (schema.type === "array" && !isSchema(items)) findings.add(required(`${path}.items`, "must be specified"));
  if (isSchema(items)) validateInvariants(items, "item", `${path}.items`, findings, patterns);
  for (const key in properties) validateInvariants(properties[key]!, "field", `${path}.properties[${key}]`, findings, patterns);
  if (additionalProperties !== undefined) {
    if (level === "root") findings.add(forbidden(`${path}.additionalProperties`, "must not be used at the root"));
    if (isSchema(additionalProperties)) {
      validateInvariants(additionalProperties, "field", `${path}.additionalProperties`, findings, patterns);
    }
  }
  validateExtensions(schema, path, findings);
  validateJunctors(schema, path, findings, patterns, {
    skipsAnyOf: isIntOrStringPattern(schema.anyOf),
    skipsFirstAllOf: isIntOrStringPattern(schema.allOf?.[0]?.anyOf),
  });
  validateType(schema, level, path, findings);
  validateMeta(schema, level, path, findings);
}

function validateExtensions(schema: SchemaProps, path: string, findings: Findings): void {
  if (schema["x-kubernetes-int-or-string"] !== true) return;
  for (const key of ["x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"] as const) {
    if (schema[key] === true) findings.add(invalid(`${path}.${key}`, true, "must be false if x-kubernetes-int-or-string is true"));
  }
}

const emptyType: Readonly<Record<Level, string>> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
};

function validateType(schema: SchemaProps, level: Level, path: string, findings: Findings): void {
  const { type = "" } = schema;
  const at = `${path}.type`;
  const keeps = schema["x-kubernetes-preserve-unknown-fields"] === true;
  if (schema["x-kubernetes-embedded-resource"] === true && type !== "object") {
    const rule = "must be object if x-kubernetes-embedded-resource is true";
    findings.add(type === "" ? required(at, rule) : invalid(at, type, rule));
  } else if (type === "" && schema["x-kubernetes-int-or-string"] !== true && !keeps) findings.add(required(at, emptyType[level]));
  if (schema["x-kubernetes-embedded-resource"] === true && schema.additionalProperties !== undefined) {
    findings.add(forbidden(`${path}.additionalProperties`, "must not be used if x-kubernetes-embedded-resource is set"));
  }
  if (level === "root" && type !== "" && type !== "object") findings.add(invalid(at, type, "must be object at the root"));
}

/** Validates kind, apiVersion and metadata, of the root and of embedded resources. */
function validateMeta(schema: SchemaProps, level: Level, path: string, findings: Findings): void {
  const embedded = schema["x-kubernetes-embedded-resource"] === true;
  const checked = level === "root" || embedded;
  for (const key of ["kind", "apiVersion"]) {
    const own = member(schema, key);
    if (checked && own !== undefined && own.type !== "string") {
      findings.add(invalid(`${path}.properties[${key}].type`, own.type ?? "", "must be string"));
    }
  }
  const metadata = member(schema, "metadata"), at = `${path}.properties[metadata]`;
  if (checked && metadata !== undefined && metadata.type !== "object") {
    findings.add(invalid(`${at}.type`, metadata.type ?? "", "must be object"));
  }
  if (level === "root" && metadata !== undefined && restrictsMore(metadata)) {
    findings.add(forbidden(at, "must not specify anything other than name and generateName, but metadata is implicitly specified"));
  }
  if (embedded && schema["x-kubernetes-preserve-unknown-fields"] !== true && Object.keys(schema.properties ?? {}).length === 0) {
    findings.add(
      required(
        `${path}.properties`,
        "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
      ),
    );
  }
}

function member({ properties }: SchemaProps, key: string): SchemaProps | undefined {
  return properties !== undefined && Object.hasOwn(properties, key) ? properties[key] : undefined;
}

/** Whether a schema of metadata has more than a type, a default, name and generateName. */
function restrictsMore({ type: _type, default: _default, properties = {}, ...others }: SchemaProps): boolean {
  return Object.keys(others).length > 0 || Object.keys(properties).some((key) => key !== "name" && key !== "generateName");
}
