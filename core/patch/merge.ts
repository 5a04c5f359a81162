/** JSON Merge Patch (RFC 7386) over trees. Iterative, because ten thousand levels are legal. */
import { type Tree, TreeObject } from "../tree/tree.ts";

/**
 * `target` with the patch merged in: null removes, objects merge, everything else replaces. Of a repeated key in the
 * patch the last value counts. Neither argument is changed; what the patch leaves alone is shared.
 */
export function mergePatch(target: Tree | undefined, patch: Tree): Tree {
  if (!(patch instanceof TreeObject)) return patch;
  const merged = new TreeObject();
  const waiting: [into: TreeObject, target: Tree | undefined, patch: TreeObject][] = [[merged, target, patch]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [into, base, changes] = next;
    const last = new Map<string, Tree>();
    changes.keys.forEach((key, index) => last.set(key, changes.values[index]!));
    /** The value of a key that the patch names; an object is filled in later. */
    const put = (key: string, value: Tree, old: Tree | undefined) => {
      if (value === null) return;
      into.keys.push(key);
      if (value instanceof TreeObject) {
        const child = new TreeObject();
        into.values.push(child);
        waiting.push([child, old, value]);
      } else into.values.push(value);
    };
    if (base instanceof TreeObject) {
      base.keys.forEach((key, index) => {
        const value = last.get(key);
        if (value === undefined) {
          into.keys.push(key);
          into.values.push(base.values[index]!);
        } else {
          put(key, value, base.values[index]);
          last.delete(key);
        }
      });
    }
    for (const [key, value] of last) put(key, value, undefined);
  }
  return merged;
}

/** `duplicate field "data.a"` for every key that an object of the document repeats, in document order. */
export function duplicateKeys(tree: Tree): readonly string[] {
  const found: string[] = [];
  const open: { readonly at: Tree[] | TreeObject; readonly path: string; readonly seen: Set<string>; next: number }[] = [];
  const enter = (at: Tree, path: string) => {
    // A path as long as this says nothing to anybody, and ten thousand of them would be megabytes.
    if ((Array.isArray(at) || at instanceof TreeObject) && path.length < 1024) open.push({ at, path, seen: new Set(), next: 0 });
  };
  enter(tree, "");
  for (let frame = open.at(-1); frame !== undefined; frame = open.at(-1)) {
    const { at, path, seen } = frame;
    const index = frame.next++;
    if (Array.isArray(at)) {
      if (index >= at.length) open.pop();
      else enter(at[index]!, `${path}[${index}]`);
    } else {
      const key = at.keys[index];
      if (key === undefined) open.pop();
      else {
        const name = path === "" ? key : `${path}.${key}`;
        if (seen.has(key)) found.push(`duplicate field "${name}"`);
        seen.add(key);
        enter(at.values[index]!, name);
      }
    }
  }
  return found;
}
