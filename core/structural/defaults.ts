/**
 * Defaults of custom resources. A default never makes a parent, and a default may contain members that have defaults themselves. A small
 * value can have many places for a large default, so the text of all defaults of one value is bounded while they are added.
 */
import { isBudgeted, spendSteps } from "../budget.ts";
import { isObject, type Json, type JsonObject } from "../json.ts";
import { tooLargeError } from "../status-error.ts";
import { sortedKeys } from "../tree/sorted-keys.ts";
import { copyDoubles } from "../tree/doubles.ts";
import { goJson } from "../tree/json-text.ts";
import { setOwn } from "../tree/values.ts";
import { memberSchema, otherMembers, type StructuralSchema } from "../structural-schema.ts";
import { bound } from "../bound.ts";

/** Bytes of JSON that the defaults of a definition add to one object: more than the store accepts for the whole object. */
export const defaultBytesMax = bound(1.5 * 1024 * 1024);

/**
 * Returns the value with all defaults of the schema; the same value if nothing changes. Defaults beyond `defaultBytesMax` are left out of an
 * object that is read: its definition has changed after it was stored, and it stays readable.
 *
 * @throws StatusError 413 beyond that bound, within a request that writes
 */
export function withDefaults(value: Json, schema: StructuralSchema): Json {
  return hasDefaults(schema) ? new Defaulting().apply(value, schema) : value;
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

/** A member with a default. */
interface Defaulted {
  readonly key: string;
  readonly schema: StructuralSchema;
  readonly value: Json;
}

const defaulted = new WeakMap<StructuralSchema, readonly Defaulted[]>();

/** Returns the members of a schema that have defaults. A schema may have many others, and an object many items of that schema. */
function defaultedMembers(schema: StructuralSchema): readonly Defaulted[] {
  const before = defaulted.get(schema);
  if (before !== undefined) return before;
  const found = Object.entries(schema.properties ?? {}).flatMap(([key, inner]) =>
    inner.default === undefined ? [] : [{ key, schema: inner, value: inner.default }]
  );
  defaulted.set(schema, found);
  return found;
}

const lengths = new WeakMap<StructuralSchema, number>();

/** Returns the length of the JSON of the default of a schema. */
function defaultLength(schema: StructuralSchema): number {
  const before = lengths.get(schema);
  if (before !== undefined) return before;
  const length = goJson(schema.default!).length;
  lengths.set(schema, length);
  return length;
}

/** Steps of one value whose schema has defaults, or of one default. */
const valueSteps = 5;

/** Adds the defaults of one value. */
class Defaulting {
  #left: number = defaultBytesMax;

  apply(value: Json, schema: StructuralSchema): Json {
    spendSteps(valueSteps);
    if (Array.isArray(value)) {
      const { items } = schema;
      if (items === undefined || !hasDefaults(items)) return value;
      const before = value as readonly Json[];
      const after = before.map((item) => this.#orDefault(item, items));
      return after.some((item, index) => item !== before[index]) ? copyDoubles(value, after) : value;
    }
    return isObject(value) ? this.#members(value, schema) : value;
  }

  /** A value that is there: null that may not be null is replaced by the default, if there is one. */
  #orDefault(value: Json, schema: StructuralSchema): Json {
    if (!hasDefaults(schema)) return value;
    const isReplaced = value === null && schema.nullable !== true && schema.default !== undefined && this.#fits("", schema);
    return this.apply(isReplaced ? schema.default : value, schema);
  }

  #members(object: JsonObject, schema: StructuralSchema): Json {
    const members = defaultedMembers(schema);
    spendSteps(members.length * valueSteps);
    const missing = members.filter(({ key, schema: inner }) => !Object.hasOwn(object, key) && this.#fits(key, inner));
    let changed = missing.length > 0;
    const next: Record<string, Json> = {};
    for (const key of Object.keys(object)) {
      const inner = memberSchema(schema, key), value = object[key]!;
      const made = inner === undefined ? value : this.#orDefault(value, inner);
      changed ||= made !== value;
      setOwn(next, key, made);
    }
    if (!changed) return object;
    for (const { key, schema: inner, value } of missing) setOwn(next, key, this.apply(value, inner));
    return copyDoubles(object, missing.length === 0 ? next : inOrder(next));
  }

  /** Whether a default may be added, with its key. */
  #fits(key: string, schema: StructuralSchema): boolean {
    this.#left -= key.length + defaultLength(schema) + 4; // quotes, colon and comma
    if (this.#left >= 0) return true;
    if (isBudgeted()) throw tooLargeError(`the defaults of the definition add more than ${defaultBytesMax} bytes`);
    return false;
  }
}

function inOrder(object: JsonObject): JsonObject {
  const ordered: Record<string, Json> = {};
  for (const key of sortedKeys(object)) setOwn(ordered, key, object[key]!);
  return ordered;
}
