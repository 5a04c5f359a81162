/** Tolerations as an annotation writes them: JSON that upstream reads into its own type, so that the case of keys does not count. */
import { jsonKind } from "../../../core/tree/go-errors.ts";
import { readJson } from "../../../core/tree/json.ts";
import { NumberText, type Tree, TreeObject } from "../../../core/tree/tree.ts";
import type { Toleration } from "./affinity.ts";

const fields = {
  key: ["Key", "string"],
  operator: ["Operator", "core.TolerationOperator"],
  value: ["Value", "string"],
  effect: ["Effect", "core.TaintEffect"],
  tolerationSeconds: ["TolerationSeconds", "int64"],
} as const;
const secondsMax = 2n ** 63n - 1n;

/** The tolerations, or why they cannot be read, in the words of upstream's reader: the first that is wrong. */
export function tolerationsOfJson(text: string): readonly Toleration[] | string {
  const read = readJson(text);
  if (!read.ok) return read.error;
  if (read.tree === null) return [];
  if (!Array.isArray(read.tree)) return `json: cannot unmarshal ${jsonKind(read.tree)} into Go value of type []core.Toleration`;
  const made: Toleration[] = [];
  for (const item of read.tree) {
    const toleration = item === null ? {} : ofTree(item);
    if (typeof toleration === "string") return toleration;
    made.push(toleration);
  }
  return made;
}

function ofTree(tree: Tree): Toleration | string {
  if (!(tree instanceof TreeObject)) return `json: cannot unmarshal ${jsonKind(tree)} into Go value of type core.Toleration`;
  const made: Record<string, unknown> = {};
  for (const [i, written] of tree.keys.entries()) {
    const key = Object.keys(fields).find((each) => each.toLowerCase() === written.toLowerCase()) as keyof typeof fields | undefined; // its keys
    const value = tree.values[i]!;
    if (key === undefined || value === null) continue;
    const [name, type] = fields[key];
    const taken = type === "int64" ? int64Of(value) : typeof value === "string" ? value : undefined;
    const what = type === "int64" && value instanceof NumberText ? `number ${value.text}` : jsonKind(value);
    if (taken === undefined) return `json: cannot unmarshal ${what} into Go struct field Toleration.${name} of type ${type}`;
    made[key] = taken;
  }
  return made as Toleration; // made of its fields
}

function int64Of(value: Tree): number | bigint | undefined {
  if (!(value instanceof NumberText) || !/^-?[0-9]+$/.test(value.text)) return undefined;
  const number = BigInt(value.text);
  if (number > secondsMax || number < -secondsMax - 1n) return undefined;
  return Number.isSafeInteger(Number(number)) ? Number(number) : number;
}
