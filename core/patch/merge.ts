/** JSON Merge Patch (RFC 7386) over trees, as upstream's library does it. Iterative, because ten thousand levels are legal. */
import { badRequestError } from "../status-error.ts";
import { readWrittenJson } from "../tree/json.ts";
import { NumberText, type Tree, TreeObject } from "../tree/tree.ts";
import { duplicateKeys } from "./duplicates.ts";
import { notAMap } from "../tree/go-errors.ts";
import { settle } from "./written.ts";

export interface MergePatch {
  /** A list replaces the whole document; it passes without field validation only. */
  readonly tree: TreeObject | Tree[];
  /** `duplicate field "data.a"`. */
  readonly findings: readonly string[];
}

/** Reads a patch, its strings as written. Throws 400 in upstream's words, which are the library's own, shorter ones unless it `validates`. */
export function readMergePatch(body: Uint8Array, validates: boolean): MergePatch {
  const read = readWrittenJson(body);
  const wrong = read.ok ? notAMap(read.tree) : read.error;
  if (validates && wrong !== undefined) throw badRequestError(`error decoding patch: ${wrong}`);
  if (!read.ok || (!Array.isArray(read.tree) && !(read.tree instanceof TreeObject))) throw badRequestError("Invalid JSON Patch");
  return { tree: read.tree, findings: validates ? duplicateKeys(read.tree) : [] };
}

/**
 * `target` with the patch merged in: null removes, objects merge, everything else replaces. Of a repeated key the last value
 * counts. What is new loses the nulls in its objects at any depth, but keeps those that are items of lists; a list that takes
 * the place of an object keeps all. Keys of objects that the patch names are sorted. Neither argument is
 * changed; what the patch leaves alone is shared.
 */
export function mergePatch(target: Tree | undefined, patch: Tree): Tree {
  if (!(patch instanceof TreeObject) || !(target instanceof TreeObject)) return pruned(patch);
  const merged = new TreeObject();
  const waiting: [into: TreeObject, target: TreeObject, patch: TreeObject][] = [[merged, target, patch]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [into, base, changes] = next;
    const members = new Map<string, Tree>();
    base.keys.forEach((key, index) => members.set(key, base.values[index]!));
    const last = new Map<string, Tree>();
    changes.keys.forEach((key, index) => last.set(key, changes.values[index]!));
    for (const [key, change] of last) {
      const old = members.get(key);
      if (change === null) members.delete(key);
      else if (!(old instanceof TreeObject)) members.set(key, pruned(change));
      else if (!(change instanceof TreeObject)) members.set(key, change);
      else {
        const child = new TreeObject();
        members.set(key, child);
        waiting.push([child, old, change]);
      }
    }
    for (const [key, value] of members) {
      into.keys.push(key);
      into.values.push(value);
    }
    settle(into);
  }
  return merged;
}

/** The tree without members that are null, each key once, sorted. */
function pruned(tree: Tree): Tree {
  const waiting: [from: Tree[] | TreeObject, to: Tree[] | TreeObject][] = [];
  const start = (from: Tree): Tree => {
    if (from === null || typeof from !== "object" || from instanceof NumberText) return from;
    const to = Array.isArray(from) ? [] : new TreeObject();
    waiting.push([from, to]);
    return to;
  };
  const root = start(tree);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [from, to] = next;
    if (Array.isArray(from)) {
      const items = to as Tree[]; // lists wait with lists
      for (const item of from) items.push(start(item));
      continue;
    }
    const object = to as TreeObject; // and objects with objects
    const last = new Map<string, Tree>();
    from.keys.forEach((key, index) => last.set(key, from.values[index]!));
    for (const [key, value] of last) {
      if (value === null) continue;
      object.keys.push(key);
      object.values.push(start(value));
    }
    settle(object);
  }
  return root;
}
