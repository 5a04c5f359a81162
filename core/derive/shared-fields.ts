/** Field sets that several objects share (core/tree/shared-trees.ts) as values, and their texts. */
import type { Json } from "../schema.ts";
import { SharedTree } from "../tree/shared-trees.ts";
import type { Tree } from "../tree/tree.ts";
import { decodeRaw } from "./decode-scalars.ts";
import type { Decoding } from "./decoding.ts";
import { rawText } from "./raw-json.ts";

/** JSON texts by shared value, "" before the first use. */
const texts = new WeakMap<object, string>();

/** As `decodeRaw`. Objects with the same shared tree get the same value. */
export function decodeFieldsV1(tree: Tree, prior: unknown, run: Decoding): unknown {
  if (!(tree instanceof SharedTree)) return decodeRaw(tree, prior, run);
  if (tree.value === undefined) {
    tree.value = decodeRaw(tree, undefined, run) as Json; // the value of a tree
    texts.set(tree.value as object, ""); // of an object
  }
  return tree.value;
}

/** As `rawText`; the text of a shared value is made once. */
export function fieldsV1Text(value: Json): string {
  if (typeof value !== "object" || value === null) return rawText(value);
  const known = texts.get(value);
  if (known === undefined) return rawText(value);
  if (known !== "") return known;
  const text = rawText(value);
  texts.set(value, text);
  return text;
}
