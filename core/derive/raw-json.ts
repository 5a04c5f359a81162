/** Values without a schema: kept unchanged, at any depth. */
import { goJson, goString } from "../tree/json-text.ts";
import type { Json } from "../schema.ts";
import type { Tree } from "../tree/tree.ts";
import { jsonFromTree, numberText } from "../tree/values.ts";
import { sortedKeys } from "../tree/sorted-keys.ts";

/** Returns the value of a tree, or the text of the first number in it that exceeds a double. */
export function rawOf(tree: Tree): { readonly value: Json } | { readonly huge: string } {
  let huge: string | undefined;
  const value = jsonFromTree(tree, (text) => huge ??= text);
  return huge === undefined ? { value } : { huge };
}

/** Compact JSON text of a value, keys in the order of the object. */
export function rawText(value: Json): string {
  return textAt(value, 0);
}

/** Works like `rawText`, with the keys of all objects in Go's order. */
export function sortedText(value: Json): string {
  return textAt(value, 0, sortedKeys);
}

/** Recursion is several times as fast as an explicit stack. Deeper values use the stack. */
const recursionMax = 100;

function textAt(value: Json, depth: number, keysOf: (object: object) => readonly string[] = Object.keys): string {
  if (typeof value === "string") return goString(value);
  if (typeof value === "number" || typeof value === "bigint") return numberText(value);
  if (value === null || typeof value === "boolean") return String(value);
  if (depth === recursionMax) return goJson(value, keysOf);
  let out = "";
  if (isList(value)) {
    for (const item of value) out += (out === "" ? "[" : ",") + textAt(item, depth + 1, keysOf);
    return out === "" ? "[]" : out + "]";
  }
  for (const key of keysOf(value)) out += (out === "" ? "{" : ",") + goString(key) + ":" + textAt(value[key]!, depth + 1, keysOf);
  return out === "" ? "{}" : out + "}";
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
