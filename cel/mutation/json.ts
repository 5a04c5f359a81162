/** JSON of the values that mutations make: applied configurations, and values of JSON patches. */
import { quantityText } from "../../core/scalars/quantity.ts";
import type { Json, JsonObject } from "../../core/schema.ts";
import { goQuote } from "../../core/tree/go-quote.ts";
import { QuantityValue } from "../functions/quantity/quantity.ts";
import { timestampText } from "../value/time.ts";
import { durationJson, JsonList, JsonMap, jsonOfValue } from "../value/json.ts";
import { typeName } from "../value/type.ts";
import { spend } from "../value/work.ts";
import { CelError, Duration, ListValue, MapValue, OptionalValue, Timestamp, TypeValue, Uint, type Value } from "../values.ts";
import { JsonPatchValue, PatchObject } from "./types.ts";
import { bound } from "../../core/bound.ts";

/** UTF-16 units of the JSON that one mutation of an admission policy makes, and of the JSON of the object after it. */
export const mutationLengthMax = bound(3 * 1024 * 1024);

/** A value in a constructed object that upstream cannot use there: the texts of Go's `%#v`, `%v` and `%T`, and where it is. */
export class ForeignValue {
  readonly path: readonly (string | number)[];
  readonly syntax: string;
  readonly text: string;
  readonly type: string;
  constructor(path: readonly (string | number)[], value: Value) {
    this.path = path;
    [this.syntax, this.text, this.type] = goForms(value);
  }
}

/** Returned for a value whose JSON would be longer than `mutationLengthMax`. */
export class TooLarge {}

type Failure = ForeignValue | TooLarge | CelError;
function isFailure(json: Json | Failure): json is Failure {
  return json instanceof ForeignValue || json instanceof TooLarge || json instanceof CelError;
}

/**
 * Returns the JSON of a constructed object. As upstream, lists and maps that the expression makes inside of lists and maps are foreign
 * values, and so are null, unsigned integers, bytes, times and durations. Returns a `CelError` for a map with keys that are not strings.
 */
export function configurationJson(root: PatchObject): JsonObject | Failure {
  const json = new Conversion().member(root, []);
  return json as JsonObject | Failure; // the JSON of an object is one
}

/**
 * Returns the JSON of the value of a JSON patch operation. For a constructed object in it, the rules of `configurationJson` hold, except
 * that bytes and unsigned integers have JSON.
 */
export function patchValueJson(value: Value): Json | Failure {
  return new Conversion().value(value, []);
}

type Path = readonly (string | number)[];

/** One conversion. Its recursion is as deep as the expression; values of the request are not copied. */
class Conversion {
  #length = 0;

  /** A value outside of constructed objects: containers and scalars of all types have JSON, as protobuf's JSON has it. */
  value(value: Value, path: Path): Json | Failure {
    if (value instanceof PatchObject) return this.#object(value, path, true);
    if (value instanceof JsonMap || value instanceof JsonList) return this.#own(value);
    if (value instanceof ListValue) return this.#list(value, (item, index) => this.value(item, [...path, index]));
    if (value instanceof MapValue) return this.#map(value, (item, key) => this.value(item, [...path, key]));
    if (value instanceof TypeValue) return new CelError("type conversion not supported for 'type'");
    if (value instanceof JsonPatchValue) return new CelError("cannot convert to native type: *structpb.Value");
    if (value instanceof OptionalValue && value.value !== undefined) return this.value(value.value, path);
    if (typeof value === "number" && !Number.isFinite(value)) return new CelError(`${notFinite} ${goNumber(value)} value`);
    const json = jsonOfValue(value);
    return json instanceof CelError ? json : this.#counted(json);
  }

  /** A field of a constructed object, or the object itself. */
  member(value: Value, path: Path, isPatch = false): Json | Failure {
    if (value instanceof JsonMap || value instanceof JsonList) return this.#own(value);
    if (value instanceof ListValue) return this.#list(value, (item, index) => this.#item(item, [...path, index], isPatch));
    if (value instanceof MapValue) return this.#map(value, (item, key) => this.#item(item, [...path, key], isPatch));
    return this.#item(value, path, isPatch);
  }

  /** A value in a list or a map of a constructed object. */
  #item(value: Value, path: Path, isPatch: boolean): Json | Failure {
    if (value instanceof PatchObject) return this.#object(value, path, isPatch);
    if (value instanceof JsonMap || value instanceof JsonList) return this.#own(value);
    if (value instanceof CelError) return value;
    if (value instanceof OptionalValue && value.value !== undefined) return this.#item(value.value, path, isPatch);
    if (value instanceof TypeValue) return this.#counted(typeName(value.type));
    if (value instanceof Uint && isPatch) return this.#item(value.value, path, isPatch);
    if (value === null || typeof value === "object" && !(isPatch && value instanceof Uint8Array)) return new ForeignValue(path, value);
    if (typeof value === "bigint") return this.#counted(Number.isSafeInteger(Number(value)) ? Number(value) : value);
    if (typeof value === "number" && !Number.isFinite(value)) return new ForeignValue(path, value);
    return this.#counted(jsonOfValue(value) as Json); // a scalar
  }

  #object(value: PatchObject, path: Path, isPatch: boolean): Json | Failure {
    return this.#members(value.fields, (field, name) => this.member(field, [...path, name], isPatch));
  }

  #list(list: ListValue, json: (item: Value, index: number) => Json | Failure): Json | Failure {
    const items: Json[] = [];
    for (let index = 0; index < list.size; index++) {
      const item = json(list.at(index), index);
      if (isFailure(item)) return item;
      items.push(item);
    }
    return this.#counted(items);
  }

  #map(map: MapValue, json: (member: Value, key: string) => Json | Failure): Json | Failure {
    const entries = new Map<string, Value>();
    for (const key of map.keys()) {
      if (typeof key !== "string") return new CelError(`unsupported type conversion from '${keyType(key)}' to string`);
      entries.set(key, map.find(key)!);
    }
    return this.#members(entries, json);
  }

  #members(entries: ReadonlyMap<string, Value>, json: (member: Value, key: string) => Json | Failure): Json | Failure {
    const members: { [key: string]: Json } = {};
    for (const [key, value] of entries) {
      this.#length += key.length;
      const member = json(value, key);
      if (isFailure(member)) return member;
      Object.defineProperty(members, key, { value: member, enumerable: true, writable: true, configurable: true });
    }
    return this.#counted(members);
  }

  /** Returns a container of the request itself, without a copy. Its length counts each time that it is used. */
  #own(value: JsonMap | JsonList): Json | TooLarge {
    const json: Json = value instanceof JsonMap ? value.object : value.items;
    this.#length += jsonLength(json, mutationLengthMax - this.#length);
    return this.#length > mutationLengthMax ? new TooLarge() : json;
  }

  #counted(json: Json): Json | TooLarge {
    spend(1);
    this.#length += typeof json === "string" ? json.length + 2 : typeof json === "object" ? 2 : 1;
    return this.#length > mutationLengthMax ? new TooLarge() : json;
  }
}

const notFinite = "json: error calling MarshalJSON for type *structpb.Value: proto: google.protobuf.Value.number_value: invalid";
function goNumber(value: number): string {
  return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
}

/** Returns the approximate length of the text of a JSON value. Counting ends when the length exceeds `most`. */
function jsonLength(root: Json, most: number): number {
  let length = 0;
  const waiting: Json[] = [root];
  while (waiting.length > 0 && length <= most) {
    const json = waiting.pop()!;
    if (typeof json === "string") length += json.length + 2;
    else if (json === null || typeof json !== "object") length += 1;
    else if (Array.isArray(json)) {
      length += 2 + json.length;
      for (const item of json) waiting.push(item);
    } else {
      length += 2;
      for (const [key, member] of Object.entries(json)) {
        length += key.length + 4;
        if (member !== undefined) waiting.push(member as Json); // a member of a JSON object
      }
    }
  }
  return length;
}

function keyType(key: Value): string {
  return typeof key === "bigint" ? "int" : typeof key === "boolean" ? "bool" : "uint";
}

/** Returns a value as Go prints it with `%#v`, `%v` and `%T`. Only a few elements of a container are shown. */
function goForms(value: Value): readonly [syntax: string, text: string, type: string] {
  if (value === null) return ["0", "NULL_VALUE", "structpb.NullValue"];
  if (value instanceof Uint) return [`0x${value.value.toString(16)}`, String(value.value), "uint64"];
  if (value instanceof Timestamp) return [timestampText(value), goTime(value), "time.Time"];
  if (value instanceof Duration) return [String(value.nanoseconds), durationJson(value), "time.Duration"];
  if (value instanceof Uint8Array) {
    const some = [...value.subarray(0, shownMax)];
    return [`[]uint8{${some.map((byte) => `0x${byte.toString(16)}`).join(", ")}}`, `[${some.join(" ")}]`, "[]uint8"];
  }
  if (value instanceof ListValue) {
    const items = Array.from({ length: Math.min(value.size, shownMax) }, (_, index) => scalarText(value.at(index)));
    return [`[]ref.Val{${items.join(", ")}}`, `[${items.join(" ")}]`, "[]ref.Val"];
  }
  if (value instanceof QuantityValue) {
    return [goQuote(quantityText(value.exact.amount)), quantityText(value.exact.amount), "resource.Quantity"];
  }
  if (!(value instanceof MapValue)) return ["{}", "{}", "interface {}"];
  const pairs = [...value.keys()].slice(0, shownMax).map((key) => `${scalarText(key)}:${scalarText(value.find(key)!)}`);
  return [`map[ref.Val]ref.Val{${pairs.join(", ")}}`, `map[${pairs.join(" ")}]`, "map[ref.Val]ref.Val"];
}
/** Elements of a container that a text shows. */
const shownMax = 10;

function scalarText(value: Value): string {
  if (typeof value === "string") return goQuote(value.slice(0, 100));
  return typeof value === "object" ? "..." : String(value);
}

function goTime(value: Timestamp): string {
  return timestampText(value).replace("T", " ").replace("Z", " +0000 UTC");
}
