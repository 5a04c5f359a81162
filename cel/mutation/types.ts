/**
 * Types that expressions of mutations construct: `Object{...}`, `Object.spec{...}` and their like with any fields, and `JSONPatch{...}`. The
 * types of fields are not checked here: they are those of the changed object.
 */
import { quantityText } from "../../core/scalars/quantity.ts";
import { base64Of } from "../../core/scalars/base64.ts";
import type { Json } from "../../core/schema.ts";
import { goQuote } from "../../core/tree/go-quote.ts";
import { QuantityValue } from "../functions/quantity/quantity.ts";
import { dynType, objectType, stringType, type TypeSource } from "../types.ts";
import { equal } from "../value/equal.ts";
import { timestampText } from "../value/time.ts";
import { representation } from "../value/type.ts";
import { spend } from "../value/work.ts";
import { CelError, Duration, ListValue, MapValue, ObjectValue, OpaqueValue, Timestamp, Uint, type Value } from "../values.ts";

const objectName = "Object", patchName = "JSONPatch";
const patchTexts = ["op", "from", "path"] as const;
type PatchText = typeof patchTexts[number];

function isObjectType(name: string): boolean {
  return name === objectName || name.startsWith(`${objectName}.`);
}
function isPatchText(field: string): field is PatchText {
  return (patchTexts as readonly string[]).includes(field);
}

/** The types of mutations. */
export const mutationTypes: TypeSource = {
  hasType: (name) => name === patchName || isObjectType(name),
  field(type, field) {
    if (type !== patchName) return isObjectType(type) ? { type: dynType } : undefined;
    // As upstream, another field has a type without a name, which no value has.
    return { type: isPatchText(field) ? stringType : field === "value" ? dynType : objectType("") };
  },
  fieldNames: (type) => type === patchName ? [...patchTexts, "value"] : [],
};

/** A constructed object, the whole one or a part. */
export class PatchObject extends ObjectValue {
  readonly type: string;
  readonly fields: ReadonlyMap<string, Value>;
  constructor(type: string, fields: ReadonlyMap<string, Value>) {
    super();
    this.type = type;
    this.fields = fields;
  }
  has(field: string): boolean {
    return this.fields.has(field);
  }
  get(field: string): Value {
    return this.fields.get(field) ?? null;
  }
  override equals(other: Value): boolean {
    if (!(other instanceof PatchObject) || other.type !== this.type || other.fields.size !== this.fields.size) return false;
    for (const [name, value] of this.fields) {
      spend(1);
      const same = other.fields.get(name);
      if (same === undefined || equal(value, same) !== true) return false;
    }
    return true;
  }
}

/** One operation of a JSON patch. */
export class JsonPatchValue extends ObjectValue {
  readonly type = patchName;
  readonly op: string;
  readonly from: string;
  readonly path: string;
  readonly value: Value | undefined;
  constructor(texts: Readonly<Record<PatchText, string>>, value: Value | undefined) {
    super();
    this.op = texts.op;
    this.from = texts.from;
    this.path = texts.path;
    this.value = value;
  }
  has(field: string): boolean | CelError {
    if (isPatchText(field)) return this[field] !== "";
    return field === "value" ? this.value !== undefined : new CelError(`unsupported field: ${field}`);
  }
  get(field: string): Value {
    if (isPatchText(field)) return this[field];
    if (field === "value" && this.value !== undefined) return this.value;
    return new CelError(field === "value" ? "no such key: value" : `unsupported indexer: ${field}`);
  }
  override equals(other: Value): boolean {
    if (!(other instanceof JsonPatchValue)) return false;
    if (patchTexts.some((name) => this[name] !== other[name])) return false;
    if (this.value === undefined || other.value === undefined) return this.value === other.value;
    return equal(this.value, other.value) === true;
  }
}

/** Makes an object of one of the types. */
export function constructMutation(type: string, fields: ReadonlyMap<string, Value>): Value {
  if (type !== patchName) return new PatchObject(type, fields);
  const texts = { op: "", from: "", path: "" };
  for (const name of patchTexts) {
    const value = fields.get(name);
    if (value === undefined) continue;
    if (typeof value !== "string") return new CelError(`unexpected type ${goType(value)} for JSONPatchType '${name}' field`);
    texts[name] = value;
  }
  return new JsonPatchValue(texts, fields.get("value"));
}

/** Returns Go's name of the type that upstream keeps a value in. */
function goType(value: Value): string {
  if (typeof value === "bigint") return "int64";
  if (typeof value === "number") return "float64";
  if (typeof value === "boolean") return "bool";
  if (value === null) return "structpb.NullValue";
  if (value instanceof Uint) return "uint64";
  if (value instanceof Uint8Array) return "[]uint8";
  if (value instanceof Duration) return "time.Duration";
  if (value instanceof Timestamp) return "time.Time";
  if (value instanceof ListValue) return "[]ref.Val";
  return value instanceof MapValue ? "map[ref.Val]ref.Val" : representation(value);
}

/** Returns upstream's errors for objects whose type is not named as the path of their field. Lists and maps are not part of the path. */
export function typeNameMistakes(value: Value, path: string = objectName): readonly string[] {
  const found: string[] = [];
  const pending: (readonly [Value, string])[] = [[value, path]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    spend(1);
    const [each, expected] = next;
    if (each instanceof PatchObject) {
      if (each.type !== expected) {
        found.push(
          `unexpected type name ${goQuote(each.type)}, expected ${goQuote(expected)}, which matches field name path from root Object type`,
        );
      }
      for (const [name, field] of each.fields) pending.push([field, `${expected}.${name}`]);
    } else if (each instanceof ListValue) {
      for (let index = 0; index < each.size; index++) pending.push([each.at(index), expected]);
    } else if (each instanceof MapValue) {
      for (const key of each.keys()) pending.push([key, expected], [each.find(key)!, expected]);
    }
  }
  return found;
}

/**
 * Returns a constructed object as JSON, as Go writes upstream's representation: durations are nanoseconds, null is 0, and an object with
 * a map whose keys are not strings is empty. Returns a `CelError` for maps in lists and in maps, which have no JSON.
 */
export function objectJson(value: PatchObject): Json | CelError {
  const json: { [name: string]: Json } = {};
  for (const [name, field] of value.fields) {
    spend(1);
    const member = fieldJson(field);
    if (member === undefined) return {};
    if (member instanceof CelError) return member;
    Object.defineProperty(json, name, { value: member, enumerable: true, writable: true, configurable: true });
  }
  return json;
}

const noJson = new CelError("json: unsupported type: map[ref.Val]ref.Val");

/** Returns the JSON of a field; undefined for a map with keys that are not strings. */
function fieldJson(value: Value): Json | CelError | undefined {
  if (value instanceof ListValue) return value.size === 0 ? null : itemsJson(value);
  if (!(value instanceof MapValue)) return plainJson(value);
  const json: { [name: string]: Json } = {};
  for (const key of value.keys()) {
    if (typeof key !== "string") return undefined;
    const member = plainJson(value.find(key)!);
    if (member instanceof CelError) return member;
    Object.defineProperty(json, key, { value: member, enumerable: true, writable: true, configurable: true });
  }
  return json;
}

function itemsJson(list: ListValue): Json | CelError {
  const items: Json[] = [];
  for (let index = 0; index < list.size; index++) {
    spend(1);
    const item = plainJson(list.at(index));
    if (item instanceof CelError) return item;
    items.push(item);
  }
  return items;
}

function plainJson(value: Value): Json | CelError {
  if (value === null) return 0;
  if (typeof value !== "object") return typeof value === "bigint" && Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (value instanceof Uint) return plainJson(value.value);
  if (value instanceof Uint8Array) return base64Of(value);
  if (value instanceof Duration) return plainJson(value.nanoseconds);
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof QuantityValue) return quantityText(value.exact.amount);
  if (value instanceof PatchObject) return objectJson(value);
  if (value instanceof ListValue) return itemsJson(value);
  if (value instanceof MapValue) return noJson;
  return value instanceof OpaqueValue || !(value instanceof CelError) ? {} : value;
}
