/** Calls of CEL functions as trees of tagged values: their evaluation and their estimated cost, without the parser and the evaluator. */
import { exactly, listBase, mapBase, plus, union, unknownRange } from "../../cel/cost/range.ts";
import type { Environment, FunctionDeclaration, Operand, Overload, Range } from "../../cel/declarations.ts";
import { QuantityValue } from "../../cel/functions/quantity/quantity.ts";
import {
  boolType,
  bytesType,
  doubleType,
  dynType,
  intType,
  listType,
  mapType,
  nullType,
  stringType,
  type Type,
  uintType,
} from "../../cel/types.ts";
import { ArrayList, EntryMap } from "../../cel/value/collections.ts";
import { characters } from "../../cel/value/size.ts";
import { CelError, ListValue, MapValue, OpaqueValue, OptionalValue, Uint, type Value } from "../../cel/values.ts";

/** A tagged value, or a call of a function with its arguments. The receiver of a member function is the first argument. */
export type Tree =
  | { readonly string: string }
  | { readonly int: string }
  | { readonly uint: string }
  | { readonly double: string }
  | { readonly bool: boolean }
  | { readonly null: null }
  | { readonly bytes: string }
  | { readonly list: readonly Tree[] }
  | { readonly map: readonly (readonly [Tree, Tree])[] }
  | { readonly call: string; readonly member?: true; readonly args: readonly Tree[] };

/** The properties of a part of a tree, without and with its evaluation. */
export interface Known {
  readonly type: Type;
  readonly value: Value;
  readonly cost: number;
  readonly estimate: Range;
  readonly size: Range | undefined;
  /** The int of a literal. */
  readonly literal?: bigint;
}

const free = exactly(0n);

function literal(type: Type, value: Value, size = 1): Known {
  return { type, value, cost: 0, estimate: free, size: exactly(BigInt(size)), ...(typeof value === "bigint" ? { literal: value } : {}) };
}

/** Evaluates a tree. Lists and maps of literals cost nothing, because they are made before the evaluation. */
export function evaluateTree(tree: Tree, environment: Environment): Known {
  if ("string" in tree) return literal(stringType, tree.string, characters(tree.string));
  if ("int" in tree) return literal(intType, BigInt(tree.int));
  if ("uint" in tree) return literal(uintType, new Uint(BigInt(tree.uint)));
  if ("double" in tree) return literal(doubleType, Number(tree.double));
  if ("bool" in tree) return literal(boolType, tree.bool);
  if ("null" in tree) return literal(nullType, null);
  if ("bytes" in tree) {
    const bytes = new Uint8Array(Buffer.from(tree.bytes, "base64"));
    return literal(bytesType, bytes, bytes.length);
  }
  if ("call" in tree) return call(tree, environment);
  if ("list" in tree) {
    const items = tree.list.map((each) => evaluateTree(each, environment));
    const estimate = items.reduce((sum, each) => plus(sum, each.estimate), exactly(listBase));
    const value = new ArrayList(items.map((each) => each.value));
    return { type: listType(items[0]?.type ?? dynType), value, cost: 0, estimate, size: exactly(BigInt(items.length)) };
  }
  const map = new EntryMap();
  let estimate = exactly(mapBase);
  for (const [key, value] of tree.map) {
    const knownValue = evaluateTree(value, environment);
    estimate = plus(estimate, knownValue.estimate);
    map.set(evaluateTree(key, environment).value, knownValue.value);
  }
  return { type: mapType(dynType, dynType), value: map, cost: 0, estimate, size: exactly(BigInt(tree.map.length)) };
}

function fits(wanted: Type, given: Type): boolean {
  if (wanted.tag === "dyn" || wanted.tag === "parameter" || given.tag === "dyn" || given.tag === "parameter") return true;
  if (wanted.tag !== given.tag) return false;
  if (wanted.tag === "list" && given.tag === "list") return fits(wanted.of, given.of);
  if (wanted.tag === "object" || wanted.tag === "opaque") return wanted.name === (given as { name: string }).name;
  return true;
}

function call(tree: Extract<Tree, { call: string }>, environment: Environment): Known {
  const args = tree.args.map((each) => evaluateTree(each, environment));
  const declaration = environment.functions.get(tree.call);
  const candidates = declaration?.overloads.filter(({ args: types, member }) =>
    member === (tree.member ?? false) && types.length === args.length && types.every((type, index) => fits(type, args[index]!.type))
  );
  const overload = candidates?.[0];
  if (declaration === undefined || overload === undefined) throw new Error(`no overload: ${JSON.stringify(tree)}`);
  const values = args.map(({ value }) => value);
  const error = values.find((value) => value instanceof CelError);
  const run = overload.call ?? declaration.call!;
  const value = error === undefined || overload.nonStrict ? run(...values) : error;
  const own = declaration.cost?.(overload.id, values, value) ?? 1;
  const estimates = candidates!.map((each) => estimated(declaration, each, args));
  return {
    type: overload.result.tag === "parameter" ? dynType : overload.result,
    value,
    cost: args.reduce((sum, { cost }) => sum + cost, own),
    estimate: args.reduce((sum, { estimate }) => plus(sum, estimate), estimates.map(({ cost }) => cost).reduce(union)),
    size: estimates.findLast(({ resultSize }) => resultSize !== undefined)?.resultSize,
  };
}

function estimated(declaration: FunctionDeclaration, overload: Overload, args: readonly Known[]) {
  const operands = args.map(({ type, size, literal: value }): Operand => ({
    path: [],
    type,
    expr: value === undefined ? { tag: "identifier", id: 0, name: "x" } : { tag: "constant", id: 0, value },
    size,
  }));
  const target = overload.member ? operands[0] : undefined;
  const asked = { function: declaration.name, overload: overload.id, target, args: overload.member ? operands.slice(1) : operands };
  return declaration.estimate?.(asked, { sizeOf: ({ size }) => size ?? unknownRange }) ?? { cost: exactly(1n), resultSize: undefined };
}

/** A value with its tag, doubles as numbers. */
export function tagged(value: Value): unknown {
  if (typeof value === "bigint") return { int: String(value) };
  if (typeof value === "number") return { double: value };
  if (typeof value === "string") return { string: value };
  if (typeof value === "boolean") return { bool: value };
  if (value === null) return { null: null };
  if (value instanceof Uint) return { uint: String(value.value) };
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString("base64") };
  if (value instanceof OptionalValue) return { optional: value.value === undefined ? null : tagged(value.value) };
  if (value instanceof ListValue) return { list: Array.from({ length: value.size }, (_, index) => tagged(value.at(index))) };
  if (value instanceof MapValue) return { map: [...value.keys()].map((key) => [tagged(key), tagged(value.find(key)!)]).sort(byText) };
  if (value instanceof QuantityValue) return value.computed ? { computedQuantity: value.text } : { quantity: value.text };
  const tags: Readonly<Record<string, string>> = {
    "net.IP": "ip",
    "net.CIDR": "cidr",
    "kubernetes.URL": "url",
    "kubernetes.Semver": "semver",
  };
  if (value instanceof OpaqueValue) return { [tags[value.type]!]: (value as unknown as { text: string }).text };
  throw new Error(`no tag for ${String(value)}`);
}

function byText(a: unknown, b: unknown): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}
