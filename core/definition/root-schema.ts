/** The schema of a kind, made of the schema in its definition. */
import type { Json } from "../json.ts";
import type { StructuralSchema } from "../structural-schema.ts";
import { withDefaults } from "../structural/defaults.ts";
import type { ApiObject } from "../meta/object-meta.ts";
import { type Field, field, type StructNode, structural, type Typed } from "../schema.ts";
import { object } from "../meta/object.ts";
import type { Version } from "./definition.ts";

/** Members of every object, which have schemas of their own. */
export const typeMembers: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/** Returns the schema of a version. One without a schema keeps everything. */
export function schemaOfVersion({ schema }: Version): StructuralSchema {
  // The definition has been validated: its schema is structural.
  return (schema?.openAPIV3Schema ?? { type: "object", "x-kubernetes-preserve-unknown-fields": true }) as StructuralSchema;
}

/**
 * Returns the schema node of a kind: metadata as for every kind, then the members of the schema by name.
 *
 * @param keywords published beside those of the schema
 */
export function rootSchema(
  kind: string,
  schema: StructuralSchema,
  keywords: Readonly<Record<string, Json>> = {},
): Typed<ApiObject, StructNode> {
  const own = Object.entries(schema.properties ?? {}).filter(([key]) => !typeMembers.has(key)).toSorted(([a], [b]) => a < b ? -1 : 1);
  const fields = Object.fromEntries(
    own.map(([key, inner]): [string, Field] => [key, field(0, structural(inner), "", { pointer: true }) as Field]),
  );
  const contents: StructuralSchema = { ...schema, properties: Object.fromEntries(own) };
  const node = object(kind, fields, {
    doc: schema.description ?? "",
    // Metadata has no defaults of the definition.
    applyDefaults: (self) => withDefaults(self, contents),
  });
  const rest = restOf(schema);
  return Object.freeze({
    ...node,
    whole: schema,
    custom: { keywords },
    ...(rest === undefined ? {} : { rest: structural(rest) }),
  }) as Typed<
    ApiObject,
    StructNode
  >;
}

/** Returns the schema of members that the schema does not name; undefined if they are pruned. */
function restOf({ additionalProperties, ...schema }: StructuralSchema): StructuralSchema | undefined {
  // A null without a schema stays.
  if (schema["x-kubernetes-preserve-unknown-fields"] === true) return { "x-kubernetes-preserve-unknown-fields": true, nullable: true };
  return additionalProperties === undefined || additionalProperties === false
    ? undefined
    : additionalProperties === true
    ? {}
    : additionalProperties;
}
