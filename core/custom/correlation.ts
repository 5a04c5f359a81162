/**
 * The old value that belongs to a new one, for ratcheting: an error of a value that has not changed is no error of an update (KEP-4008).
 * Members belong together by name, items of keyed lists by their keys. Items of other lists do not.
 */
import { spendSteps } from "../budget.ts";
import { sameValue } from "../derive/same-value.ts";
import { isObject, type Json } from "../json.ts";
import { memberSchema, type StructuralSchema } from "../structural-schema.ts";
import { rawText } from "../derive/raw-json.ts";

/** A new and an old value at the same place. */
export class Correlated {
  readonly #value: Json;
  readonly #old: Json;
  readonly #schema: StructuralSchema;
  #same: boolean | undefined;
  /** Members and items that have been used: each part of a value is compared once. */
  readonly #inner = new Map<string | number, Correlated>();
  /** Old items by their keys; made at the first use. */
  #items: ReadonlyMap<string, Json> | undefined;

  constructor(value: Json, old: Json, schema: StructuralSchema) {
    this.#value = value;
    this.#old = old;
    this.#schema = schema;
  }

  /** Whether both values are equal. A member without a schema makes its object different, as upstream has it. */
  get isSame(): boolean {
    return this.#same ??= this.#compare();
  }

  #compare(): boolean {
    const value = this.#value, old = this.#old;
    if (Array.isArray(value)) return Array.isArray(old) && this.#sameItems(value, old);
    if (!isObject(value)) return sameValue(value, old);
    const keys = Object.keys(value);
    return isObject(old) && keys.length === Object.keys(old).length && keys.every((key) => this.member(key)?.isSame === true);
  }

  #sameItems(value: readonly Json[], old: readonly Json[]): boolean {
    if (value.length !== old.length) return false;
    if (this.#schema["x-kubernetes-list-type"] !== "map") return sameValue(value, old);
    return value.every((_, index) => this.item(index)?.isSame === true);
  }

  /** The values of a member; undefined if one of them is missing, or the member has no schema. */
  member(key: string): Correlated | undefined {
    const known = this.#inner.get(key);
    if (known !== undefined) return known;
    const value = this.#value, old = this.#old, schema = memberSchema(this.#schema, key);
    if (schema === undefined || !isObject(value) || !isObject(old) || !Object.hasOwn(value, key) || !Object.hasOwn(old, key)) {
      return undefined;
    }
    return this.#kept(key, new Correlated(value[key]!, old[key]!, schema));
  }

  /** The values of an item of a keyed list; undefined if there was no item with the same keys. */
  item(index: number): Correlated | undefined {
    const known = this.#inner.get(index);
    if (known !== undefined) return known;
    const { items, "x-kubernetes-list-type": type, "x-kubernetes-list-map-keys": keys = [] } = this.#schema;
    const value = this.#value, old = this.#old;
    if (type !== "map" || items === undefined || !Array.isArray(value) || !Array.isArray(old)) return undefined;
    this.#items ??= new Map((old as readonly Json[]).map((item) => [keyOf(item, keys, items), item]));
    const found = this.#items.get(keyOf(value[index], keys, items));
    return found === undefined ? undefined : this.#kept(index, new Correlated(value[index], found, items));
  }

  #kept(step: string | number, inner: Correlated): Correlated {
    this.#inner.set(step, inner);
    return inner;
  }
}

/** Steps of writing one key of an item. */
const keySteps = 10;

function keyOf(item: Json, keys: readonly string[], schema: StructuralSchema): string {
  spendSteps(keySteps * keys.length);
  if (!isObject(item)) return "";
  return rawText(keys.map((key) => (Object.hasOwn(item, key) ? item[key] : schema.properties?.[key]?.default) ?? null));
}
