/** Fast path for YAML bodies that are JSON, such as most bodies of apply: the same result in a tenth of the time. */

import { readJson } from "../json.ts";
import { NumberText, type Tree, TreeObject } from "../tree.ts";
import { compareByBytes, textOfBytes } from "../utf8.ts";
import { finiteLeaf } from "./decode.ts";
import { resolvePlain } from "./resolve.ts";

// Differences between JSON and YAML: tabs, characters that YAML forbids or reads as line breaks, escapes that YAML lacks, white space
// between a key and its colon, and U+FFFD, which may replace bytes that are not UTF-8.
const doubtful = /[\t\u007f-\u009f\u2028\u2029\ufeff\ufffd-\uffff]|[ \r\n]:|\\(?:\/|u[dD][89a-fA-F])/;

/** Length of a key that is within the 1,024 characters up to the colon in YAML with any escapes. */
const keyLengthMax = 160;

/**
 * The result of `readYaml` for a JSON object with the same meaning in YAML. Undefined for any other body, for duplicate keys and if the
 * meaning could differ.
 */
export function readJsonObject(body: Uint8Array | string): Tree | undefined {
  if ((typeof body === "string" ? body.charCodeAt(0) : body[0]) !== 0x7b) return undefined;
  const text = typeof body === "string" ? body : textOfBytes(body);
  if (doubtful.test(text) || !text.isWellFormed()) return undefined;
  const read = readJson(text);
  return read.ok ? normalise(read.tree) : undefined;
}

/** Sorts keys and converts numbers to their form after the conversion of YAML to JSON. */
function normalise(root: Tree): Tree | undefined {
  const waiting: [from: TreeObject | Tree[], to: TreeObject | Tree[]][] = [];
  const start = (tree: Tree): Tree => {
    if (tree instanceof NumberText) return normalNumber(tree);
    if (tree === null || typeof tree !== "object") return tree;
    const to = Array.isArray(tree) ? [] : new TreeObject();
    waiting.push([tree, to]);
    return to;
  };
  const result = start(root);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [from, to] = next;
    if (Array.isArray(to)) { for (const item of from as Tree[]) to.push(start(item)); // both are lists
     } else if (from instanceof TreeObject) {
      const { keys } = from, order = keys.map((_, at) => at).sort((a, b) => compareByBytes(keys[a]!, keys[b]!));
      for (const at of order) {
        const key = keys[at]!;
        if (key === to.keys.at(-1) || key.length > keyLengthMax) return undefined;
        to.keys.push(key);
        to.values.push(start(from.values[at] ?? null));
      }
    }
  }
  return result;
}

function normalNumber(number: NumberText): Tree {
  return /^(?:0|-?[1-9][0-9]{0,17})$/.test(number.text) ? number : finiteLeaf(resolvePlain(number.text));
}
