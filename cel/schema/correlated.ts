/**
 * Finds the old value that corresponds to a new one, for ratcheting: the error of a value that has not changed becomes a warning. Members
 * correspond by name, and items of keyed lists by their keys. Items of other lists have no old value.
 */
import { isObject, type Json } from "../../core/json.ts";
import { equalJson } from "../value/json.ts";
import { KeyedList } from "./keyed-list.ts";
import { otherSchema, type StructuralSchema } from "./structural.ts";

/** A new and an old value at the same place. */
export class Correlated {
  readonly #value: Json;
  readonly #old: Json;
  readonly #schema: StructuralSchema;
  readonly #inner = new Map<string | number, Correlated>();
  #keyed: KeyedList | undefined;
  #same: boolean | undefined;

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
    if (isObject(value)) return isObject(old) && !Array.isArray(old) && this.#sameMembers(Object.keys(value), Object.keys(old).length);
    return equalJson(value, old);
  }

  #sameItems(value: readonly Json[], old: readonly Json[]): boolean {
    if (value.length !== old.length) return false;
    if (this.#schema["x-kubernetes-list-type"] !== "map") return equalJson(value, old);
    return value.every((_, index) => this.item(index)?.isSame === true);
  }

  #sameMembers(keys: readonly string[], oldCount: number): boolean {
    return keys.length === oldCount && keys.every((key) => this.member(key)?.isSame === true);
  }

  /** The values of a member; undefined if one of them is missing, or the member has no schema. */
  member(key: string): Correlated | undefined {
    const known = this.#inner.get(key);
    if (known !== undefined) return known;
    const value = this.#value, old = this.#old, { properties = {} } = this.#schema;
    if (!isObject(value) || !isObject(old) || !Object.hasOwn(value, key) || !Object.hasOwn(old, key)) return undefined;
    const schema = Object.hasOwn(properties, key) ? properties[key] : otherSchema(this.#schema);
    return schema === undefined ? undefined : this.#kept(key, new Correlated(value[key]!, old[key]!, schema));
  }

  /** The values of an item of a keyed list; undefined if there was no item with the same keys. */
  item(index: number): Correlated | undefined {
    const known = this.#inner.get(index);
    if (known !== undefined) return known;
    const value = this.#value, old = this.#old, { items } = this.#schema;
    if (!Array.isArray(value) || !Array.isArray(old) || items === undefined || items === null) return undefined;
    const found = (this.#keyed ??= new KeyedList(this.#schema, old)).find(value[index]!);
    return found === undefined ? undefined : this.#kept(index, new Correlated(value[index], found, items));
  }

  #kept(step: string | number, inner: Correlated): Correlated {
    this.#inner.set(step, inner);
    return inner;
  }
}

/** A node, or the nearest one above that has an old value. */
export interface Ratchet {
  readonly current: Correlated | undefined;
  readonly above: Correlated | undefined;
}

export const noRatchet: Ratchet = Object.freeze({ current: undefined, above: undefined });

/** Whether errors of a node become warnings. */
export function isUnchanged({ current, above }: Ratchet): boolean {
  return (current ?? above)?.isSame === true;
}

export function ratchetOfMember(ratchet: Ratchet, key: string): Ratchet {
  const { current, above } = ratchet;
  if (current === undefined) return ratchet;
  // The version is that of the request: both values have it.
  if (above === undefined && (key === "apiVersion" || key === "kind")) return noRatchet;
  return { current: current.member(key), above: current };
}

export function ratchetOfItem(ratchet: Ratchet, index: number): Ratchet {
  const { current } = ratchet;
  return current === undefined ? ratchet : { current: current.item(index), above: current };
}
