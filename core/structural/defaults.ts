/** Defaults of custom resources. A default never makes a parent, and a default may contain members that have defaults themselves. */
import { isObject, type Json, type JsonObject } from "../json.ts";
import { sortedKeys } from "../tree/sorted-keys.ts";
import { copyDoubles } from "../tree/doubles.ts";
import { setOwn } from "../tree/values.ts";
import { memberSchema, otherMembers, type StructuralSchema } from "../structural-schema.ts";

/** The value with all defaults of the schema; the same value if nothing changes. */
export function withDefaults(value: Json, schema: StructuralSchema): Json {
  return hasDefaults(schema) ? apply(value, schema) : value;
}

const known = new WeakMap<StructuralSchema, boolean>();

/** Whether the schema, or one inside it, has a default. */
export function hasDefaults(schema: StructuralSchema): boolean {
  const before = known.get(schema);
  if (before !== undefined) return before;
  const others = otherMembers(schema);
  const inner = [...Object.values(schema.properties ?? {}), ...others === undefined ? [] : [others], ...schema.items ? [schema.items] : []];
  const has = schema.default !== undefined || inner.some(hasDefaults);
  known.set(schema, has);
  return has;
}

function apply(value: Json, schema: StructuralSchema): Json {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined || !hasDefaults(items)) return value;
    const before = value as readonly Json[];
    const after = before.map((item) => orDefault(item, items));
    return after.some((item, index) => item !== before[index]) ? copyDoubles(value, after) : value;
  }
  return isObject(value) ? members(value, schema) : value;
}

/** A value that is there: null that may not be null is replaced by the default, if there is one. */
function orDefault(value: Json, schema: StructuralSchema): Json {
  if (!hasDefaults(schema)) return value;
  return apply(value === null && schema.nullable !== true && schema.default !== undefined ? schema.default : value, schema);
}

function members(object: JsonObject, schema: StructuralSchema): Json {
  const missing = Object.entries(schema.properties ?? {}).filter(([key, inner]) =>
    inner.default !== undefined && !Object.hasOwn(object, key)
  );
  let changed = missing.length > 0;
  const next: Record<string, Json> = {};
  for (const key of Object.keys(object)) {
    const inner = memberSchema(schema, key), value = object[key]!;
    const made = inner === undefined ? value : orDefault(value, inner);
    changed ||= made !== value;
    setOwn(next, key, made);
  }
  if (!changed) return object;
  for (const [key, inner] of missing) setOwn(next, key, apply(inner.default!, inner));
  return copyDoubles(object, missing.length === 0 ? next : inOrder(next));
}

function inOrder(object: JsonObject): JsonObject {
  const ordered: Record<string, Json> = {};
  for (const key of sortedKeys(object)) setOwn(ordered, key, object[key]!);
  return ordered;
}
