/** Recognises values of custom resources that pruning leaves as they are. */
import type { Json, JsonObject } from "../json.ts";
import { isObject } from "../json.ts";
import { isPlainNumber } from "../tree/exact-json.ts";
import { compareBytes } from "../tree/sorted-keys.ts";
import { memberSchema, type StructuralSchema } from "../structural-schema.ts";

/** Values that are nested more deeply are not recognised. */
const depthMax = 100;

/**
 * Whether a value that `exactJson` read is the one that `pruneValue` makes of it for a stored object, with members sorted by name and numbers of
 * one spelling only. False may be a false negative: metadata of embedded resources is not looked at.
 */
export function isPruned(value: Json, schema: StructuralSchema): boolean {
  return (value !== null || schema.nullable === true) && isCanonical(value, schema, false, 0);
}

/** `schema`: undefined for a value that is kept without one. `inherits`: as in `pruneValue`. */
function isCanonical(value: Json, schema: StructuralSchema | undefined, inherits: boolean, depth: number): boolean {
  if (typeof value === "number") return isPlainNumber(value);
  if (typeof value !== "object" || value === null) return true;
  if (depth === depthMax) return false;
  const keeps = inherits || schema === undefined || schema["x-kubernetes-preserve-unknown-fields"] === true;
  if (isObject(value)) return isCanonicalObject(value, schema, keeps, depth);
  const items = schema?.items;
  // Unknown members are removed from objects in a list without a schema.
  if (items === undefined && !keeps) return value.every((item) => typeof item !== "object" && isCanonical(item, undefined, false, depth));
  return value.every((item) => isCanonical(item, items, keeps && items !== undefined, depth + 1));
}

function isCanonicalObject(object: JsonObject, schema: StructuralSchema | undefined, keeps: boolean, depth: number): boolean {
  if (schema?.["x-kubernetes-embedded-resource"] === true) return false;
  let last: string | undefined;
  for (const key in object) { // of JSON: each member is its own
    if (last !== undefined && compareBytes(last, key) >= 0) return false;
    last = key;
    const value = object[key]!;
    const inner = schema === undefined ? undefined : memberSchema(schema, key);
    if (inner === undefined ? !keeps : value === null && inner.nullable !== true) return false;
    if (!isCanonical(value, inner, false, depth + 1)) return false;
  }
  return true;
}
