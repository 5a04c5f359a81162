/** Checks the values of defaults: whether they are pruned, and whether their metadata can be read. */
import { type FieldError, invalid } from "../../../plugin.ts";
import { type Json, ObjectMeta, type StructuralSchema } from "../../../toolbox.ts";
import { DecodeError, decodeStored } from "../../../core/derive/decode.ts";
import { isObject } from "../../../core/json.ts";
import { memberSchema } from "../../../core/structural-schema.ts";
import { pruneValue } from "../../../core/structural/prune.ts";
import { treeFromJson } from "../../../core/tree/values.ts";
import type { SchemaProps } from "../schema-props.ts";
import { structural } from "../schema-props.ts";
import { schemasIn } from "../schema-walk.ts";

/** Whether a value has no members that its schema does not specify. */
export function isPruned(value: Json, schema: StructuralSchema): boolean {
  let unknown = false;
  pruneValue(value, schema, { unknown: () => unknown = true, metadata: (metadata) => metadata, dropInvalid: true });
  return !unknown;
}

/** Whether a schema has a default with members that the schema does not specify. */
export function hasUnprunedDefaults(root: SchemaProps): boolean {
  for (const schema of schemasIn(root)) {
    if (schema.default !== undefined && schema.default !== null && !isPruned(schema.default, structural(schema))) return true;
  }
  return false;
}

const decodeMeta = decodeStored(ObjectMeta);

/** Returns the first error of a kind, apiVersion or metadata with a wrong type in embedded resources. */
export function metaMistake(value: Json, schema: StructuralSchema, path: string): FieldError | undefined {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined) return undefined;
    for (const [i, item] of (value as readonly Json[]).entries()) {
      const found = metaMistake(item, items, `${path}[${i}]`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (!isObject(value)) return undefined;
  for (const [key, member] of Object.entries(value)) {
    const at = `${path}.${key}`;
    if (schema["x-kubernetes-embedded-resource"] === true) {
      if ((key === "apiVersion" || key === "kind") && typeof member !== "string") return invalid(at, member, "must be a string");
      const wrong = key === "metadata" ? unreadableMeta(member) : undefined;
      if (wrong !== undefined) return invalid(at, member, wrong);
    }
    const inner = memberSchema(schema, key), found = inner === undefined ? undefined : metaMistake(member, inner, at);
    if (found !== undefined) return found;
  }
  return undefined;
}

function unreadableMeta(metadata: Json): string | undefined {
  try {
    decodeMeta(treeFromJson(metadata));
    return undefined;
  } catch (error) {
    if (error instanceof DecodeError) return error.message;
    throw error;
  }
}
