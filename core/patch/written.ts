/**
 * Trees with strings in their escaped JSON form, for the two patch formats that upstream applies to JSON text: it parses only the parts that
 * a patch names and copies all others unchanged. All functions are iterative, because documents may have ten thousand levels.
 */
import { compareBytes } from "../tree/sorted-keys.ts";
import { goString } from "../tree/json-text.ts";
import { plainString } from "../tree/json.ts";
import { NumberText, type Tree, TreeObject } from "../tree/tree.ts";

/** Normalises an object on the path of a patch as upstream does: unique, sorted keys with the last value of each. */
export function settle(object: TreeObject): void {
  const { keys, values } = object;
  if (areInByteOrder(keys)) return;
  const last = new Map<string, Tree>();
  keys.forEach((key, index) => last.set(key, values[index]!));
  keys.length = values.length = 0;
  for (const key of inByteOrder([...last.keys()])) {
    keys.push(key);
    values.push(last.get(key)!);
  }
}

/** Sorts different keys in place. */
export function inByteOrder(keys: string[]): readonly string[] {
  return areInByteOrder(keys) ? keys : keys.sort(compareBytes);
}
/** Whether keys are different and sorted. */
function areInByteOrder(keys: readonly string[]): boolean {
  for (let i = 1; i < keys.length; i++) if (compareBytes(keys[i - 1]!, keys[i]!) >= 0) return false;
  return true;
}

/** Returns a deep copy of a tree. */
export function copyOf(tree: Tree): Tree {
  return mapTree(tree, (string) => string);
}

/** Returns the tree with decoded strings, for decoders. The same tree if no string is escaped. */
export function plainTree(written: Tree): Tree {
  return hasEscapes(written) ? mapTree(written, plainString) : written;
}
function hasEscapes(tree: Tree): boolean {
  const waiting: Tree[] = [tree];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next === "string") {
      if (next.includes("\\")) return true;
    } else {
      const items = next instanceof TreeObject ? next.values : Array.isArray(next) ? next : none;
      for (let i = 0; i < items.length; i++) waiting.push(items[i]!);
    }
  }
  return false;
}
const none: readonly Tree[] = Object.freeze([]);

function mapTree(tree: Tree, string: (written: string) => string): Tree {
  const waiting: [from: Tree[] | TreeObject, to: Tree[]][] = [];
  const start = (from: Tree): Tree => {
    if (typeof from === "string") return string(from);
    if (from === null || typeof from !== "object" || from instanceof NumberText) return from;
    const to: Tree[] = [];
    waiting.push([from, to]);
    return Array.isArray(from) ? to : new TreeObject([...from.keys], to);
  };
  const root = start(tree);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [from, to] = next;
    for (const item of Array.isArray(from) ? from : from.values) to.push(start(item));
  }
  return root;
}

/** Returns the compact JSON text of the tree, as upstream writes it. */
export function writtenText(tree: Tree): string {
  const pieces: string[] = [];
  /** The remaining trees and literal texts, in reverse order. */
  const waiting: (Tree | { readonly text: string })[] = [tree];
  while (waiting.length > 0) {
    const next = waiting.pop()!;
    if (next === null || typeof next === "boolean") pieces.push(String(next));
    else if (typeof next === "string") pieces.push(`"${next.replace(htmlOrLine, escapeOf)}"`);
    else if (next instanceof TreeObject) {
      waiting.push({ text: "}" });
      for (let i = next.keys.length - 1; i >= 0; i--) {
        waiting.push(next.values[i]!, { text: `${i === 0 ? "{" : ","}${goString(next.keys[i]!)}:` });
      }
      if (next.keys.length === 0) pieces.push("{");
    } else if (Array.isArray(next)) {
      waiting.push({ text: "]" });
      for (let i = next.length - 1; i >= 0; i--) waiting.push(next[i]!, { text: i === 0 ? "[" : "," });
      if (next.length === 0) pieces.push("[");
    } else pieces.push(next.text);
  }
  return pieces.join("");
}
const htmlOrLine = /[<>&\u2028\u2029]/g;
function escapeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Whether two trees are equal: objects and lists by members, every other value by its written form. */
export function sameWritten(a: Tree, b: Tree): boolean {
  const waiting: [a: Tree, b: Tree][] = [[a, b]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [x, y] = next;
    if (x instanceof TreeObject) {
      if (!(y instanceof TreeObject)) return false;
      const mine = membersOf(x), theirs = membersOf(y);
      if (mine.size !== theirs.size) return false;
      for (const [key, value] of mine) {
        const other = theirs.get(key);
        if (other === undefined) return false;
        waiting.push([value, other]);
      }
    } else if (Array.isArray(x)) {
      if (!Array.isArray(y) || x.length !== y.length) return false;
      x.forEach((item, index) => waiting.push([item, y[index]!]));
    } else if (x instanceof NumberText) {
      if (!(y instanceof NumberText) || x.text !== y.text) return false;
    } else if (x !== y) return false;
  }
  return true;
}

/** Returns the members of an object; the last one of a duplicate key. */
function membersOf(object: TreeObject): ReadonlyMap<string, Tree> {
  const members = new Map<string, Tree>();
  object.keys.forEach((key, index) => members.set(key, object.values[index]!));
  return members;
}
