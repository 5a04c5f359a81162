/** Visits schemas as they are decoded. The functions are iterative, because a definition has up to a hundred thousand nodes. */
import type { SchemaProps } from "./schema-props.ts";
import type { Spec } from "./schema.ts";

/** Yields the schemas directly below a schema, in upstream's order. */
export function* childrenOf(schema: SchemaProps): Generator<SchemaProps> {
  const { items, additionalProperties, additionalItems, dependencies } = schema;
  if (isList(items)) yield* items;
  else if (isSchema(items)) yield items;
  yield* schema.allOf ?? [];
  yield* schema.anyOf ?? [];
  yield* schema.oneOf ?? [];
  if (isSchema(schema.not)) yield schema.not;
  yield* Object.values(schema.properties ?? {});
  if (isSchema(additionalProperties)) yield additionalProperties;
  yield* Object.values(schema.patternProperties ?? {});
  if (isSchema(additionalItems)) yield additionalItems;
  yield* Object.values(schema.definitions ?? {});
  for (const each of Object.values(dependencies ?? {})) if (isSchema(each)) yield each;
}

/** Whether the value of `items` is a list of schemas. */
export function isList(value: SchemaProps | readonly SchemaProps[] | null | undefined): value is readonly SchemaProps[] {
  return Array.isArray(value);
}
/** Whether the value is a schema, and not the other form that the field allows. */
export function isSchema(value: SchemaProps | readonly (string | SchemaProps)[] | boolean | null | undefined): value is SchemaProps {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Yields a schema and all schemas below it, parents first. */
export function* schemasIn(root: SchemaProps): Generator<SchemaProps> {
  const open: Iterator<SchemaProps>[] = [];
  yield root;
  for (let inside: Iterator<SchemaProps> | undefined = childrenOf(root); inside !== undefined;) {
    const next = inside.next();
    if (next.done) {
      inside = open.pop();
      continue;
    }
    yield next.value;
    open.push(inside);
    inside = childrenOf(next.value);
  }
}

/** Whether a schema, or one below it, fulfils the condition. */
export function schemaHas(root: SchemaProps | undefined, is: (schema: SchemaProps) => boolean): boolean {
  if (root === undefined) return false;
  for (const schema of schemasIn(root)) if (is(schema)) return true;
  return false;
}

/** Returns the root schemas of all versions. */
export function rootSchemas({ versions }: Spec): readonly SchemaProps[] {
  return versions.flatMap(({ schema }) => schema?.openAPIV3Schema === undefined ? [] : [schema.openAPIV3Schema]);
}
/** Whether the schema of a version, or one below it, fulfils the condition. */
export function specHas(spec: Spec, is: (schema: SchemaProps) => boolean): boolean {
  return rootSchemas(spec).some((root) => schemaHas(root, is));
}
