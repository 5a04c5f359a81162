import { compareByBytes } from "./utf8.ts";
import { type Tree, TreeObject } from "./tree.ts";

/**
 * Sorts the members of all objects of the tree by the bytes of their keys, the order of maps in Go, and returns the tree. Iterative, because
 * documents may have ten thousand levels.
 */
export function inOrder<T extends Tree>(tree: T): T {
  const waiting: Tree[] = [tree];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (Array.isArray(next)) { for (const value of next) waiting.push(value); }
    if (!(next instanceof TreeObject)) continue;
    const { keys, values } = next;
    const members = keys.map((key, index) => [key, values[index] ?? null] as const).sort(([a], [b]) => compareByBytes(a, b));
    for (const [index, [key, value]] of members.entries()) {
      keys[index] = key;
      values[index] = value;
      waiting.push(value);
    }
  }
  return tree;
}
