/**
 * Converts the result of a strategic merge to a tree for the decoder of the kind. Upstream converts maps to structs without JSON text,
 * with other rules: a whole float is an integer, and an integer that is too large wraps around.
 */
import { DecodeError } from "../derive/decode.ts";
import { goType } from "../derive/go-type.ts";
import { membersOf } from "../derive/members.ts";
import { parseBase64 } from "../scalars/base64.ts";
import { Unreadable } from "../scalars/unreadable.ts";
import { fold, type Node } from "../schema.ts";
import { NumberText, type Tree, TreeObject } from "../tree/tree.ts";
import { goKindOf, goTypeOf, treeOfUntyped, type Untyped } from "./untyped.ts";
import { typedDepthMax } from "../bounds.ts";

/** `depth`: nesting of structs. */
type Convert = (value: Untyped, depth: number) => Tree;

/**
 * Returns the tree of a value for a schema. Struct keys are in schema order, unknown ones last. Throws DecodeError if a value cannot be
 * converted.
 */
export function convertUntyped(value: Untyped, node: Node): Tree {
  return convert(node)(value, 0);
}

const convert: (node: Node) => Convert = fold<Convert>({
  boolean: () => (value) => value === null || typeof value === "boolean" ? value : refuse("unrecognized type: bool"),
  string: (node) => (value) => {
    if (value === null || typeof value === "string") return value;
    return refuse(typeof value === "bigint" ? `cannot convert int64 to ${goType(node)}` : "unrecognized type: string");
  },
  int32: () => integer(32),
  int64: () => integer(64),
  double: () => (value) => value === null || isNumber(value) ? treeOfUntyped(value) : refuse("unrecognized type: float64"),
  bytes: () => bytes,
  // Types with an UnmarshalJSON method.
  quantity: () => treeOfUntyped,
  intOrString: () => treeOfUntyped,
  time: () => text,
  microTime: () => text,
  duration: () => text,
  raw: () => treeOfUntyped,
  structural: () => treeOfUntyped,
  fieldsV1: () => treeOfUntyped,
  list: ({ of }, go) => {
    const item = go(of);
    return (value, depth) => {
      if (value === null) return value;
      return Array.isArray(value) ? value.map((each) => item(each, depth)) : refuse(`cannot restore slice from ${goKindOf(value)}`);
    };
  },
  record: ({ of }, go) => {
    const member = go(of);
    return (value, depth) => {
      if (value === null) return value;
      if (!(value instanceof Map)) return refuse(`cannot restore map from ${goKindOf(value)}`);
      return new TreeObject([...value.keys()], Array.from(value.values(), (each) => member(each, depth)));
    };
  },
  either: () => treeOfUntyped,
  struct: (node, go) => {
    const members = membersOf(node).map(({ key, node }) => ({ key, convert: go(node) }));
    const known = new Set(members.map(({ key }) => key));
    return (value, depth) => {
      if (value === null) return value;
      if (!(value instanceof Map)) return refuse(`cannot restore struct from: ${goKindOf(value)}`);
      if (depth >= typedDepthMax) return refuse("exceeded max depth");
      const tree = new TreeObject();
      for (const { key, convert } of members) {
        const member = value.get(key);
        if (member !== undefined) push(tree, key, convert(member, depth + 1));
      }
      for (const [key, member] of value) if (!known.has(key)) push(tree, key, treeOfUntyped(member));
      return tree;
    };
  },
}, (get) => (value, depth) => get()(value, depth));

/** Returns a type that is unmarshalled from a string. Errors have no path. */
function text(value: Untyped): Tree {
  const tree = treeOfUntyped(value);
  if (tree === null || typeof tree === "string") return tree;
  return refuse(`json: cannot unmarshal ${jsonKindOf(value)} into Go value of type string`);
}
function jsonKindOf(value: Untyped): string {
  if (typeof value === "boolean") return "bool";
  return Array.isArray(value) ? "array" : value instanceof Map ? "object" : "number";
}

function push(tree: TreeObject, key: string, value: Tree): void {
  tree.keys.push(key);
  tree.values.push(value);
}
function refuse(why: string): never {
  throw new DecodeError(why);
}
function isNumber(value: Untyped): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

function integer(bits: 32 | 64): Convert {
  return (value) => {
    if (value === null) return value;
    if (!isNumber(value)) return refuse(`unrecognized type: int${bits}`);
    if (typeof value === "number" && !Number.isInteger(value)) return refuse(`cannot convert float64 to int${bits}`);
    return new NumberText(BigInt.asIntN(bits, wholeOf(value)).toString());
  };
}
/** Conversion of a whole float by the processor. A float beyond 64 bits becomes the minimum integer. */
function wholeOf(value: number | bigint): bigint {
  const whole = BigInt(value);
  return BigInt.asIntN(64, whole) === whole ? whole : -(2n ** 63n);
}

function bytes(value: Untyped): Tree {
  if (value === null) return value;
  if (Array.isArray(value)) {
    return value.map((each) => {
      if (each === null) return new NumberText("0");
      if (!isNumber(each)) return refuse("unrecognized type: uint8");
      if (typeof each === "number" && !Number.isInteger(each)) return refuse(`cannot convert ${goTypeOf(each)} to uint8`);
      return new NumberText(BigInt.asUintN(8, wholeOf(each)).toString());
    });
  }
  if (typeof value !== "string") return refuse(`cannot restore slice from ${goKindOf(value)}`);
  const read = parseBase64(value);
  return read instanceof Unreadable ? refuse(`error decoding from json: ${read.error}`) : value;
}
