/** Values and nodes of documents whose scalars are text as it is written. */
import { type Alias, isAlias, isMap, isScalar, isSeq, type Node, Pair, Scalar, YAMLMap, YAMLSeq } from "yaml";
import { isObject, type Json } from "../../core/json.ts";
import { type Resolved, resolvePlain, resolveScalar } from "../../core/tree/yaml/resolve.ts";
import { manifestDepthMax } from "./bounds.ts";

/** Returns the type and value that a server reads from a scalar. */
export function resolveValue({ value, type, tag }: Scalar): Resolved {
  return resolveScalar({ text: String(value), tag: tag ?? "", implicit: (tag ?? "") === "" && (type ?? "PLAIN") === "PLAIN" });
}

/** Returns the node of a value. Text that would be read as another type is quoted. */
export function nodeOf(value: Json): Node {
  if (Array.isArray(value)) {
    const list = new YAMLSeq();
    list.items = value.map(nodeOf);
    return list;
  }
  if (isObject(value)) {
    const map = new YAMLMap();
    map.items = Object.entries(value).map(([name, each]) => new Pair(scalarOf(name), nodeOf(each)));
    return map;
  }
  return scalarOf(value as string | number | boolean | null); // Json that is no list and no object.
}

function scalarOf(value: string | number | boolean | null): Scalar {
  const scalar = new Scalar(String(value));
  scalar.type = typeof value === "string" && resolvePlain(value).type !== "str" ? "QUOTE_DOUBLE" : "PLAIN";
  return scalar;
}

/** How to read values: what aliases stand for, the nodes that may still be read, the depth, and the error for values that cannot be read. */
export interface Reading {
  resolve(alias: Alias): Node | undefined;
  nodes: number;
  depth: number;
  fail(reason: string): Error;
}

/**
 * Returns the value of a node, with aliases followed. Numbers that are not safe integers or finite are text. Throws the error of `fail`
 * for merge keys, too many nodes and too deep ones, which aliases can make of few.
 */
export function valueOf(node: unknown, reading: Reading): Json {
  if (--reading.nodes < 0) throw reading.fail("has too many values");
  if (++reading.depth > manifestDepthMax) throw reading.fail("is nested too deeply");
  const value = isAlias(node) ? valueOf(reading.resolve(node) ?? null, reading) : ownValue(node, reading);
  reading.depth--;
  return value;
}

function ownValue(node: unknown, reading: Reading): Json {
  if (isScalar(node)) {
    const { type, value } = resolveValue(node);
    if (type === "int") return Number.isSafeInteger(Number(value)) ? Number(value) : String(node.value);
    return type === "float" && !Number.isFinite(value) ? String(node.value) : value;
  }
  if (isSeq(node)) return node.items.map((item) => valueOf(item, reading));
  if (!isMap(node)) return null;
  return Object.fromEntries(node.items.map(({ key, value }) => {
    const name = String((key as Scalar).value); // `readDocument` rejects other keys.
    if (name === "<<") throw reading.fail("has a merge key: write the fields out");
    return [name, valueOf(value, reading)];
  }));
}
