/** Values over JSON trees, without a copy, and back. */
import { base64Of } from "../../scalars/base64.ts";
import type { Json, JsonObject } from "../../schema.ts";
import { CelError, Duration, ListValue, MapValue, OptionalValue, Timestamp, Uint, type Value } from "../values.ts";
import { plainDoubleText } from "./numbers.ts";
import { durationSeconds, timestampText } from "./time.ts";
import { typeNameOf } from "./type.ts";
import { spend } from "./work.ts";

/** The value of a JSON tree whose types are not known. An integral number is an int while it is a safe integer, else a double. */
export function valueOfJson(json: Json): Value {
  switch (typeof json) {
    case "string":
    case "boolean":
    case "bigint":
      return json;
    case "number":
      return Number.isSafeInteger(json) ? BigInt(json) : json;
  }
  if (json === null) return null;
  return isArray(json) ? new JsonList(json) : new JsonMap(json);
}

function isArray(json: readonly Json[] | JsonObject): json is readonly Json[] {
  return Array.isArray(json);
}

/** A list over a JSON array. */
export class JsonList extends ListValue {
  readonly items: readonly Json[];
  constructor(items: readonly Json[]) {
    super();
    this.items = items;
  }
  override get size(): number {
    return this.items.length;
  }
  override at(index: number): Value {
    return valueOfJson(this.items[index]!);
  }
}

/** A map over a JSON object. Members that are undefined are absent. */
export class JsonMap extends MapValue {
  readonly object: JsonObject;
  #keys: readonly string[] | undefined;
  constructor(object: JsonObject) {
    super();
    this.object = object;
  }
  override get size(): number {
    return this.keys().length;
  }
  override find(key: Value): Value | undefined {
    if (typeof key !== "string" || !Object.hasOwn(this.object, key)) return undefined;
    const member = this.object[key];
    return member === undefined ? undefined : valueOfJson(member);
  }
  override keys(): readonly string[] {
    return this.#keys ??= Object.keys(this.object).filter((key) => this.object[key] !== undefined);
  }
}

/** The JSON of a value, as protobuf's JSON has it: integers beyond 2^53 are strings. A `CelError` if it has none. */
export function jsonOfValue(value: Value): Json | CelError {
  spend(1);
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "bigint":
      return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
    case "number":
      return Number.isFinite(value) ? value : String(value);
  }
  if (value === null || value instanceof CelError) return value;
  if (value instanceof Uint) return jsonOfValue(value.value);
  if (value instanceof Uint8Array) return base64Of(value);
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof Duration) return durationJson(value);
  if (value instanceof ListValue) return listJson(value);
  if (value instanceof MapValue) return mapJson(value);
  if (!(value instanceof OptionalValue)) return new CelError(`type conversion error from '${typeNameOf(value)}' to JSON`);
  return value.value === undefined ? new CelError("optional.none() dereference") : jsonOfValue(value.value);
}

/** Seconds with a fraction and `s`. */
export function durationJson(duration: Duration): string {
  return `${plainDoubleText(durationSeconds(duration))}s`;
}

function listJson(list: ListValue): Json | CelError {
  const items: Json[] = [];
  for (let index = 0; index < list.size; index++) {
    const item = jsonOfValue(list.at(index));
    if (item instanceof CelError) return item;
    items.push(item);
  }
  return items;
}

function mapJson(map: MapValue): Json | CelError {
  const entries: [string, Json][] = [];
  for (const key of map.keys()) {
    const value = jsonOfValue(map.find(key)!);
    if (value instanceof CelError) return value;
    if (typeof key !== "string") return new CelError(`type conversion error from '${typeNameOf(key)}' to 'string'`);
    entries.push([key, value]);
  }
  return Object.fromEntries(entries);
}
