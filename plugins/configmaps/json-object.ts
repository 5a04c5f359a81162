import { readJson } from "../../core/tree/json.ts";
import { NumberText, type Tree, TreeObject } from "../../core/tree/tree.ts";

/** Why the bytes are not a JSON object, in the words of upstream's reader; undefined when they are one, or `null`. */
export function jsonObjectProblem(bytes: Uint8Array): string | undefined {
  const read = readJson(bytes);
  if (!read.ok) return read.error;
  if (read.tree === null) return undefined;
  if (!(read.tree instanceof TreeObject)) {
    return `json: cannot unmarshal ${kindOf(read.tree)} into Go value of type map[string]interface {}`;
  }
  const huge = hugeNumber(read.tree);
  return huge === undefined ? undefined : `json: cannot unmarshal number ${huge} into Go value of type float64`;
}

function kindOf(tree: Tree): string {
  if (Array.isArray(tree)) return "array";
  if (typeof tree === "boolean") return "bool";
  return typeof tree === "string" ? "string" : "number";
}

/** The first number that a double cannot hold, in the order of the document. */
function hugeNumber(root: Tree): string | undefined {
  const waiting: Tree[] = [root];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (at instanceof NumberText && !Number.isFinite(Number(at.text))) return at.text;
    const parts = at instanceof TreeObject ? at.values : Array.isArray(at) ? at : [];
    for (let i = parts.length - 1; i >= 0; i--) waiting.push(parts[i]!);
  }
  return undefined;
}
