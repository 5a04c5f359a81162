/** Values that no schema describes, between trees, objects and text. Iterative: they may be ten thousand levels deep. */
import { goString } from "./go-string.ts";
import type { Json } from "../schema.ts";
import { NumberText, type Tree, TreeObject } from "../tree/tree.ts";
import { setEntry } from "./entries.ts";

/** An integer as it is kept in objects: a number while safe, else a bigint. */
export function int64Of(text: string): number | bigint {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value + 0 : BigInt(text);
}

/** The value of a number as written: integers exactly, others as doubles; undefined when it is beyond a double. */
export function numberOf(text: string): number | bigint | undefined {
  if (/^-?[0-9]+$/.test(text)) return int64Of(text);
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}

/** The JSON value of a tree; the last of several members of one name counts. `onHuge` answers for numbers beyond a double. */
export function jsonOf(tree: Tree, onHuge: (text: string) => Json): Json {
  const top: Json[] = [];
  const work: { readonly tree: Tree; readonly put: (value: Json) => void }[] = [{ tree, put: (value) => top.push(value) }];
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    const { tree, put } = next;
    if (tree instanceof NumberText) put(numberOf(tree.text) ?? onHuge(tree.text));
    else if (Array.isArray(tree)) {
      const list: Json[] = new Array(tree.length).fill(null);
      put(list);
      tree.forEach((item, i) => work.push({ tree: item, put: (value) => list[i] = value }));
    } else if (tree instanceof TreeObject) {
      const object: Record<string, Json> = {};
      put(object);
      // Keys are set at once, so that they keep the order of the document; the work is taken from its end, so that a
      // later member of the same name overwrites an earlier one.
      for (const key of tree.keys) setEntry(object, key, null);
      for (let i = tree.keys.length - 1; i >= 0; i--) {
        work.push({ tree: tree.values[i]!, put: (value) => setEntry(object, tree.keys[i]!, value) });
      }
    } else put(tree);
  }
  return top[0]!;
}

/** Compact JSON text of a value, keys in the order of the object. */
export function jsonText(value: Json): string {
  return textAt(value, 0);
}

/** Recursion is several times as fast; beyond this depth it gives way to a list of work. */
const recursionMax = 100;

function textAt(value: Json, depth: number): string {
  if (value === null || typeof value !== "object") return scalarText(value);
  if (depth === recursionMax) return deepText(value);
  let out = "";
  if (isList(value)) {
    for (const item of value) out += (out === "" ? "[" : ",") + textAt(item, depth + 1);
    return out === "" ? "[]" : out + "]";
  }
  for (const key of Object.keys(value)) out += (out === "" ? "{" : ",") + goString(key) + ":" + textAt(value[key]!, depth + 1);
  return out === "" ? "{}" : out + "}";
}

function deepText(value: Json): string {
  let out = "";
  const work: ({ readonly text: string } | { readonly value: Json })[] = [{ value }];
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    if ("text" in next) out += next.text;
    else if (next.value === null || typeof next.value !== "object") out += scalarText(next.value);
    else {
      const list = isList(next.value);
      const entries = Object.entries(next.value);
      out += list ? "[" : "{";
      work.push({ text: list ? "]" : "}" });
      for (let i = entries.length - 1; i >= 0; i--) {
        work.push({ value: entries[i]![1] }, { text: (i > 0 ? "," : "") + (list ? "" : goString(entries[i]![0]) + ":") });
      }
    }
  }
  return out;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function scalarText(value: null | boolean | number | bigint | string): string {
  return typeof value === "string" ? goString(value) : typeof value === "number" ? doubleText(value) : String(value);
}

/** A double as Go's encoder writes it, which is how JavaScript does it but for the negative zero. */
export function doubleText(value: number): string {
  return Object.is(value, -0) ? "-0" : String(value);
}
