/**
 * Trees of texts that many stored objects have in common: the field sets of their managers. Each text is scanned and converted once, and
 * objects share the result.
 */
import type { Json } from "../schema.ts";
import { TreeObject } from "./tree.ts";
import { bound } from "../bound.ts";

/** Characters of all field sets that stored objects share. */
export const sharedFieldSetsCharactersMax = bound(256 * 1024);
/** Characters of one field set that stored objects share. */
export const sharedFieldSetCharactersMax = bound(8 * 1024);
/** Depth of a field set that stored objects share. */
export const sharedFieldSetDepthMax = bound(64);

/** A tree that several documents contain. It must not be changed. */
export class SharedTree extends TreeObject {
  /** The plain value, once it was made. */
  value: Json | undefined = undefined;
}

/** The member whose values are shared. */
export const sharedKey = "fieldsV1";

const QUOTE = 0x22, BACKSLASH = 0x5c, OPEN = 0x7b, CLOSE = 0x7d;

/**
 * Returns the end of the object that begins at `from`; -1 if it is too long or too deep to be shared, or not complete. Does not check
 * its content.
 */
export function sharedEnd(text: string, from: number): number {
  const most = Math.min(text.length, from + sharedFieldSetCharactersMax);
  let depth = 0, quoted = false;
  for (let at = from; at < most; at++) {
    const c = text.charCodeAt(at);
    if (quoted) {
      if (c === BACKSLASH) at++;
      else if (c === QUOTE) quoted = false;
    } else if (c === QUOTE) quoted = true;
    else if (c === OPEN) {
      if (++depth > sharedFieldSetDepthMax) return -1;
    } else if (c === CLOSE && --depth === 0) return at + 1;
  }
  return -1;
}

/** Trees by their texts. When it is full, a new table begins; documents keep the trees that they have. */
export class SharedTrees {
  #trees = new Map<string, SharedTree>();
  #characters = 0;

  get(text: string): SharedTree | undefined {
    return this.#trees.get(text);
  }
  put(text: string, { keys, values }: TreeObject): SharedTree {
    if (this.#characters + text.length > sharedFieldSetsCharactersMax) {
      this.#trees = new Map();
      this.#characters = 0;
    }
    const tree = new SharedTree(keys, values);
    this.#trees.set(text, tree);
    this.#characters += text.length;
    return tree;
  }
}
