/** Items of lists with `x-kubernetes-list-type: map` by their keys, to find the old value of an item. */
import { isObject, type Json, type JsonObject } from "../../core/json.ts";
import type { StructuralSchema } from "./structural.ts";

/** Finds the first old item with the same keys. Items are indexed on demand. */
export class KeyedList {
  readonly #names: readonly string[];
  readonly #items: readonly Json[];
  readonly #byKey = new Map<string, Json>();
  #next = 0;

  /** In any other list, no item is found. */
  constructor(schema: StructuralSchema, items: readonly Json[] | undefined) {
    const isKeyed = schema.type === "array" && schema["x-kubernetes-list-type"] === "map";
    this.#names = schema["x-kubernetes-list-map-keys"] ?? [];
    this.#items = isKeyed && this.#names.length > 0 ? items ?? [] : [];
  }

  find(item: Json): Json | undefined {
    if (this.#items.length === 0) return undefined;
    const key = this.#keyOf(item);
    if (key === undefined) return undefined;
    for (; this.#next < this.#items.length && !this.#byKey.has(key); this.#next++) {
      const old = this.#items[this.#next]!, oldKey = this.#keyOf(old);
      if (oldKey !== undefined && !this.#byKey.has(oldKey)) this.#byKey.set(oldKey, old);
    }
    return this.#byKey.get(key);
  }

  #keyOf(item: Json): string | undefined {
    if (!isObject(item)) return undefined;
    let key = "";
    for (const name of this.#names) {
      const text = scalarText(item, name);
      if (text === undefined) return undefined;
      key += text;
    }
    return key;
  }
}

function scalarText(item: JsonObject, name: string): string | undefined {
  const value = Object.hasOwn(item, name) ? item[name] : undefined;
  if (value === undefined || value === null || typeof value === "object") return undefined;
  const text = String(value);
  // The length separates the keys.
  return `${(typeof value)[0]}${text.length}:${text}`;
}
