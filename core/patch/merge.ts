/** JSON Merge Patch (RFC 7386) over trees. */
import { type Tree, TreeObject } from "../tree/tree.ts";

/** `target` with the patch merged in: null removes, objects merge, everything else replaces. Of a repeated key in the
 *  patch the last value counts. Neither argument is changed. */
export function mergePatch(target: Tree | undefined, patch: Tree): Tree {
  if (!(patch instanceof TreeObject)) return patch;
  const base = target instanceof TreeObject ? target : new TreeObject();
  const keys = [...base.keys], values = [...base.values];
  patch.keys.forEach((key, index) => {
    if (patch.keys.lastIndexOf(key) !== index) return;
    const value = patch.values[index]!;
    const at = keys.lastIndexOf(key);
    if (value === null) {
      if (at >= 0) {
        keys.splice(at, 1);
        values.splice(at, 1);
      }
    } else if (at >= 0) values[at] = mergePatch(values[at], value);
    else {
      keys.push(key);
      values.push(mergePatch(undefined, value));
    }
  });
  return new TreeObject(keys, values);
}

/** `duplicate field "data.a"` for every key that an object of the document repeats, inner ones first. */
export function duplicateKeys(tree: Tree, path = ""): readonly string[] {
  if (Array.isArray(tree)) return tree.flatMap((item, index) => duplicateKeys(item, `${path}[${index}]`));
  if (!(tree instanceof TreeObject)) return [];
  const seen = new Set<string>();
  return tree.keys.flatMap((key, index) => {
    const at = path === "" ? key : `${path}.${key}`;
    const own = seen.has(key) ? [`duplicate field "${at}"`] : [];
    seen.add(key);
    return [...own, ...duplicateKeys(tree.values[index]!, at)];
  });
}
