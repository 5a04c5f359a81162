/**
 * The bounds that fields publish (`FieldOptions.publish`) as checks, with the meaning and the errors that the same keywords have in schemas of
 * custom resources. Values that an update does not change are not checked again.
 */
import { type Checks, fieldChecks, type OwnChecks } from "../derive/field-checks.ts";
import type { Field } from "../schema.ts";
import type { StructuralSchema } from "../structural-schema.ts";
import { validateValue } from "./validate.ts";

/** Keywords that bound a value. The others describe it, or say what the type of the field says. */
const keywords: readonly (keyof StructuralSchema)[] = [
  "additionalProperties",
  "allOf",
  "anyOf",
  "enum",
  "exclusiveMaximum",
  "exclusiveMinimum",
  "format",
  "items",
  "maxItems",
  "maxLength",
  "maxProperties",
  "maximum",
  "minItems",
  "minLength",
  "minProperties",
  "minimum",
  "multipleOf",
  "not",
  "oneOf",
  "pattern",
  "properties",
  "required",
];

/**
 * The errors of the published bounds of an object; undefined for a schema without any.
 *
 * @param prior the stored object, at an update
 */
export const boundChecks: Checks = fieldChecks(ownChecks);

function ownChecks({ publish = {} }: Field): OwnChecks | undefined {
  const schema: StructuralSchema = Object.fromEntries(
    keywords.filter((key) => publish[key] !== undefined).map((key) => [key, publish[key]]),
  );
  return Object.keys(schema).length === 0 ? undefined : { present: (value, path) => validateValue(value, schema, { path }) };
}
