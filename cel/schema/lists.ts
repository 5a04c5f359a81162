/** Lists of schemas. Sets and keyed lists are compared without order, and their sums are unions. */
import type { Json } from "../../core/json.ts";
import { isObject } from "../../core/json.ts";
import { concatenate } from "../value/collections.ts";
import { equal, equalLists } from "../value/equal.ts";
import { spend } from "../value/work.ts";
import { CelError, ListValue, type Value } from "../values.ts";
import { isDouble, type MakeValue, TypedMap } from "./maps.ts";
import type { StructuralSchema } from "./structural.ts";
import { valueText } from "../../core/value-text.ts";

const noOverload = new CelError("no such overload");

/** A list without a type, or an atomic one. */
export class TypedList extends ListValue {
  readonly items: readonly Json[];
  readonly schema: StructuralSchema;
  readonly make: MakeValue;
  constructor(items: readonly Json[], schema: StructuralSchema, make: MakeValue) {
    super();
    this.items = items;
    this.schema = schema;
    this.make = make;
  }
  override get size(): number {
    return this.items.length;
  }
  override at(index: number): Value {
    return this.make(this.items[index]!, this.schema, isDouble(this.items, index));
  }
  override equals(other: Value): boolean | CelError {
    return other instanceof ListValue ? equalLists(this, other) : noOverload;
  }
  override plus(other: ListValue): Value {
    return concatenate(this, retypeList(other, this));
  }
}

/** Formats that are lost by `+`: upstream adds the formatted values, and reads elements of the result as strings. */
const formats: ReadonlySet<string> = new Set(["date", "date-time", "duration", "byte"]);

function retypeList(list: ListValue, { schema }: TypedList): ListValue {
  return schema.type === "string" && schema.format !== undefined && formats.has(schema.format) ? new Untyped(list, schema.format) : list;
}

/** Elements that were added to a list of formatted texts. */
class Untyped extends ListValue {
  override readonly size: number;
  readonly #error: CelError;
  constructor({ size }: ListValue, format: string) {
    super();
    this.size = size;
    const type = format === "byte" ? "[]uint8" : format === "duration" ? "time.Duration" : "time.Time";
    this.#error = new CelError(`invalid data, expected string, got ${type}`);
  }
  override at(): Value {
    return this.#error;
  }
}

/** Returns a key for a scalar; undefined for other values. Integers and other numbers differ, as upstream's values do. */
function scalarKey(value: Value | Json | undefined): string | undefined {
  switch (typeof value) {
    case "string":
      return `s${value}`;
    case "boolean":
      return String(value);
    case "bigint":
      return `i${value}`;
    case "number":
      return `d${value}`;
    default:
      return value === null ? "null" : undefined;
  }
}
function jsonKey(json: Json | undefined): string | undefined {
  return typeof json === "number" && Number.isInteger(json) ? `i${json}` : scalarKey(json);
}

/** A list with `x-kubernetes-list-type: set`. */
export class TypedSetList extends TypedList {
  #set: Set<string | undefined> | undefined;
  #keys(): Set<string | undefined> {
    if (this.#set === undefined) {
      spend(this.items.length * 4);
      this.#set = new Set(this.items.map(jsonKey));
    }
    return this.#set;
  }
  override equals(other: Value): boolean | CelError {
    if (!(other instanceof ListValue)) return noOverload;
    if (other.size !== this.size) return false;
    const set = this.#keys();
    for (let index = 0; index < other.size; index++) {
      spend(1);
      const key = scalarKey(other.at(index));
      if (key === undefined || !set.has(key)) return false;
    }
    return true;
  }
  override plus(other: ListValue): Value {
    const set = new Set(this.#keys()), items = [...this.items];
    spend(items.length + other.size * 4);
    for (let index = 0; index < other.size; index++) {
      const value = other.at(index), key = scalarKey(value);
      if (value instanceof CelError) return value;
      if (key !== undefined && set.has(key)) continue;
      set.add(key);
      // Elements of sets are scalars.
      items.push(typeof value === "object" ? null : value);
    }
    return new TypedSetList(items, this.schema, this.make);
  }
}

/** A list with `x-kubernetes-list-type: map`. `keys`: identifiers of the key properties, which upstream looks up instead of their names. */
export class TypedMapList extends TypedList {
  readonly #keys: readonly string[];
  #byKey: Map<string, Json> | undefined;
  constructor(items: readonly Json[], schema: StructuralSchema, make: MakeValue, keys: readonly string[]) {
    super(items, schema, make);
    this.#keys = keys;
  }

  /** The keys of an item; undefined if it is not an object. */
  #keyOf(item: Json): string | undefined {
    if (!isObject(item)) return undefined;
    return valueText(this.#keys.map((key) => (Object.hasOwn(item, key) ? jsonKey(item[key]) : undefined) ?? "null"));
  }

  #index(): Map<string, Json> {
    if (this.#byKey !== undefined) return this.#byKey;
    spend(this.items.length * 4);
    const index = new Map<string, Json>();
    for (const item of this.items) {
      const key = this.#keyOf(item);
      if (key !== undefined) index.set(key, item);
    }
    return this.#byKey = index;
  }

  override equals(other: Value): boolean | CelError {
    if (!(other instanceof ListValue)) return noOverload;
    if (other.size !== this.size) return false;
    const index = this.#index();
    for (let at = 0; at < other.size; at++) {
      spend(4);
      const right = other.at(at), key = right instanceof TypedMap ? this.#keyOf(right.json) : undefined;
      const left = key === undefined ? undefined : index.get(key);
      if (left === undefined) return false;
      const same = equal(this.make(left, this.schema), right);
      if (same !== true) return same;
    }
    return true;
  }

  override plus(other: ListValue): Value {
    const items = [...this.items], positions = new Map<string, number>();
    spend((items.length + other.size) * 4);
    for (const [at, item] of items.entries()) {
      const key = this.#keyOf(item);
      if (key !== undefined) positions.set(key, at);
    }
    for (let at = 0; at < other.size; at++) {
      const value = other.at(at);
      if (value instanceof CelError) return value;
      // Upstream cannot read maps of expressions back: such an element is an error when it is used.
      const item = value instanceof TypedMap ? value.json : false, key = this.#keyOf(item);
      const position = key === undefined ? undefined : positions.get(key);
      if (position === undefined) items.push(item);
      else items[position] = item;
    }
    return new TypedMapList(items, this.schema, this.make, this.#keys);
  }
}
