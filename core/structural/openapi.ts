/**
 * Schemas of custom resources as OpenAPI documents publish them. Version 2 has no alternatives and no null; where kubectl cannot read a
 * schema that keeps unknown members, its type is left out (upstream: apiextensions-apiserver `controller/openapi`).
 */
import type { Json } from "../json.ts";
import { otherMembers, type StructuralSchema } from "../structural-schema.ts";

export type Published = { readonly [key: string]: Json };

export interface PublishOptions {
  readonly version: "v2" | "v3";
  /** Properties of embedded resources: apiVersion, kind and metadata. */
  readonly embedded: Readonly<Record<string, Published>>;
}

/** Returns the published form of a schema. */
export function publish(schema: StructuralSchema, options: PublishOptions): Published {
  return options.version === "v2" ? publishedV2(schema, options) : publishedV3(schema, options);
}

/** Keywords whose values contain schemas. */
const containers: ReadonlySet<string> = new Set(["properties", "additionalProperties", "items", "allOf", "anyOf", "oneOf", "not"]);

function plainKeywords(schema: StructuralSchema): Record<string, Json> {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !containers.has(key))) as Record<string, Json>; // JSON of a definition
}

function publishedV3(schema: StructuralSchema, options: PublishOptions): Published {
  const result = plainKeywords(schema);
  if (schema["x-kubernetes-int-or-string"] === true) delete result["type"];
  const { properties, additionalProperties, items, not } = schema;
  if (properties !== undefined || isEmbedded(schema)) result["properties"] = publishedMembers(schema, options);
  if (additionalProperties !== undefined) {
    result["additionalProperties"] = typeof additionalProperties === "boolean"
      ? additionalProperties
      : publishedV3(additionalProperties, options);
  }
  if (items !== undefined) result["items"] = publishedV3(items, options);
  for (const key of ["allOf", "anyOf", "oneOf"] as const) {
    if (schema[key] !== undefined) result[key] = schema[key].map((each) => publishedV3(each, options));
  }
  if (not !== undefined) result["not"] = publishedV3(not, options);
  if (schema["x-kubernetes-int-or-string"] === true && !hasAlternatives(schema)) {
    if (schema.anyOf === undefined) result["anyOf"] = intOrString;
    else result["allOf"] = [{ anyOf: intOrString }, ...(result["allOf"] as readonly Published[] | undefined ?? [])];
  }
  if (isEmbedded(schema)) result["required"] = embeddedRequired(schema.required);
  return sortMembers(result);
}

function publishedV2(schema: StructuralSchema, options: PublishOptions): Published {
  const result = plainKeywords(schema);
  for (const key of ["nullable", "default"]) delete result[key];
  const keepsUnknown = schema["x-kubernetes-preserve-unknown-fields"] === true, isUntyped = schema.nullable === true || keepsUnknown;
  const { properties = {}, additionalProperties, items } = schema;
  if (isUntyped && (schema.nullable === true || schema.type === "object" || schema.type === "array")) delete result["type"];
  if (schema["x-kubernetes-int-or-string"] === true) delete result["type"];
  if (!isUntyped) {
    if (schema.properties !== undefined || isEmbedded(schema)) result["properties"] = publishedMembers(schema, options);
    if (items !== undefined) result["items"] = publishedV2(items, options);
    else if (schema.type === "array") delete result["type"];
  }
  if (additionalProperties !== undefined) {
    result["additionalProperties"] = typeof additionalProperties === "boolean"
      ? additionalProperties
      : publishedV2(additionalProperties, options);
  }
  const required = otherMembers(schema)?.nullable === true
    ? []
    : (schema.required ?? []).filter((key) => !Object.hasOwn(properties, key) || properties[key]!.nullable !== true);
  const all = isEmbedded(schema) && !keepsUnknown ? embeddedRequired(required) : required;
  if (all.length > 0) result["required"] = all;
  else delete result["required"];
  return sortMembers(result);
}

const intOrString: readonly Published[] = [{ type: "integer" }, { type: "string" }];

/** Whether the schema of an integer or a string names the two types itself, in one of the two ways that definitions may have. */
function hasAlternatives({ anyOf, allOf }: StructuralSchema): boolean {
  return [anyOf, allOf?.[0]?.anyOf].some((each) => each?.length === 2 && each[0]!.type === "integer" && each[1]!.type === "string");
}

function embeddedRequired(required: readonly string[] = []): readonly string[] {
  return [...required, ...["kind", "apiVersion"].filter((key) => !required.includes(key))];
}

function isEmbedded(schema: StructuralSchema): boolean {
  return schema["x-kubernetes-embedded-resource"] === true;
}

function publishedMembers(schema: StructuralSchema, options: PublishOptions): Published {
  const own = Object.entries(schema.properties ?? {}).map(([key, inner]) => [key, publish(inner, options)] as const);
  return sortMembers(Object.fromEntries([...own, ...isEmbedded(schema) ? Object.entries(options.embedded) : []]));
}

function sortMembers(object: Record<string, Json>): Published {
  return Object.fromEntries(Object.entries(object).toSorted(([a], [b]) => a < b ? -1 : a > b ? 1 : 0));
}
