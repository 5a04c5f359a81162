/** Finds schemas that cannot be converted to structural schemas. */
import type { SchemaProps } from "../schema-props.ts";
import { isList, isSchema } from "../schema-walk.ts";

/** Keeps the results of schemas with rules, because the rules of their parents need them again. */
export class Convertible {
  readonly #known = new Map<SchemaProps, string | undefined>();

  /** Returns upstream's error of the conversion to a structural schema. The conversion stops at the first error. */
  mistake(schema: SchemaProps): string | undefined {
    if (schema["x-kubernetes-validations"] === undefined) return this.#find(schema);
    if (!this.#known.has(schema)) this.#known.set(schema, this.#find(schema));
    return this.#known.get(schema);
  }

  /** The recursion is bounded, because the depth of decoded schemas is (`typedDepthMax`). */
  #find(schema: SchemaProps): string | undefined {
    const { not, items, properties, additionalProperties } = schema;
    const own = ownMistake(schema) ?? (not === undefined ? undefined : this.mistake(not)) ?? this.#findIn(schema.allOf) ??
      this.#findIn(schema.anyOf) ?? this.#findIn(schema.oneOf) ?? laterMistake(schema);
    if (own !== undefined) return own;
    let found = isSchema(items) ? this.mistake(items) : undefined;
    for (const key in properties) found ??= this.mistake(properties[key]!);
    return found ?? (isSchema(additionalProperties) ? this.mistake(additionalProperties) : undefined);
  }
  #findIn(schemas: readonly SchemaProps[] | undefined): string | undefined {
    if (schemas === undefined) return undefined;
    for (const schema of schemas) {
      const found = this.mistake(schema);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

/** Returns the mistake of the schema itself. In decoded schemas, empty texts and records are absent, except `dependencies`. */
function ownMistake(schema: SchemaProps): string | undefined {
  if (schema.id !== undefined) return unsupportedText("id");
  if (schema.$schema !== undefined) return unsupportedText("schema");
  if (schema.$ref !== undefined && schema.$ref !== "") return unsupportedText("$ref");
  if (schema.patternProperties !== undefined) return unsupportedText("patternProperties");
  if (schema.dependencies !== undefined && Object.keys(schema.dependencies).length > 0) return unsupportedText("dependencies");
  if (schema.additionalItems !== undefined) return unsupportedText("additionalItems");
  return schema.definitions === undefined ? undefined : unsupportedText("definitions");
}
function unsupportedText(key: string): string {
  return `OpenAPIV3Schema '${key}' is not supported`;
}
function laterMistake(schema: SchemaProps): string | undefined {
  if (schema["x-kubernetes-preserve-unknown-fields"] === false) {
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  }
  return isList(schema.items) ? "OpenAPIV3Schema 'items' must be a schema, but is an array" : undefined;
}
