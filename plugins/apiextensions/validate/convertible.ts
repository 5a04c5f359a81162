/** What cannot be a structural schema at all. */
import type { SchemaProps } from "../schema-props.ts";
import { childrenOf, isList } from "../schema-walk.ts";

/** Remembers the answers for the schemas of one definition, because each is asked about for each rule above it. */
export class Convertible {
  readonly #known = new Map<SchemaProps, string | undefined>();

  /** Upstream's error of the conversion to a structural schema, which stops at the first. */
  mistake(schema: SchemaProps): string | undefined {
    if (this.#known.has(schema)) return this.#known.get(schema);
    const found = ownMistake(schema) ?? this.#mistakeIn([...schema.not === undefined ? [] : [schema.not], ...schema.allOf ?? []]) ??
      this.#mistakeIn([...schema.anyOf ?? [], ...schema.oneOf ?? []]) ?? laterMistake(schema) ??
      this.#mistakeIn(structuralChildren(schema));
    this.#known.set(schema, found);
    return found;
  }
  #mistakeIn(schemas: Iterable<SchemaProps>): string | undefined {
    for (const schema of schemas) {
      const found = this.mistake(schema);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

/** The schemas of items, members and other members. */
function structuralChildren({ items, properties, additionalProperties }: SchemaProps): Iterable<SchemaProps> {
  const only: SchemaProps = {
    ...(items === undefined ? {} : { items }),
    ...(properties === undefined ? {} : { properties }),
    ...(additionalProperties === undefined ? {} : { additionalProperties }),
  };
  return childrenOf(only);
}

function ownMistake(schema: SchemaProps): string | undefined {
  const unsupported = [
    (schema.id ?? "") !== "" && "id",
    (schema.$schema ?? "") !== "" && "schema",
    (schema.$ref ?? "") !== "" && "$ref",
    hasMembers(schema.patternProperties) && "patternProperties",
    hasMembers(schema.dependencies) && "dependencies",
    schema.additionalItems !== undefined && "additionalItems",
    hasMembers(schema.definitions) && "definitions",
  ].find((each) => each !== false);
  return unsupported === undefined ? undefined : `OpenAPIV3Schema '${unsupported}' is not supported`;
}
function laterMistake(schema: SchemaProps): string | undefined {
  if (schema["x-kubernetes-preserve-unknown-fields"] === false) {
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  }
  return isList(schema.items) ? "OpenAPIV3Schema 'items' must be a schema, but is an array" : undefined;
}
function hasMembers(record: object | undefined): boolean {
  return record !== undefined && Object.keys(record).length > 0;
}
