/** Values over JSON trees, without a copy, and back. */
import { base64Of } from "../../core/scalars/base64.ts";
import type { Json, JsonObject } from "../../core/schema.ts";
import { isMarkedDouble } from "../../core/tree/doubles.ts";
import { CelError, Duration, ListValue, MapValue, OptionalValue, Timestamp, Uint, type Value } from "../values.ts";
import { compareNumbers, plainDoubleText } from "./numbers.ts";
import { durationSeconds, timestampText } from "./time.ts";
import { typeNameOf } from "./type.ts";
import { measureOnce, spend } from "./work.ts";

/**
 * Returns the value of a JSON tree without a schema. An integral number is an int while it is a safe integer, else a double. Containers
 * record which of their numbers were written with a fraction.
 */
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
    const item = this.items[index]!;
    return typeof item === "number" && isMarkedDouble(this.items, index) ? item : valueOfJson(item);
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
    if (typeof member === "number" && isMarkedDouble(this.object, key)) return member;
    return member === undefined ? undefined : valueOfJson(member);
  }
  override keys(): readonly string[] {
    return this.#keys ??= keysOfJson(this.object);
  }
}

/** Steps of listing one member of an object. */
const keySteps = 4;

/** Returns the names of the members of an object that are not undefined. They are listed once in an evaluation. */
export function keysOfJson(object: JsonObject): readonly string[] {
  return measureOnce(object, () => {
    const keys = Object.keys(object).filter((key) => object[key] !== undefined);
    spend(keys.length * keySteps);
    return keys;
  });
}

/** Fills a list or map whose JSON is not complete yet. */
type Fill = () => CelError | undefined;

/** Levels that `equalJson` compares by recursion, which is faster. */
const recursionMax = 200;

/** Whether two JSON trees are equal as values, without making the values. They may have ten thousand levels. */
export function equalJson(left: Json, right: Json, depth = 0): boolean {
  if (left === null || right === null || typeof left !== "object" || typeof right !== "object") return equalScalars(left, right);
  if (depth === recursionMax) return equalDeep(left, right);
  return equalContainers(left, right, (first, second) => equalJson(first, second, depth + 1));
}

/** Works like `equalJson`, without recursion. */
function equalDeep(left: Json, right: Json): boolean {
  const waiting: [Json, Json][] = [[left, right]];
  const later = (first: Json, second: Json) => waiting.push([first, second]) > 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [first, second] = next;
    const same = first === null || second === null || typeof first !== "object" || typeof second !== "object"
      ? equalScalars(first, second)
      : equalContainers(first, second, later);
    if (!same) return false;
  }
  return true;
}

/** Compares two values of which at least one is a scalar. */
function equalScalars(left: Json, right: Json): boolean {
  if (typeof left === "string" && left.length > 64) spend(left.length >> 6);
  return typeof left === typeof right ? left === right : isNumber(left) && isNumber(right) && compareNumbers(left, right) === 0;
}

function isNumber(json: Json): json is number | bigint {
  return typeof json === "number" || typeof json === "bigint";
}

type Container = readonly Json[] | JsonObject;
type Compare = (left: Json, right: Json) => boolean;

function equalContainers(left: Container, right: Container, equalInside: Compare): boolean {
  if (isArray(left)) return isArray(right) && equalArrays(left, right, equalInside);
  return !isArray(right) && equalObjects(left, right, equalInside);
}

function equalArrays(left: readonly Json[], right: readonly Json[], equalInside: Compare): boolean {
  if (left.length !== right.length) return false;
  spend(left.length);
  return left.every((item, index) => equalInside(item, right[index]!));
}

/** Steps of comparing one member of an object. */
const memberSteps = 8;

function equalObjects(left: JsonObject, right: JsonObject, equalInside: Compare): boolean {
  const keys = keysOfJson(left);
  if (keys.length !== keysOfJson(right).length) return false;
  return keys.every((key) => {
    spend(memberSteps);
    if (!Object.hasOwn(right, key)) return false;
    const member = right[key];
    return member !== undefined && equalInside(left[key]!, member);
  });
}

/** Returns the JSON of a value, as protobuf's JSON has it: integers beyond 2^53 are strings. Returns a `CelError` for a value that has none. */
export function jsonOfValue(value: Value): Json | CelError {
  const waiting: Fill[] = [];
  const root = startJson(value, waiting);
  // Iterative, because documents may have ten thousand levels.
  for (let fill = waiting.pop(); fill !== undefined; fill = waiting.pop()) {
    const failed = fill();
    if (failed !== undefined) return failed;
  }
  return root;
}

function fillList(source: ListValue, into: Json[], waiting: Fill[]): CelError | undefined {
  for (let index = 0; index < source.size; index++) {
    const item = startJson(source.at(index), waiting);
    if (item instanceof CelError) return item;
    into.push(item);
  }
  return undefined;
}

function fillMap(source: MapValue, into: { [key: string]: Json }, waiting: Fill[]): CelError | undefined {
  for (const key of source.keys()) {
    const item = startJson(source.find(key)!, waiting);
    if (item instanceof CelError) return item;
    if (typeof key !== "string") return new CelError(`type conversion error from '${typeNameOf(key)}' to 'string'`);
    Object.defineProperty(into, key, { value: item, enumerable: true, writable: true, configurable: true });
  }
  return undefined;
}

/** Returns the JSON of a value. Lists and maps are filled later. */
function startJson(value: Value, waiting: Fill[]): Json | CelError {
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
  spend(1);
  if (value instanceof ListValue) {
    const into: Json[] = [];
    waiting.push(() => fillList(value, into, waiting));
    return into;
  }
  if (!(value instanceof MapValue)) return scalarJson(value, waiting);
  const into: { [key: string]: Json } = {};
  waiting.push(() => fillMap(value, into, waiting));
  return into;
}

type Other = Exclude<Value, ListValue | MapValue | CelError | string | number | bigint | boolean | null>;

function scalarJson(
  value: Other,
  waiting: Fill[],
): Json | CelError {
  if (value instanceof Uint) return startJson(value.value, waiting);
  if (value instanceof Uint8Array) return base64Of(value);
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof Duration) return durationJson(value);
  if (!(value instanceof OptionalValue)) return new CelError(`type conversion error from '${typeNameOf(value)}' to JSON`);
  return value.value === undefined ? new CelError("optional.none() dereference") : startJson(value.value, waiting);
}

/** Returns seconds with a fraction and `s`. */
export function durationJson(duration: Duration): string {
  return `${plainDoubleText(durationSeconds(duration))}s`;
}
