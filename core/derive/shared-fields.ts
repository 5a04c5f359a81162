/** Field sets that several objects share as values, and their texts: those of stored objects (core/tree/shared-trees.ts) and those of writes. */
import type { Json, JsonObject } from "../schema.ts";
import {
  sharedEnd,
  sharedFieldSetCharactersMax,
  sharedFieldSetDepthMax,
  sharedFieldSetsCharactersMax,
  SharedTree,
} from "../tree/shared-trees.ts";
import type { Tree } from "../tree/tree.ts";
import { decodeRaw } from "./decode-scalars.ts";
import type { Decoding } from "./decoding.ts";
import { rawText } from "./raw-json.ts";

/** JSON texts by shared value. */
const texts = new WeakMap<object, string>();

/** Values by their texts. When it is full, a new table begins; objects keep the values that they have. */
export class SharedValues {
  #values = new Map<string, object>();
  #characters = 0;

  /** The value with this text; `value`, which is kept then, if there is none. */
  of(text: string, value: object): object {
    const known = this.#values.get(text);
    if (known !== undefined) return known;
    if (this.#characters + text.length > sharedFieldSetsCharactersMax) {
      this.#values = new Map();
      this.#characters = 0;
    }
    this.#values.set(text, value);
    this.#characters += text.length;
    return value;
  }
}
const values = new SharedValues();

/** Works like `decodeRaw`. Objects with the same shared tree get the same value. */
export function decodeFieldsV1(tree: Tree, prior: unknown, run: Decoding): unknown {
  if (!(tree instanceof SharedTree)) return decodeRaw(tree, prior, run);
  tree.value ??= sharedFieldsV1(decodeRaw(tree, undefined, run) as Json); // the value of a tree
  return tree.value;
}

/** Returns the value that objects with an equal one share; the value itself if it is too long or too deep to be shared. It must not be changed. */
export function sharedFieldsV1(value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  if (charactersLeft(value, sharedFieldSetCharactersMax, sharedFieldSetDepthMax) < 0) return value;
  const text = rawText(value);
  if (sharedEnd(text, 0) !== text.length) return value;
  const shared = values.of(text, value);
  if (!texts.has(shared)) texts.set(shared, text);
  return shared as Json; // a value of this function
}

/** `most` less the characters that the keys and texts of a value have at least; negative if they are too many, or the value is too deep. */
function charactersLeft(value: Json, most: number, depthMax: number): number {
  if (typeof value === "string") return most - value.length;
  if (typeof value !== "object" || value === null) return most - 1;
  if (depthMax === 0) return -1;
  let left = most;
  for (const key of Object.keys(value)) {
    // An item of a list has its index as key, which is not written, and at least one more character.
    left = charactersLeft((value as JsonObject)[key]!, Array.isArray(value) ? left : left - key.length, depthMax - 1);
    if (left < 0) break;
  }
  return left;
}

/** As `rawText`; the text of a shared value is known. */
export function fieldsV1Text(value: Json): string {
  return (typeof value === "object" && value !== null ? texts.get(value) : undefined) ?? rawText(value);
}
