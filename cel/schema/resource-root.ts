/** Schemas of resources: their root always has apiVersion, kind, metadata.name and metadata.generateName. */
import type { StructuralSchema } from "../../core/structural-schema.ts";

const text: StructuralSchema = Object.freeze({ type: "string" });
const metadata: StructuralSchema = Object.freeze({ type: "object", properties: { name: text, generateName: text } });

const known = new WeakMap<StructuralSchema, StructuralSchema>();

/** Returns the schema with the properties of a resource, if it does not declare them all. Its items are dropped then, as upstream does. */
export function asResource(schema: StructuralSchema): StructuralSchema {
  const made = known.get(schema);
  if (made !== undefined) return made;
  const result = isComplete(schema) ? schema : completeSchema(schema);
  known.set(schema, result);
  return result;
}

function isComplete({ properties }: StructuralSchema): boolean {
  const inner = properties?.["metadata"]?.properties;
  return properties?.["kind"]?.type === "string" && properties["apiVersion"]?.type === "string" &&
    properties["metadata"]?.type === "object" && inner?.["name"]?.type === "string" && inner["generateName"]?.type === "string";
}

function completeSchema({ items: _, ...schema }: StructuralSchema): StructuralSchema {
  return { ...schema, properties: { ...schema.properties, kind: text, apiVersion: text, metadata } };
}

/** Whether the schema declares properties. */
export function hasProperties({ properties }: StructuralSchema): boolean {
  if (properties === undefined) return false;
  for (const _ in properties) return true;
  return false;
}
