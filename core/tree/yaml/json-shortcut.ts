/** Fast path for YAML bodies that are JSON, such as most bodies of apply: the same result in a tenth of the time. */

import { readJson } from "../json.ts";
import { NumberText, type Tree, TreeObject } from "../tree.ts";
import { compareByBytes, textOfBytes } from "../utf8.ts";
import { finiteLeaf } from "./decode.ts";
import { resolvePlain } from "./resolve.ts";

// Characters that YAML forbids, U+0085, which it reads as a line break, and U+FFFD, which may replace bytes that are not UTF-8.
const doubtful = /[\u007f-\u009f\ufffd-\uffff]/;

/**
 * Returns the result of `readYaml` for a JSON object with the same meaning in YAML. Undefined for any other body, for duplicate keys and
 * if the meaning could differ.
 */
export function readJsonObject(body: Uint8Array | string): Tree | undefined {
  if ((typeof body === "string" ? body.charCodeAt(0) : body[0]) !== 0x7b) return undefined;
  const text = typeof body === "string" ? body : textOfBytes(body);
  if (doubtful.test(text) || !text.isWellFormed()) return undefined;
  const read = readJson(text);
  return read.ok && normalise(read.tree) ? read.tree : undefined;
}

/**
 * Sorts keys and converts numbers to their form after the conversion of YAML to JSON. Changes the given tree, so it must not be shared. False if
 * YAML could read a key in another way.
 */
function normalise(root: Tree): boolean {
  const waiting: Tree[] = [root];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next instanceof TreeObject && !sortMembers(next)) return false;
    const values = next instanceof TreeObject ? next.values : next as Tree[]; // only containers wait
    for (let at = 0; at < values.length; at++) {
      const value = values[at]!;
      if (value instanceof NumberText) values[at] = normalNumber(value);
      else if (value !== null && typeof value === "object") waiting.push(value);
    }
  }
  return true;
}

/** Sorts the members of an object by key. False for a duplicate. */
function sortMembers({ keys, values }: TreeObject): boolean {
  if (isSorted(keys)) return true;
  const members = keys.map((key, at) => ({ key, value: values[at]! })).sort((a, b) => compareByBytes(a.key, b.key));
  for (const [at, { key, value }] of members.entries()) {
    keys[at] = key;
    values[at] = value;
  }
  return isSorted(keys);
}

/** Whether the keys are in order, without duplicates. */
function isSorted(keys: readonly string[]): boolean {
  for (let at = 1; at < keys.length; at++) if (compareByBytes(keys[at - 1]!, keys[at]!) >= 0) return false;
  return true;
}

function normalNumber(number: NumberText): Tree {
  return /^(?:0|-?[1-9][0-9]{0,17})$/.test(number.text) ? number : finiteLeaf(resolvePlain(number.text));
}
