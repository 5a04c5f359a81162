/**
 * Sets of fields that a manager owns. A set is a tree of path elements. The path of a node with `owned` is in the set, in addition to
 * the paths below it. Sets are immutable: operations return new sets that share unchanged subtrees.
 */
import { append } from "../append.ts";
import { sharedFieldsV1 } from "../derive/shared-fields.ts";
import type { Json } from "../schema.ts";
import { type Element, elementText, readElement, sortByElement } from "./element.ts";
import { bound } from "../bound.ts";

/** Maximum depth of the path of a managed field: in a schema, and in a value without one. */
export const fieldSetDepthMax = bound(1000);

export interface FieldSet {
  /** Whether the path of this node is in the set. */
  readonly owned: boolean;
  /** The sets below this node. None of them is empty. */
  readonly children?: ReadonlyMap<Element, FieldSet>;
}

export const emptySet: FieldSet = Object.freeze({ owned: false });
/** The set of one path without children. */
export const leafSet: FieldSet = Object.freeze({ owned: true });

export function isEmptySet(set: FieldSet): boolean {
  return !set.owned && set.children === undefined;
}

/** Makes the set of a node and its children. The map must not contain empty sets. */
export function setOf(owned: boolean, children: ReadonlyMap<Element, FieldSet> | undefined): FieldSet {
  if (children === undefined || children.size === 0) return owned ? leafSet : emptySet;
  return { owned, children };
}

/** Makes the set of these paths. */
export function setOfPaths(...paths: readonly (readonly Element[])[]): FieldSet {
  return paths.reduce(
    (set, path) => union(set, path.reduceRight<FieldSet>((below, element) => setOf(false, new Map([[element, below]])), leafSet)),
    emptySet,
  );
}

export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || isEmptySet(b)) return a;
  if (isEmptySet(a)) return b;
  const owned = a.owned || b.owned;
  if (a.children === undefined) return b.owned === owned ? b : setOf(owned, b.children);
  if (b.children === undefined) return a.owned === owned ? a : setOf(owned, a.children);
  let merged: Map<Element, FieldSet> | undefined;
  for (const [element, theirs] of b.children) {
    const ours = a.children.get(element);
    const both = ours === undefined ? theirs : union(ours, theirs);
    if (both !== ours) (merged ??= new Map(a.children)).set(element, both);
  }
  return merged === undefined && a.owned === owned ? a : setOf(owned, merged ?? a.children);
}

/** Returns the paths of `a` that are not in `b`. A path of `b` does not remove the paths below it. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return without(a, b, false);
}
/** Returns the paths of `a` that are neither in `b` nor below a path of `b`. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  return without(a, b, true);
}

function without(a: FieldSet, b: FieldSet, below: boolean): FieldSet {
  if (a === b) return emptySet;
  if (below && b.owned) return emptySet;
  const owned = a.owned && !b.owned;
  if (a.children === undefined || b.children === undefined) return owned === a.owned ? a : setOf(owned, a.children);
  let left: Map<Element, FieldSet> | undefined;
  for (const [element, theirs] of b.children) {
    const ours = a.children.get(element);
    if (ours === undefined) continue;
    const rest = without(ours, theirs, below);
    if (rest === ours) continue;
    left ??= new Map(a.children);
    if (isEmptySet(rest)) left.delete(element);
    else left.set(element, rest);
  }
  return left === undefined && owned === a.owned ? a : setOf(owned, left ?? a.children);
}

export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a;
  const owned = a.owned && b.owned;
  if (a.children === undefined || b.children === undefined) return owned ? leafSet : emptySet;
  const [few, many] = a.children.size <= b.children.size ? [a.children, b.children] : [b.children, a.children];
  let both: Map<Element, FieldSet> | undefined;
  for (const [element, one] of few) {
    const other = many.get(element);
    if (other === undefined) continue;
    const shared = intersection(one, other);
    if (!isEmptySet(shared)) (both ??= new Map()).set(element, shared);
  }
  return setOf(owned, both);
}

export function isSubset(a: FieldSet, b: FieldSet): boolean {
  return isEmptySet(difference(a, b));
}
export function sameSet(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  if (a.owned !== b.owned || a.children?.size !== b.children?.size) return false;
  if (a.children === undefined) return true;
  for (const element of a.children.keys()) {
    const ours = a.children.get(element)!, theirs = b.children!.get(element); // as many as in the other
    if (theirs === undefined || !sameSet(ours, theirs)) return false;
  }
  return true;
}

/** Returns the paths of a set as error messages show them, in upstream's order: members of a node come before the paths below them. */
export function pathTexts(set: FieldSet, prefix = ""): string[] {
  const children = sortedChildren(set);
  const texts = children.filter(([, child]) => child.owned).map(([element]) => prefix + elementText(element));
  for (const [element, child] of children) {
    if (child.children !== undefined) append(texts, pathTexts({ owned: false, children: child.children }, prefix + elementText(element)));
  }
  return texts;
}

function sortedChildren(set: FieldSet): readonly (readonly [Element, FieldSet])[] {
  return set.children === undefined ? [] : sortByElement([...set.children]);
}

/** The sets of FieldsV1 values, and the values of sets. Both are shared and immutable. */
const known = new WeakMap<object, FieldSet>();
const texts = new WeakMap<FieldSet, Json>();

/** Reads the set of a FieldsV1 value. Skips elements of an unknown type. Throws an Error for any other invalid value. */
export function readFieldSet(value: Json | undefined): FieldSet {
  if (value === undefined || value === null) return emptySet;
  if (typeof value !== "object" || Array.isArray(value)) throw new Error("a field set is an object");
  const remembered = known.get(value);
  if (remembered !== undefined) return remembered;
  const form = { canonical: true };
  const read = readNode(value as { readonly [key: string]: Json }, 0, form); // only objects are left
  const set = setOf(false, read.children);
  known.set(value, set);
  if (form.canonical) texts.set(set, value);
  return set;
}

/** Sets `form.canonical` to false if `writeFieldSet` would write the set in another way: clients send null, and a lone `.`. */
function readNode(value: Json, depth: number, form: { canonical: boolean }): FieldSet {
  if (value === null) {
    form.canonical = false;
    return leafSet;
  }
  if (typeof value !== "object" || Array.isArray(value)) throw new Error("a field set is an object");
  if (depth > fieldSetDepthMax) throw new Error("a field set is too deep");
  const object = value as { readonly [key: string]: Json }; // only objects are left
  const children = new Map<Element, FieldSet>();
  let owned = false;
  for (const key of Object.keys(object)) {
    if (key === ".") {
      owned = true;
      continue;
    }
    const element = readElement(key);
    if (element !== undefined) children.set(element, readNode(object[key]!, depth + 1, form));
    else form.canonical = false;
  }
  if (owned && (children.size === 0 || depth === 0)) form.canonical = false;
  return setOf(owned || children.size === 0, children);
}

/** Characters of the elements of sets whose values are remembered: objects of one shape have equal sets. */
const rememberedCharactersMax = bound(256 * 1024);
/** Characters of the elements of one set: larger sets are written anew. */
const setCharactersMax = bound(8_000);
/** Characters at the end of an element that count for the sum of its set. */
const summedCharacters = 8;

interface Sum {
  value: number;
  /** Characters of the elements. */
  characters: number;
}

/** Adds what distinguishes a set from most others to `sum`. Equal sets whose elements have the same order have equal sums. */
function addToSum(set: FieldSet, sum: Sum): void {
  sum.value = Math.imul(sum.value, 31) + (set.owned ? 1 : 2);
  if (set.children === undefined) return;
  // `forEach`, because a loop over a map makes a pair for each entry.
  set.children.forEach((child, element) => {
    sum.characters += element.length;
    let value = sum.value;
    for (let at = Math.max(0, element.length - summedCharacters); at < element.length; at++) {
      value = Math.imul(value, 31) + element.charCodeAt(at);
    }
    sum.value = value | 0;
    if (child !== leafSet) addToSum(child, sum);
  });
  sum.value = Math.imul(sum.value, 31) | 0;
}

/** The written values of sets, by their sums. */
const written = { bySum: new Map<number, { readonly set: FieldSet; readonly value: Json }>(), characters: 0 };

/** Writes a set as a FieldsV1 value, with keys in upstream's order and `.` first. Equal sets have the same value, unless they are large. */
export function writeFieldSet(set: FieldSet): Json {
  const remembered = texts.get(set);
  if (remembered !== undefined) return remembered;
  if (set === emptySet || set === leafSet) return writeNode(set, false);
  const value = writtenBefore(set) ?? sharedFieldsV1(writeNode(set, false));
  texts.set(set, value);
  if (!known.has(value as object)) known.set(value as object, set); // a set is written as an object
  return value;
}

/** The value of an equal set, which is remembered from now on. Undefined for a large set. */
function writtenBefore(set: FieldSet): Json | undefined {
  const sum: Sum = { value: 0, characters: 0 };
  addToSum(set, sum);
  const found = written.bySum.get(sum.value);
  if (found !== undefined && sameSet(found.set, set)) return found.value;
  if (sum.characters > setCharactersMax) return undefined;
  const value = sharedFieldsV1(writeNode(set, false));
  written.characters += sum.characters;
  if (written.characters > rememberedCharactersMax) {
    written.bySum.clear();
    written.characters = sum.characters;
  }
  written.bySum.set(sum.value, { set, value });
  return value;
}

const nothingBelow: Json = Object.freeze({});

function writeNode(set: FieldSet, shows: boolean): Json {
  if (set.children === undefined) return nothingBelow;
  const out: Record<string, Json> = {};
  if (shows && set.owned) out["."] = nothingBelow;
  for (const [element, child] of sortedChildren(set)) out[element] = writeNode(child, true);
  return out;
}
