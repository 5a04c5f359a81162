/** Validates each schema as an OpenAPI schema, whether it is structural or not. */
import { type FieldError, forbidden, invalid, notSupported } from "../../../plugin.ts";
import type { SchemaProps } from "../schema-props.ts";
import { isList, isSchema } from "../schema-walk.ts";
import type { Convertible } from "./convertible.ts";
import { Findings } from "./findings.ts";
import { validateListKeys, validateListType, validateMapType } from "./list-types.ts";
import { validateRuleFields } from "./rule-fields.ts";

/** Options of the validation. A rule that the stored definition already violates is not applied. */
export interface OpenapiOptions {
  readonly requireValidTypes: boolean;
  readonly requireAtomicSets: boolean;
  readonly requireMapListKeys: boolean;
}

/** Compiles the rules of one schema, and collects its errors. */
export interface RuleChecker {
  /**
   * Compiles and checks the rules of a schema. `uncorrelated` is the path of the schema above within which `oldSelf` has no value;
   * undefined if it has one.
   */
  check(schema: SchemaProps, path: string, place: RulePlace, uncorrelated: string | undefined): readonly FieldError[];
}
/** A schema, and how it is reached from the root. Expressions get their types from it, and the number of its values follows from it. */
export interface RulePlace {
  readonly schema: SchemaProps;
  readonly parent: RulePlace | undefined;
  readonly step: { readonly property: string } | "items" | "additionalProperties" | "root";
}

export interface OpenapiRun {
  readonly options: OpenapiOptions;
  readonly convertible: Convertible;
  /** The errors of schemas, and those of rules, which come after them. */
  readonly findings: Findings;
  readonly ruleFindings: Findings;
  /** Compiles the rules; undefined if no rule is compiled, because the schema is not structural. */
  readonly rules: RuleChecker | undefined;
}

/** Properties of a schema that follow from the schemas above it. */
interface Place {
  readonly path: string;
  readonly isRoot: boolean;
  /** Whether the schema is inside of metadata, kind or apiVersion of the root or of an embedded resource. */
  readonly insideMeta: boolean;
  /** The reason why defaults are forbidden here; undefined if they are allowed. */
  readonly noDefaults: string | undefined;
  readonly uncorrelated: string | undefined;
  /** The place of the schema for rules; undefined inside of conditions. */
  readonly rules: RulePlace | undefined;
}

/** Collects the errors of a root schema. */
export function validateOpenapi(root: SchemaProps, path: string, run: OpenapiRun): void {
  const rules: RulePlace = { schema: root, parent: undefined, step: "root" };
  validate(root, { path, isRoot: true, insideMeta: false, noDefaults: undefined, uncorrelated: undefined, rules }, run);
}

const metaKeys = ["metadata", "kind", "apiVersion"];

/** The recursion is bounded, because the depth of decoded schemas is (`typedDepthMax`). */
function validate(schema: SchemaProps, place: Place, run: OpenapiRun): void {
  const { findings, options } = run;
  if (findings.full) return;
  const { path } = place;
  const before = findings.count;
  validateKeys(schema, place, run);
  if (schema.uniqueItems === true) {
    findings.add(forbidden(`${path}.uniqueItems`, "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"));
  }
  validateMembers(schema, place, run);
  validateConditions(schema, place, run);
  validateItems(schema, place, run);
  validateDependencies(schema, place, run);
  if (schema["x-kubernetes-preserve-unknown-fields"] === false) {
    findings.add(invalid(`${path}.x-kubernetes-preserve-unknown-fields`, false, "must be true or undefined"));
  }
  findings.addAll(validateMapType(schema, path));
  findings.addAll(validateListType(schema, path, options.requireAtomicSets));
  if (options.requireMapListKeys) findings.addAll(validateListKeys(schema, path));
  const rules = schema["x-kubernetes-validations"];
  if (rules === undefined || rules.length === 0) return;
  findings.addAll(validateRuleFields(rules, schema, path, run.convertible));
  // The rules of a schema are not compiled if the schema, or one below it, has errors.
  if (findings.count === before && place.rules !== undefined && run.rules !== undefined) {
    run.ruleFindings.addAll(run.rules.check(schema, path, place.rules, place.uncorrelated));
  }
}

const types = ["array", "boolean", "integer", "number", "object", "string"];
/** Whether OpenAPI has a type with this name. */
export function isKnownType(type: string): boolean {
  return types.includes(type);
}

/** Checks types, and rejects keys that are not supported. */
function validateKeys(schema: SchemaProps, { path, insideMeta, noDefaults }: Place, { options, findings }: OpenapiRun): void {
  const { type = "" } = schema;
  const unsupported = (key: string) => findings.add(forbidden(`${path}.${key}`, `${key} is not supported`));
  if (options.requireValidTypes && type !== "" && !isKnownType(type)) {
    findings.add({ ...notSupported(`${path}.type`, type, types), quoted: "go" });
  }
  if (schema.default !== undefined && noDefaults !== undefined) findings.add(forbidden(`${path}.default`, `must not be set ${noDefaults}`));
  if ((schema.id ?? "") !== "") unsupported("id");
  if (schema.additionalItems !== undefined) unsupported("additionalItems");
  if (Object.keys(schema.patternProperties ?? {}).length > 0) unsupported("patternProperties");
  if (Object.keys(schema.definitions ?? {}).length > 0) unsupported("definitions");
  if (schema.dependencies !== undefined) unsupported("dependencies");
  if (schema.$ref !== undefined) unsupported("$ref");
  if (type === "null") findings.add(forbidden(`${path}.type`, "type cannot be set to null, use nullable as an alternative"));
  if (isList(schema.items)) findings.add(forbidden(`${path}.items`, "items must be a schema object and not an array"));
  if (insideMeta && schema["x-kubernetes-embedded-resource"] === true) {
    findings.add(forbidden(`${path}.x-kubernetes-embedded-resource`, "must not be used inside of resource meta"));
  }
}

function validateMembers(schema: SchemaProps, place: Place, run: OpenapiRun): void {
  const { path } = place, { properties = {}, additionalProperties } = schema;
  const isMap = additionalProperties !== undefined;
  if (isMap && additionalProperties !== true && Object.keys(properties).length > 0) {
    run.findings.add(forbidden(`${path}.additionalProperties`, "additionalProperties and properties are mutual exclusive"));
  }
  if (isSchema(additionalProperties)) {
    const noDefaults = place.insideMeta ? "inside additionalProperties applying to object metadata" : place.noDefaults;
    const rules = place.rules && { schema: additionalProperties, parent: place.rules, step: "additionalProperties" as const };
    validate(additionalProperties, { ...place, path: `${path}.additionalProperties`, isRoot: false, noDefaults, rules }, run);
  }
  const isResource = place.isRoot || schema["x-kubernetes-embedded-resource"] === true;
  const mapType = schema["x-kubernetes-map-type"] ?? "granular", correlated = mapType === "granular" || mapType === "atomic";
  for (const key in properties) {
    const inner = properties[key]!, isMeta = isResource && metaKeys.includes(key);
    validate(inner, {
      path: `${path}.properties[${key}]`,
      isRoot: false,
      insideMeta: isMeta || place.insideMeta,
      noDefaults: isMeta && place.isRoot ? `in top-level ${key}` : place.noDefaults,
      uncorrelated: correlated ? place.uncorrelated : place.uncorrelated ?? path,
      rules: place.rules && { schema: inner, parent: place.rules, step: { property: key } },
    }, run);
  }
}

function validateConditions(schema: SchemaProps, place: Place, run: OpenapiRun): void {
  const inside = (inner: SchemaProps, at: string) =>
    validate(inner, { ...place, path: `${place.path}.${at}`, isRoot: false, rules: undefined }, run);
  if (schema.not !== undefined) inside(schema.not, "not");
  for (const key of ["allOf", "oneOf", "anyOf"] as const) schema[key]?.forEach((each, i) => inside(each, `${key}[${i}]`));
  for (const key in schema.definitions) inside(schema.definitions[key]!, `definitions[${key}]`);
}

function validateItems({ items, "x-kubernetes-list-type": listType }: SchemaProps, place: Place, run: OpenapiRun): void {
  if (items === undefined || items === null) return;
  const { path } = place;
  const below = { ...place, isRoot: false, uncorrelated: listType === "map" ? place.uncorrelated : place.uncorrelated ?? path };
  const inside = (schema: SchemaProps, at: string) =>
    validate(schema, { ...below, path: at, rules: place.rules && { schema, parent: place.rules, step: "items" } }, run);
  if (isList(items)) items.forEach((each, i) => inside(each, `${path}.items[${i}]`));
  else inside(items, `${path}.items`);
}

function validateDependencies({ dependencies = {} }: SchemaProps, place: Place, run: OpenapiRun): void {
  for (const key in dependencies) {
    const inner = dependencies[key];
    if (isSchema(inner)) validate(inner, { ...place, path: `${place.path}.dependencies[${key}]`, isRoot: false, rules: undefined }, run);
  }
}
