/** Lists and maps that evaluations make. */
import { CelError, ListValue, MapValue, Uint, type Value } from "../values.ts";
import { intOf, uintOf } from "./numbers.ts";
import { spend } from "./work.ts";

/** A list over an array. */
export class ArrayList extends ListValue {
  readonly items: readonly Value[];
  constructor(items: readonly Value[]) {
    super();
    this.items = items;
  }
  override get size(): number {
    return this.items.length;
  }
  override at(index: number): Value {
    return this.items[index]!;
  }
}

export const emptyList: ListValue = new ArrayList([]);

/** Two lists as one, without a copy. */
class ConcatenatedList extends ListValue {
  override readonly size: number;
  readonly first: ListValue;
  readonly second: ListValue;
  constructor(first: ListValue, second: ListValue) {
    super();
    this.first = first;
    this.second = second;
    this.size = first.size + second.size;
  }
  override at(index: number): Value {
    return elementOf(this, index);
  }
}

function elementOf(concatenated: ListValue, index: number): Value {
  let list = concatenated;
  let at = index;
  while (list instanceof ConcatenatedList) {
    spend(1);
    const size = list.first.size;
    if (at < size) list = list.first;
    else {
      list = list.second;
      at -= size;
    }
  }
  return list.at(at);
}

/** The accumulator of a comprehension that makes a list. Only the comprehension that made it refers to it. */
export class MutableList extends ListValue {
  readonly items: Value[] = [];
  override get size(): number {
    return this.items.length;
  }
  override at(index: number): Value {
    return this.items[index]!;
  }
  append(list: ListValue): this {
    for (let index = 0, size = list.size; index < size; index++) {
      spend(1);
      this.items.push(list.at(index));
    }
    return this;
  }
}

/** Returns `first + second`. */
export function concatenate(first: ListValue, second: ListValue): ListValue {
  if (first instanceof MutableList) return first.append(second);
  if (first.size === 0) return second;
  return second.size === 0 ? first : new ConcatenatedList(first, second);
}

/** A map with keys of any type. Keys that are numbers are found by other numeric types. */
export class EntryMap extends MapValue {
  /** All entries but those with a uint as key. */
  readonly entries = new Map<Value, Value>();
  /** Entries with a uint as key. */
  uints: Map<bigint, Value> | undefined;
  override get size(): number {
    return this.entries.size + (this.uints?.size ?? 0);
  }
  override find(key: Value): Value | undefined {
    if (key instanceof Uint) {
      const value = this.uints?.get(key.value);
      return value === undefined ? this.entries.get(key.value) : value;
    }
    const value = this.entries.get(key);
    if (value !== undefined || typeof key !== "bigint" && typeof key !== "number") return value;
    return typeof key === "bigint" ? this.uints?.get(key) : this.#findDouble(key);
  }
  #findDouble(key: number): Value | undefined {
    const int = intOf(key);
    const value = int === undefined ? undefined : this.entries.get(int);
    if (value !== undefined || this.uints === undefined) return value;
    const uint = uintOf(key);
    return uint === undefined ? undefined : this.uints.get(uint);
  }
  override *keys(): Iterable<Value> {
    yield* this.entries.keys();
    for (const key of this.uints?.keys() ?? []) yield new Uint(key);
  }
  /** Sets an entry. Only for maps that no expression has seen. */
  set(key: Value, value: Value): void {
    if (key instanceof Uint) (this.uints ??= new Map()).set(key.value, value);
    else this.entries.set(key, value);
  }
  /** Removes an entry. Only for maps that no expression has seen. */
  delete(key: Value): void {
    if (key instanceof Uint) this.uints?.delete(key.value);
    else this.entries.delete(key);
  }
}

/** The accumulator of a comprehension that makes a map. Only the comprehension that made it refers to it. */
export class MutableMap extends EntryMap {
  /** Adds an entry. A `CelError` if the key is there, else this map. */
  insert(key: Value, value: Value, keyText: (key: Value) => string): this | CelError {
    if (this.find(key) !== undefined) return new CelError(`insert failed: key ${keyText(key)} already exists`);
    spend(1);
    this.set(key, value);
    return this;
  }
}

/** Returns the finished value of an accumulator. */
export function finish(value: Value): Value {
  if (value instanceof MutableList) return new ArrayList(value.items);
  if (!(value instanceof MutableMap)) return value;
  const map = new EntryMap();
  for (const [key, item] of value.entries) map.entries.set(key, item);
  map.uints = value.uints;
  return map;
}
