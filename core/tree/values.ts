/** Conversion between lexical trees and plain values. Iterative, because documents may have ten thousand levels. */

import type { Json } from "../schema.ts";
import { isIntegralDouble, markDouble } from "./doubles.ts";
import { NumberText, type Tree, TreeObject } from "./tree.ts";

const int64Min = -(2n ** 63n);
const int64Max = 2n ** 63n - 1n;

/** Returns the tree of a plain value. Omits undefined members. Numbers must be finite. */
export function treeFromJson(value: Json): Tree {
  const waiting: [source: Json, into: TreeObject | Tree[]][] = [];
  const start = (source: Json): Tree => {
    if (typeof source === "number" || typeof source === "bigint") return new NumberText(numberText(source));
    if (source === null || typeof source !== "object") return source;
    const container = Array.isArray(source) ? [] : new TreeObject();
    waiting.push([source, container]);
    return container;
  };
  const root = start(value);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [source, into] = next;
    if (into instanceof TreeObject) {
      const object = source as { readonly [key: string]: Json | undefined }; // its source is an object
      for (const key of Object.keys(object)) {
        const member = object[key];
        if (member === undefined) continue;
        into.keys.push(key);
        into.values.push(start(member));
      }
    } else for (const item of source as readonly Json[]) into.push(start(item)); // its source is a list
  }
  return root;
}

/**
 * Returns the plain value of a tree; the last duplicate key counts. Integers are numbers while safe and bigints up to int64; other
 * numbers are the nearest double, as in upstream's untyped objects. Integral doubles are marked in their container. A number that
 * exceeds a double becomes Infinity: callers that reject it pass `exceeds`, which is called with its text.
 */
export function jsonFromTree(tree: Tree, exceeds?: (text: string) => void): Json {
  /** Containers below the levels of recursion. */
  const waiting: [source: TreeObject | Tree[], into: Json[] | { [key: string]: Json }][] = [];
  const valueAt = (source: Tree, depth: number): Json => {
    if (source instanceof NumberText) return numberAt(source.text);
    if (source === null || typeof source !== "object") return source;
    const container = Array.isArray(source) ? [] : {};
    if (depth === recursionMax) waiting.push([source, container]);
    else fill(source, container, depth + 1);
    return container;
  };
  const numberAt = (text: string): number | bigint => {
    const value = numberOfText(text);
    if (value === Infinity || value === -Infinity) exceeds?.(text);
    return value;
  };
  const fill = (source: TreeObject | Tree[], into: Json[] | { [key: string]: Json }, depth: number) => {
    if (Array.isArray(into)) {
      for (const item of source as Tree[]) { // its source is a list
        const value = valueAt(item, depth);
        if (typeof value === "number") mark(item, value, into, into.length);
        into.push(value);
      }
    } else if (source instanceof TreeObject) {
      const { keys, values } = source;
      const member = (key: string, at: number) => {
        const value = valueAt(values[at]!, depth);
        if (typeof value === "number") mark(values[at]!, value, into, key);
        setOwn(into, key, value);
      };
      if (areFewDifferent(keys)) {
        for (let at = 0; at < keys.length; at++) member(keys[at]!, at);
        return;
      }
      // Of values that a later duplicate replaces only the numbers are checked.
      const last = new Map<string, number>();
      keys.forEach((key, at) => {
        const before = last.get(key);
        if (before !== undefined && exceeds !== undefined) valueAt(values[before]!, depth);
        last.set(key, at);
      });
      for (const [key, at] of last) member(key, at);
    }
  };
  const root = valueAt(tree, 0);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) fill(next[0], next[1], recursionMax);
  return root;
}
/** Recursion is several times as fast as an explicit list. Deeper levels use the list. */
const recursionMax = 100;

function mark(source: Tree, value: number, into: object, key: string | number): void {
  if (source instanceof NumberText && isIntegralDouble(source.text, value)) markDouble(into, key);
}

/** Whether there are no duplicates, in a list that is short enough to compare each with each. */
function areFewDifferent(keys: readonly string[]): boolean {
  if (keys.length > comparedKeysMax) return false;
  for (let at = 1; at < keys.length; at++) {
    for (let before = 0; before < at; before++) if (keys[at] === keys[before]) return false;
  }
  return true;
}
const comparedKeysMax = 12;

/** Returns the canonical number of a JSON number's text: see `jsonFromTree`. `-0` is 0 and `-0.0` is the double -0. */
export function numberOfText(text: string): number | bigint {
  const double = Number(text);
  if (!/^-?[0-9]+$/.test(text)) return double;
  if (Number.isSafeInteger(double)) return double + 0;
  if (Math.abs(double) > 2 ** 63) return double; // avoids exact parsing of many digits
  const exact = BigInt(text);
  return exact < int64Min || exact > int64Max ? double : exact;
}

/** Returns a number in the format of Go's encoding/json: no exponent from 1e-6 to below 1e21. Throws RangeError unless it is finite. */
export function numberText(value: number | bigint): string {
  if (typeof value === "bigint") return value.toString();
  if (!Number.isFinite(value)) throw new RangeError(`Cannot write ${value} as JSON: it must be finite`);
  return Object.is(value, -0) ? "-0" : String(value);
}

/** Sets an own member, including `__proto__`. */
export function setOwn<T>(object: { [key: string]: T }, key: string, value: T): void {
  if (key !== "__proto__") object[key] = value;
  else Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}
