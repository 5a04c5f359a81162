/** JSON Merge Patch (RFC 7386) on trees, as upstream's library. Iterative, because documents may have ten thousand levels. */
import { badRequestError } from "../status-error.ts";
import { readWrittenJson } from "../tree/json.ts";
import { NumberText, type Tree, TreeObject } from "../tree/tree.ts";
import { duplicateKeys } from "./duplicates.ts";
import { notAMap } from "../tree/go-errors.ts";
import { inByteOrder, settle } from "./written.ts";

export interface MergePatch {
  /** A list replaces the whole document. It is accepted only without field validation. */
  readonly tree: TreeObject | Tree[];
  /** `duplicate field "data.a"`. */
  readonly findings: readonly string[];
}

/** Reads a patch with strings as written. Throws 400 with upstream's message, or with the shorter message of its library without `validates`. */
export function readMergePatch(body: Uint8Array, validates: boolean): MergePatch {
  const read = readWrittenJson(body);
  const wrong = read.ok ? notAMap(read.tree) : read.error;
  if (validates && wrong !== undefined) throw badRequestError(`error decoding patch: ${wrong}`);
  if (!read.ok || (!Array.isArray(read.tree) && !(read.tree instanceof TreeObject))) throw badRequestError("Invalid JSON Patch");
  return { tree: read.tree, findings: validates ? duplicateKeys(read.tree) : [] };
}

/**
 * `target` with the patch merged in: null removes a member, objects merge, every other value replaces. The last value of a duplicate key
 * counts. New objects lose null members at any depth but keep null items of lists; a list that replaces an object keeps all nulls. Keys of
 * objects that the patch names are sorted. Neither argument is changed; unchanged parts are shared.
 */
export function mergePatch(target: Tree | undefined, patch: Tree): Tree {
  if (!(patch instanceof TreeObject) || !(target instanceof TreeObject)) return pruneNulls(patch);
  const merged = new TreeObject();
  const waiting: [into: TreeObject, target: TreeObject, patch: TreeObject][] = [[merged, target, patch]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [into, base, changes] = next;
    const members = new Map<string, Tree>();
    for (let i = 0; i < base.keys.length; i++) members.set(base.keys[i]!, base.values[i]!);
    const last = new Map<string, Tree>();
    changes.keys.forEach((key, index) => last.set(key, changes.values[index]!));
    for (const [key, change] of last) {
      const old = members.get(key);
      if (change === null) members.delete(key);
      else if (!(old instanceof TreeObject)) members.set(key, pruneNulls(change));
      else if (!(change instanceof TreeObject)) members.set(key, change);
      else {
        const child = new TreeObject();
        members.set(key, child);
        waiting.push([child, old, change]);
      }
    }
    for (const key of inByteOrder([...members.keys()])) {
      into.keys.push(key);
      into.values.push(members.get(key)!);
    }
  }
  return merged;
}

/** Returns the tree without null members, with unique, sorted keys. */
function pruneNulls(tree: Tree): Tree {
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
      const items = to as Tree[]; // both are lists
      for (const item of from) items.push(start(item));
      continue;
    }
    const object = to as TreeObject; // both are objects
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
