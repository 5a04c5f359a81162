/** Tolerations in annotations. As with Go's decoder, the keys of the JSON are case-insensitive. */
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

/**
 * Parses tolerations in an annotation. Returns the text of Go's first decoding error if it is invalid. `goPackage`: the package of the type into
 * which upstream decodes, which its errors name.
 */
export function tolerationsOfJson(text: string, goPackage: "core" | "v1" = "core"): readonly Toleration[] | string {
  const read = readJson(text);
  if (!read.ok) return read.error;
  if (read.tree === null) return [];
  if (!Array.isArray(read.tree)) return `json: cannot unmarshal ${jsonKind(read.tree)} into Go value of type []${goPackage}.Toleration`;
  const tolerations: Toleration[] = [];
  for (const item of read.tree) {
    const toleration = item === null ? {} : ofTree(item, goPackage);
    if (typeof toleration === "string") return toleration;
    tolerations.push(toleration);
  }
  return tolerations;
}

function ofTree(tree: Tree, goPackage: "core" | "v1"): Toleration | string {
  if (!(tree instanceof TreeObject)) return `json: cannot unmarshal ${jsonKind(tree)} into Go value of type ${goPackage}.Toleration`;
  const toleration: Record<string, unknown> = {};
  for (const [i, written] of tree.keys.entries()) {
    const key = Object.keys(fields).find((each) => each.toLowerCase() === written.toLowerCase()) as keyof typeof fields | undefined; // `as`: a key of `fields`
    const value = tree.values[i]!;
    if (key === undefined || value === null) continue;
    const [name, type] = fields[key];
    const decoded = type === "int64" ? int64Of(value) : typeof value === "string" ? value : undefined;
    const what = type === "int64" && value instanceof NumberText ? `number ${value.text}` : jsonKind(value);
    const shown = goPackage === "core" ? name : key, typeName = type.replace("core.", `${goPackage}.`);
    if (decoded === undefined) return `json: cannot unmarshal ${what} into Go struct field Toleration.${shown} of type ${typeName}`;
    toleration[key] = decoded;
  }
  return toleration as Toleration; // `as`: it has these fields only
}

function int64Of(value: Tree): number | bigint | undefined {
  if (!(value instanceof NumberText) || !/^-?[0-9]+$/.test(value.text)) return undefined;
  const number = BigInt(value.text);
  if (number > secondsMax || number < -secondsMax - 1n) return undefined;
  return Number.isSafeInteger(Number(number)) ? Number(number) : number;
}
