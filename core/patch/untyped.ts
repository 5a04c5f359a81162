/**
 * Values without a schema as in upstream's strategic merge: integers and floats are distinct types, keys of objects are unique. The caller
 * owns them and may change them in place.
 */
import { compareBytes } from "../tree/sorted-keys.ts";
import { NumberText, type Tree, TreeObject } from "../tree/tree.ts";
import { numberText } from "../tree/values.ts";

export type UntypedMap = Map<string, Untyped>;
/** An int64 is a bigint, a float64 a number. */
export type Untyped = null | boolean | string | bigint | number | Untyped[] | UntypedMap;

/** Returns the value of a tree; the last duplicate key counts. Iterative. Numbers must be finite: see `notAMap`. */
export function untypedOf(tree: Tree): Untyped {
  const waiting: [from: Tree[] | TreeObject, to: Untyped[] | UntypedMap][] = [];
  const start = (from: Tree): Untyped => {
    if (from instanceof NumberText) return numberOf(from.text);
    if (from === null || typeof from !== "object") return from;
    const to = Array.isArray(from) ? [] : new Map<string, Untyped>();
    waiting.push([from, to]);
    return to;
  };
  const root = start(tree);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [from, to] = next;
    const values = Array.isArray(from) ? from : from.values;
    for (let i = 0; i < values.length; i++) {
      if (Array.isArray(to)) to.push(start(values[i]!));
      else if (from instanceof TreeObject) to.set(from.keys[i]!, start(values[i]!));
    }
  }
  return root;
}

/** Digits in the range of int64 are an int64, any other number is a float64. */
function numberOf(text: string): bigint | number {
  if (!/^-?[0-9]{1,19}$/.test(text)) return Number(text);
  const exact = BigInt(text);
  return BigInt.asIntN(64, exact) === exact ? exact : Number(text);
}

/** Returns the tree of a value, numbers as Go writes them. Iterative. */
export function treeOfUntyped(value: Untyped): Tree {
  const waiting: [from: Untyped[] | UntypedMap, to: Tree[]][] = [];
  const start = (from: Untyped): Tree => {
    if (typeof from === "number" || typeof from === "bigint") return new NumberText(numberText(from));
    if (from === null || typeof from !== "object") return from;
    const to: Tree[] = [];
    waiting.push([from, to]);
    return from instanceof Map ? new TreeObject([...from.keys()], to) : to;
  };
  const root = start(value);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [from, to] = next;
    for (const item of from.values()) to.push(start(item));
  }
  return root;
}

/** Returns the reflect.Type name of the value in Go. */
export function goTypeOf(value: Untyped): string {
  if (value === null) return "%!s(<nil>)";
  if (Array.isArray(value)) return "[]interface {}";
  if (value instanceof Map) return "map[string]interface {}";
  const names = { boolean: "bool", string: "string", bigint: "int64", number: "float64" } as const;
  return names[typeof value as keyof typeof names]; // the rest of the union
}
/** Returns the reflect.Kind of the value in Go. */
export function goKindOf(value: Untyped): string {
  return Array.isArray(value) ? "slice" : value instanceof Map ? "map" : goTypeOf(value);
}

/** Returns the value in Go's `%v` format: `map[a:1 b:[x y] c:<nil>]`. Iterative. */
export function goText(value: Untyped): string {
  const pieces: string[] = [];
  /** The remaining values and literal texts, in reverse order. */
  const waiting: ({ readonly text: string } | { readonly value: Untyped })[] = [{ value }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if ("text" in next) pieces.push(next.text);
    else if (Array.isArray(next.value)) {
      const items = next.value;
      waiting.push({ text: "]" });
      for (let i = items.length - 1; i >= 0; i--) waiting.push({ value: items[i]! }, { text: i === 0 ? "" : " " });
      waiting.push({ text: "[" });
    } else if (next.value instanceof Map) {
      const members = [...next.value].sort(([a], [b]) => compareBytes(b, a));
      waiting.push({ text: "]" });
      members.forEach(([key, member], at) => waiting.push({ value: member }, { text: `${at === members.length - 1 ? "" : " "}${key}:` }));
      waiting.push({ text: "map[" });
    } else if (next.value === null) pieces.push("<nil>");
    else pieces.push(typeof next.value === "number" ? floatText(next.value) : String(next.value));
  }
  return pieces.join("");
}

/** Returns a float in `%v` format: with an exponent below 1e-4 and from 1e6. */
function floatText(value: number): string {
  const [digits = "", exponent = ""] = value.toExponential().split("e");
  const power = Number(exponent);
  if (power >= -4 && power < 6) return Object.is(value, -0) ? "-0" : String(value);
  return `${digits}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}
