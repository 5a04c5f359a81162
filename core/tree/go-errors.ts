/** Error messages of Go's decoder for documents of the wrong type. */
import { NumberText, type Tree, TreeObject } from "./tree.ts";

/** Returns the name of a JSON value in messages of Go's decoder. */
export function jsonKind(tree: Tree): string {
  if (typeof tree === "string") return "string";
  if (typeof tree === "boolean") return "bool";
  if (Array.isArray(tree)) return "array";
  return tree instanceof TreeObject ? "object" : tree === null ? "null" : "number";
}

/** Returns the first number of the tree, in document order, that exceeds a double. */
export function hugeNumber(tree: Tree): string | undefined {
  const waiting: Tree[] = [tree];
  while (waiting.length > 0) {
    const next = waiting.pop()!;
    if (next instanceof NumberText) {
      if (!Number.isFinite(Number(next.text))) return next.text;
    } else if (next !== null && typeof next === "object") {
      const items = Array.isArray(next) ? next : next.values;
      for (let i = items.length - 1; i >= 0; i--) waiting.push(items[i]!);
    }
  }
  return undefined;
}

/** Go's error for a document that is not a map of JSON values; undefined for a map or null. */
export function notAMap(tree: Tree): string | undefined {
  if (tree !== null && !(tree instanceof TreeObject)) {
    return `json: cannot unmarshal ${jsonKind(tree)} into Go value of type map[string]interface {}`;
  }
  const huge = hugeNumber(tree);
  return huge === undefined ? undefined : `json: cannot unmarshal number ${huge} into Go value of type float64`;
}
