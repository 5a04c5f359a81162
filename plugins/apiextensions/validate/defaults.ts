/** Validates defaults. A default must be valid, and must have no members that would be pruned. */
import { type FieldError, invalid } from "../../../plugin.ts";
import { append, fieldErrorText, type Json, type StructuralSchema } from "../../../toolbox.ts";
import { embeddedErrors } from "../../../core/custom/embedded.ts";
import { validateValue } from "../../../core/custom/validate.ts";
import { sortedText } from "../../../core/derive/raw-json.ts";
import { plainJson } from "../../../core/tree/plain-json.ts";
import { joinErrors } from "../aggregated.ts";
import { type SchemaProps, structural } from "../schema-props.ts";
import { isSchema, schemasIn } from "../schema-walk.ts";
import { isPruned, metaMistake } from "./default-values.ts";

/** Checks the rules in CEL of a value that has no other errors. */
export type ValidateRules = (schema: SchemaProps, value: Json, path: string) => readonly FieldError[];

interface Run {
  readonly requirePruned: boolean;
  readonly validateRules: ValidateRules;
}

/** Returns the errors of all defaults of a structural schema. */
export function validateDefaults(root: SchemaProps, path: string, run: Run): readonly FieldError[] {
  if (!hasDefaults(root)) return [];
  const errors: FieldError[] = [];
  visit(root, { path, isRoot: true, resource: undefined, steps: [] }, run, errors);
  return errors;
}

function hasDefaults(root: SchemaProps): boolean {
  for (const schema of schemasIn(root)) if (schema.default !== undefined) return true;
  return false;
}

interface Place {
  readonly path: string;
  readonly isRoot?: true;
  /** The resource, if the schema is inside its metadata, kind or apiVersion; undefined elsewhere. */
  readonly resource: SchemaProps | undefined;
  /** The path from that resource: names of members, and null for items of a list. */
  readonly steps: readonly (string | null)[];
}

const metaKeys = ["metadata", "apiVersion", "kind"];

/**
 * The recursion is bounded, because the depth of decoded schemas is (`typedDepthMax`). In metadata, only defaults in additionalProperties
 * are forbidden.
 */
function visit(schema: SchemaProps, place: Place, run: Run, errors: FieldError[]): void {
  const isResource = place.isRoot || schema["x-kubernetes-embedded-resource"] === true;
  const { path } = place, resource = isResource ? undefined : place.resource;
  if (schema.default !== undefined && schema.default !== null) {
    append(errors, resource === undefined ? ownErrors(schema, schema.default, place, run) : metaErrors(schema, schema.default, place, run));
  }
  const { items, properties } = schema;
  if (isSchema(items)) visit(items, { path: `${path}.items`, resource, steps: isResource ? [null] : [...place.steps, null] }, run, errors);
  for (const key in properties) {
    const inner = isResource && metaKeys.includes(key) ? schema : resource;
    const steps = inner === undefined ? [] : isResource ? [key] : [...place.steps, key];
    visit(properties[key]!, { path: `${path}.properties[${key}]`, resource: inner, steps }, run, errors);
  }
}

function ownErrors(
  schema: SchemaProps,
  value: Json,
  { path, isRoot }: Place,
  { requirePruned, validateRules }: Run,
): readonly FieldError[] {
  const at = `${path}.default`;
  const shape = isRoot ? resourceShape(schema) : structural(schema);
  const unpruned = requirePruned && !isPruned(value, shape) ? [invalid(at, sortMembers(value), "must not have unknown fields")] : [];
  return [...unpruned, ...valueErrors(schema, shape, value, at, validateRules)];
}

/** Returns a default as errors show it, with sorted keys. */
function sortMembers(value: Json): Json {
  return plainJson(sortedText(value));
}

function valueErrors(schema: SchemaProps, shape: StructuralSchema, value: Json, at: string, rules: ValidateRules): readonly FieldError[] {
  const mistake = metaMistake(value, shape, at);
  if (mistake !== undefined) return [mistake];
  const embedded = embeddedErrors(value, shape, at);
  return embedded.length > 0 ? embedded : plainErrors(schema, shape, value, at, rules);
}
function plainErrors(schema: SchemaProps, shape: StructuralSchema, value: Json, at: string, rules: ValidateRules): readonly FieldError[] {
  const errors = validateValue(value, shape, { path: at, shownPath: "", isDefault: true }).map((error) =>
    error.path === "<nil>" ? { ...error, path: at } : error
  );
  return errors.length > 0 ? errors : rules(schema, value, at);
}

/** Returns the errors of a default in metadata, kind or apiVersion. It is checked within the resource around it. */
function metaErrors(schema: SchemaProps, value: Json, { path, resource, steps }: Place, { validateRules }: Run): readonly FieldError[] {
  const at = `${path}.default`;
  const around = resourceAround(value, steps);
  const shape = resourceShape(resource!); // the caller has checked that there is a resource
  const mistake = metaMistake(around, shape, "");
  const wrong = mistake === undefined ? embeddedErrors(around, shape, "") : [mistake];
  if (wrong.length > 0) {
    const text = joinErrors(wrong.map((each) => fieldErrorText({ ...each, path: each.path.replace(/^\./, "") })));
    return [invalid(at, sortMembers(value), `must result in valid metadata: ${text}`)];
  }
  return plainErrors(schema, structural(schema), value, at, validateRules);
}

function resourceShape(schema: SchemaProps): StructuralSchema {
  return { ...structural(schema), "x-kubernetes-embedded-resource": true };
}

function resourceAround(value: Json, steps: readonly (string | null)[]): Json {
  let around = value;
  for (const step of steps.toReversed()) around = step === null ? [around] : { [step]: around };
  return { apiVersion: "validation/v1", kind: "Validation", ...around as { readonly [key: string]: Json } }; // the first step is a member, so this is an object
}
