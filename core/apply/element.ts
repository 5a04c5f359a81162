/**
 * Elements of paths in the spelling of FieldsV1: `f:name` for a member, `k:{"name":"a"}` for an item by its keys, `v:"x"` for an item by its
 * value, `i:0` for an item by its index. An element is its canonical text: two elements are equal if their texts are equal.
 */
import { goString } from "../tree/json-text.ts";
import { compareBytes } from "../tree/sorted-keys.ts";
import { isObject, type Json } from "../schema.ts";
import { goNumber } from "../tree/go-number.ts";
import { goQuote } from "../tree/go-quote.ts";
import { readJson } from "../tree/json.ts";
import { jsonFromTree, numberText } from "../tree/values.ts";

export type Element = string;

export function memberElement(name: string): Element {
  return `f:${name}`;
}
export function valueElement(value: Json): Element {
  return `v:${keyJson(value)}`;
}
/** Returns the element of an item, by its keys and their values. Sorts the keys. */
export function keyElement(keys: readonly (readonly [string, Json])[]): Element {
  const sorted = keys.length < 2 ? keys : [...keys].sort(([a], [b]) => compareBytes(a, b));
  let text = "";
  for (const [name, value] of sorted) text += `${text === "" ? "" : ","}${goString(name)}:${keyJson(value)}`;
  return `k:{${text}}`;
}

/** Returns the element of an item by its only key. */
export function elementOfKey(name: string, value: Json): Element {
  return `k:{${goString(name)}:${keyJson(value)}}`;
}

/** Writes compact JSON as Go's encoder does. Its escapes for HTML are part of the key. */
function keyJson(value: Json): string {
  if (typeof value === "string") return goString(value);
  if (typeof value === "number" || typeof value === "bigint") return numberText(value);
  if (value === null || typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return `[${value.map(keyJson).join(",")}]`;
  const object = value as { readonly [key: string]: Json }; // no other type is left
  return `{${Object.keys(object).sort(compareBytes).map((key) => `${goString(key)}:${keyJson(object[key]!)}`).join(",")}}`;
}

/** Returns the canonical element of a key of FieldsV1; undefined for an unknown type of element. Throws an Error for an invalid one. */
export function readElement(text: string): Element | undefined {
  if (text.length < 2 || text[1] !== ":") throw new Error(`missing colon: ${text}`);
  const rest = text.slice(2);
  switch (text[0]) {
    case "f":
      return text;
    case "v":
      return valueElement(parseElement(rest));
    case "k": {
      const keys = parseElement(rest);
      if (!isObject(keys)) throw new Error(`keys are no object: ${text}`);
      return keyElement(Object.entries(keys));
    }
    case "i":
      if (!/^-?\d+$/.test(rest)) throw new Error(`index is no number: ${text}`);
      return `i:${Number(rest)}`;
    default:
      return undefined;
  }
}

function parseElement(text: string): Json {
  const read = readJson(text);
  if (!read.ok) throw new Error(read.error);
  return jsonFromTree(read.tree);
}

const ranks: Readonly<Record<string, number>> = { f: 0, k: 1, v: 2, i: 3 };

/** Sorts by element in upstream's order: members, keys, values, indexes. Parses each element once, not in each comparison. */
export function sortByElement<T>(entries: readonly (readonly [Element, T])[]): (readonly [Element, T])[] {
  if (entries.length < 2) return [...entries];
  // Names, the usual case, need no keys.
  if (entries.every(([element]) => element[0] === "f")) return entries.toSorted(([a], [b]) => compareBytes(a, b));
  const keyed = entries.map((entry) => ({ entry, key: sortKeyOf(entry[0]) }));
  return keyed.sort((a, b) => compareKeys(a.key, b.key)).map(({ entry }) => entry);
}

interface SortKey {
  readonly rank: number;
  readonly value: Json;
}
function sortKeyOf(element: Element): SortKey {
  const sort = element[0]!, rest = element.slice(2);
  return { rank: ranks[sort]!, value: sort === "f" ? rest : sort === "i" ? Number(rest) : valueOf(rest) };
}
function compareKeys(a: SortKey, b: SortKey): number {
  return a.rank - b.rank || (a.rank === ranks["k"] ? compareObjects(a.value, b.value) : compareValues(a.value, b.value));
}
/** Returns the value of a canonical text. Strings without an escape are the usual case, and are not parsed. */
function valueOf(text: string): Json {
  return text.startsWith('"') && !text.includes("\\") ? text.slice(1, -1) : parseElement(text);
}

function compareObjects(a: Json, b: Json): number {
  const x = Object.entries(a as object) as [string, Json][], y = Object.entries(b as object) as [string, Json][]; // the keys of elements are objects
  for (let i = 0; i < Math.min(x.length, y.length); i++) {
    const by = compareBytes(x[i]![0], y[i]![0]) || compareValues(x[i]![1], y[i]![1]);
    if (by !== 0) return by;
  }
  return x.length - y.length;
}

function compareValues(a: Json, b: Json): number {
  const rank = valueRank(a) - valueRank(b);
  if (rank !== 0) return rank;
  if (typeof a === "string") return compareBytes(a, b as string); // the same rank means the same type
  if (typeof a === "boolean") return Number(a) - Number(b);
  if (typeof a === "number" || typeof a === "bigint") return a < (b as number) ? -1 : a > (b as number) ? 1 : 0; // numbers and bigints can be compared
  return compareBytes(keyJson(a), keyJson(b));
}
function valueRank(value: Json): number {
  if (typeof value === "number" || typeof value === "bigint") return 0;
  if (typeof value === "string") return 1;
  if (typeof value === "boolean") return 2;
  return value === null ? 5 : Array.isArray(value) ? 3 : 4;
}

/** Writes an element as error messages show it: `.name`, `[name="a",port=1]`, `[="x"]`, `[0]`. */
export function elementText(element: Element): string {
  const rest = element.slice(2);
  if (element[0] === "f") return `.${rest}`;
  if (element[0] === "i") return `[${rest}]`;
  const value = valueOf(rest);
  if (element[0] === "v") return `[=${textOfValue(value)}]`;
  return `[${Object.entries(value as object).map(([name, part]) => `${name}=${textOfValue(part as Json)}`).join(",")}]`; // the keys of elements are objects
}

function textOfValue(value: Json): string {
  if (typeof value === "string") return goQuote(value);
  if (Array.isArray(value)) return `[${value.map(textOfValue).join(",")}]`;
  if (isObject(value)) return Object.entries(value).map(([name, part]) => `${name}=${textOfValue(part)}`).join("");
  return typeof value === "number" ? goNumber(value) : String(value);
}
