/** Handles values with their types: validates them, finds the fields that a value sets, and compares two values. */
import { sameValue } from "../derive/same-value.ts";
import { goQuote } from "../tree/go-quote.ts";
import { goText, shownDepthMax } from "../tree/go-text.ts";
import { type Atom, elementOf, type ListAtom, type MapAtom, memberAtom, oneValue, type ScalarType, type Shape, shapeOf } from "./atom.ts";
import { type Element, elementText, memberElement } from "./element.ts";
import { emptySet, type FieldSet, isEmptySet, leafSet, recursiveDifference, setOf, union } from "./field-set.ts";
import { isObject, type Json, type JsonObject } from "../schema.ts";
import { elementOfItem, isList, itemElement, ownMember } from "./items.ts";

/**
 * Returns the errors of a value in upstream's format; none for a valid value. Duplicates in sets and keyed lists are errors unless allowed.
 */
export function typeProblems(atom: Atom, value: Json, duplicates?: "allowed"): readonly string[] {
  const problems: string[] = [];
  checkValue(atom, value, "", { problems, allowed: duplicates === "allowed" });
  return problems;
}

interface Check {
  readonly problems: string[];
  /** Whether duplicates are allowed. */
  readonly allowed: boolean;
}
/**
 * Whether a value has no `typeProblems` if duplicates are allowed. Stored custom resources may have some after a change of their
 * definition.
 */
export function isTyped(atom: Atom, value: Json): boolean {
  if (value === null || atom === oneValue) return true;
  switch (shapeOf(atom, value)) {
    case "scalar":
      return scalarProblem(atom.scalar!, value) === undefined;
    case "list": {
      const { type, of } = atom.list!;
      return isList(value) && value.every((item) => (type === "atomic" || "element" in itemElement(atom.list!, item)) && isTyped(of, item));
    }
    default: {
      const map = atom.map!;
      return isObject(value) && Object.keys(value).every((key) => {
        const inner = memberAtom(map, key);
        return inner !== undefined && isTyped(inner, value[key]!);
      });
    }
  }
}

/** Whether all items of keyed lists have a key. Decoding has checked the types of everything else. */
export function hasAllKeys(atom: Atom, value: Json): boolean {
  if (atom === oneValue || !canLackKeys(atom)) return true;
  if (isList(value)) {
    const { list } = atom;
    return list === undefined ||
      value.every((item) => (list.type !== "map" || elementOfItem(list, item) !== undefined) && hasAllKeys(list.of, item));
  }
  if (!isObject(value) || atom.map === undefined) return true;
  const { map } = atom;
  return Object.keys(value).every((key) => {
    const inner = memberAtom(map, key);
    return inner === undefined || hasAllKeys(inner, value[key]!);
  });
}

/** Whether an atom contains a list whose items may lack all keys; computed once for each atom. */
const lacking = new WeakMap<Atom, boolean>();

function canLackKeys(atom: Atom): boolean {
  const known = lacking.get(atom);
  if (known !== undefined) return known;
  lacking.set(atom, false); // this ends the recursion for an atom that contains itself
  const { list, map } = atom.scalar !== undefined ? {} : atom;
  const inner = [
    ...list === undefined ? [] : [list.of],
    ...map?.of === undefined ? [] : [map.of],
    ...[...map?.fields?.values() ?? []].map((field) => field.atom),
  ];
  const can = (list?.type === "map" && list.keys.every(({ missing }) => missing === undefined)) || inner.some(canLackKeys);
  lacking.set(atom, can);
  return can;
}
/** Joins all errors to one message. */
export function problemsText(problems: readonly string[]): string {
  return problems.length === 1 ? problems[0]! : ["errors:", ...problems.map((each) => `  ${each}`)].join("\n");
}

function checkValue(atom: Atom, value: Json, path: string, check: Check): void {
  if (value === null || atom === oneValue) return;
  const report = (what: string) => check.problems.push(path === "" ? what : `${path}: ${what}`);
  const shape = shapeOf(atom, value);
  if (shape === "scalar") {
    const wrong = scalarProblem(atom.scalar!, value);
    if (wrong !== undefined) report(wrong);
  } else if (shape === "list") {
    if (!isList(value)) report(`expected list, got &{${goText(value)}}`);
    else checkList(atom.list!, value, path, check);
  } else if (!isObject(value)) report(`expected map, got &{${goText(value)}}`);
  else {
    for (const key of Object.keys(value)) {
      const inner = memberAtom(atom.map!, key);
      const at = `${path}.${key}`;
      // Upstream stops at the first unknown member.
      if (inner === undefined) return void check.problems.push(`${at}: field not declared in schema`);
      checkValue(inner, value[key]!, at, check);
    }
  }
}

function checkList(list: ListAtom, items: readonly Json[], path: string, check: Check): void {
  const seen = new Set<Element>();
  for (const [index, item] of items.entries()) {
    if (list.type === "atomic") {
      checkValue(list.of, item, `${path}[${index}]`, check);
      continue;
    }
    const found = itemElement(list, item);
    if ("problem" in found) return void check.problems.push(`${path}: element ${index}: ${found.problem}`);
    const text = elementText(found.element);
    if (seen.has(found.element) && !check.allowed) check.problems.push(`${path}: duplicate entries for key ${text}`);
    seen.add(found.element);
    checkValue(list.of, item, path + text, check);
  }
}

function scalarProblem(type: ScalarType, value: Json): string | undefined {
  const scalar = typeof value !== "object";
  if (type === "numeric") {
    return typeof value === "number" || typeof value === "bigint" ? undefined : `expected numeric (int or float), got ${goType(value)}`;
  }
  if (type === "string") {
    return typeof value === "string" ? undefined : `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`;
  }
  if (type === "boolean") return typeof value === "boolean" ? undefined : `expected boolean, got &{${goText(value)}}`;
  return scalar ? undefined : `expected any scalar, got &{${goText(value)}}`;
}

/** Returns a value as Go's `%#v` prints it. */
function goSyntax(value: Json, depth = 0): string {
  if (value === null) return "interface {}(nil)";
  if (typeof value === "string") return goQuote(value);
  if (typeof value !== "object") return String(value);
  if (depth === shownDepthMax) return "...";
  if (isList(value)) return `[]interface {}{${value.map((item) => goSyntax(item, depth + 1)).join(", ")}}`;
  const members = Object.keys(value).sort().map((key) => `${goQuote(key)}:${goSyntax(value[key]!, depth + 1)}`);
  return `map[string]interface {}{${members.join(", ")}}`;
}
/** Returns the type of a value as Go's `%T` prints it. */
function goType(value: Json): string {
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "bool";
  if (isList(value)) return "[]interface {}";
  return value === null ? "<nil>" : typeof value === "object" ? "map[string]interface {}" : "float64";
}

/**
 * Returns the fields that a value sets. Of a struct only the leaves are in the set; items of lists and entries of records are in it, too.
 */
export function fieldSetOf(atom: Atom, value: Json): FieldSet {
  const shape = shapeOf(atom, value);
  if (shape === "scalar") return leafSet;
  if (shape === "list") {
    if (atom.list!.type === "atomic") return leafSet;
    return isList(value) ? setOfItems(atom.list!, value) : emptySet;
  }
  const map = atom.map!;
  if (map.atomic) return leafSet;
  if (!isObject(value)) return emptySet;
  const children = new Map<Element, FieldSet>();
  for (const key of Object.keys(value)) {
    const inner = memberAtom(map, key);
    const member = value[key];
    if (inner === undefined || member === undefined) continue;
    const below = fieldSetOf(inner, member);
    const itself = member === null || (isObject(member) && isEmptyObject(member)) || !(map.fields?.has(key) ?? false);
    const set = itself && !below.owned ? setOf(true, below.children) : below;
    if (!isEmptySet(set)) children.set(elementOf(map, key), set);
  }
  return setOf(false, children);
}

function setOfItems(list: ListAtom, items: readonly Json[]): FieldSet {
  const children = new Map<Element, FieldSet>();
  for (const item of items) {
    const element = elementOfItem(list, item);
    if (element === undefined) continue;
    // Duplicates are owned as one value.
    children.set(element, children.has(element) ? leafSet : setOf(true, fieldSetOf(list.of, item).children));
  }
  return setOf(false, children);
}

function isEmptyObject(object: object): boolean {
  for (const key in object) if (Object.hasOwn(object, key)) return false;
  return true;
}

/**
 * The differences between two values: paths that only the new value has, paths with different values, and paths that only the old value
 * has.
 */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}
const nothing: Comparison = Object.freeze({ added: emptySet, modified: emptySet, removed: emptySet });
const modified: Comparison = Object.freeze({ ...nothing, modified: leafSet });

export function isSame(comparison: Comparison): boolean {
  return isEmptySet(comparison.added) && isEmptySet(comparison.modified) && isEmptySet(comparison.removed);
}
/** Returns the comparison without the paths of `ignored` and the paths below them. */
export function withoutIgnored(comparison: Comparison, ignored: FieldSet): Comparison {
  if (isEmptySet(ignored)) return comparison;
  return {
    added: recursiveDifference(comparison.added, ignored),
    modified: recursiveDifference(comparison.modified, ignored),
    removed: recursiveDifference(comparison.removed, ignored),
  };
}

/** Compares an old and a new value of one type. Skips parts that both values share. */
export function compare(atom: Atom, before: Json | undefined, after: Json | undefined): Comparison {
  if (before === after) return nothing;
  if (after === undefined) return { ...nothing, removed: wholeSet(atom, before!) };
  if (before === undefined) return { ...nothing, added: wholeSet(atom, after) };
  const was = shapeOf(atom, before), is = shapeOf(atom, after);
  if (was === is || before === null) return compareAs(atom, is, before, after);
  if (after === null) return compareAs(atom, was, before, after);
  const one = compareAs(atom, was, before, after), other = compareAs(atom, is, before, after);
  return {
    added: union(one.added, other.added),
    modified: union(one.modified, other.modified),
    removed: union(one.removed, other.removed),
  };
}

/** Returns the paths that a value adds or removes as a whole: a list or map is in the set too, in addition to its contents. */
function wholeSet(atom: Atom, value: Json): FieldSet {
  const shape = shapeOf(atom, value);
  if (shape === "list") return isList(value) && atom.list!.type !== "atomic" ? setOf(true, itemsIn(atom.list!, value)) : leafSet;
  return shape === "map" && isObject(value) && !atom.map!.atomic ? setOf(true, membersIn(atom.map!, value)) : leafSet;
}

function membersIn({ fields, of }: MapAtom, object: JsonObject): ReadonlyMap<Element, FieldSet> {
  const children = new Map<Element, FieldSet>();
  for (const key of Object.keys(object)) {
    const field = fields?.get(key), inner = field?.atom ?? of, member = object[key];
    if (inner !== undefined && member !== undefined) children.set(field?.element ?? memberElement(key), wholeSet(inner, member));
  }
  return children;
}

function itemsIn(list: ListAtom, items: readonly Json[]): ReadonlyMap<Element, FieldSet> {
  const children = new Map<Element, FieldSet>();
  for (const item of items) {
    const element = elementOfItem(list, item);
    // Duplicates are one value.
    if (element !== undefined) children.set(element, children.has(element) ? leafSet : wholeSet(list.of, item));
  }
  return children;
}

function compareAs({ list, map }: Atom, shape: Shape, before: Json, after: Json): Comparison {
  if (shape === "scalar") return compareLeaf(before, after);
  if (shape === "list") {
    const old = isList(before) && before.length > 0 ? before : undefined;
    const next = isList(after) && after.length > 0 ? after : undefined;
    if (old === undefined && next === undefined) {
      const { nil } = list!;
      return compareLeaf(before === nil ? null : before, after === nil ? null : after);
    }
    if (list!.type === "atomic") return compareLeaf(before, after);
    if (old === undefined) return { ...nothing, added: setOf(false, itemsIn(list!, next!)) };
    return next === undefined ? { ...nothing, removed: setOf(false, itemsIn(list!, old)) } : compareItems(list!, old, next);
  }
  const old = isObject(before) && !isEmptyObject(before) ? before : undefined;
  const next = isObject(after) && !isEmptyObject(after) ? after : undefined;
  if (map!.atomic || (old === undefined && next === undefined)) return compareLeaf(before, after);
  if (old === undefined) return { ...nothing, added: setOf(false, membersIn(map!, next!)) };
  return next === undefined ? { ...nothing, removed: setOf(false, membersIn(map!, old)) } : compareMembers(map!, old, next);
}

function compareMembers(map: MapAtom, before: JsonObject, after: JsonObject): Comparison {
  const found = new Found();
  for (const key in before) {
    if (!Object.hasOwn(before, key)) continue;
    const inner = memberAtom(map, key), theirs = ownMember(after, key);
    if (inner !== undefined && before[key] !== theirs) found.add(elementOf(map, key), compare(inner, before[key], theirs));
  }
  for (const key in after) {
    if (!Object.hasOwn(after, key) || Object.hasOwn(before, key)) continue;
    const inner = memberAtom(map, key);
    if (inner !== undefined) found.add(elementOf(map, key), compare(inner, undefined, after[key]));
  }
  return found.end();
}

function compareLeaf(before: Json, after: Json): Comparison {
  return sameValue(before, after) ? nothing : modified;
}

function compareItems(list: ListAtom, before: readonly Json[], after: readonly Json[]): Comparison {
  const found = new Found();
  const old = groupItems(list, before), next = groupItems(list, after);
  for (const [element, ours] of old) found.add(element, compareGroups(list.of, ours, next.get(element) ?? []));
  for (const [element, theirs] of next) if (!old.has(element)) found.add(element, compareGroups(list.of, [], theirs));
  return found.end();
}

function groupItems(list: ListAtom, items: readonly Json[]): Map<Element, Json[]> {
  const groups = new Map<Element, Json[]>();
  for (const item of items) {
    const element = elementOfItem(list, item);
    if (element === undefined) continue;
    const group = groups.get(element);
    if (group === undefined) groups.set(element, [item]);
    else group.push(item);
  }
  return groups;
}

/** Duplicates are compared as one value. They are added or removed if the other side has no duplicates. */
function compareGroups(atom: Atom, before: readonly Json[], after: readonly Json[]): Comparison {
  if (before.length <= 1 && after.length <= 1) return compare(atom, before[0], after[0]);
  if (before.length > 1 && after.length > 1) return sameValue(before, after) ? nothing : modified;
  if (before.length > 1) {
    const rest = after.length === 0 ? nothing : compare(atom, undefined, after[0]);
    return { ...rest, removed: setOf(true, rest.removed.children) };
  }
  const rest = before.length === 0 ? nothing : compare(atom, before[0], undefined);
  return { ...rest, added: setOf(true, rest.added.children) };
}

/** Collects comparisons of children. */
class Found {
  #added: Map<Element, FieldSet> | undefined;
  #modified: Map<Element, FieldSet> | undefined;
  #removed: Map<Element, FieldSet> | undefined;
  add(element: Element, { added, modified, removed }: Comparison): void {
    if (added !== emptySet && !isEmptySet(added)) (this.#added ??= new Map()).set(element, added);
    if (modified !== emptySet && !isEmptySet(modified)) (this.#modified ??= new Map()).set(element, modified);
    if (removed !== emptySet && !isEmptySet(removed)) (this.#removed ??= new Map()).set(element, removed);
  }
  end(): Comparison {
    return { added: setOf(false, this.#added), modified: setOf(false, this.#modified), removed: setOf(false, this.#removed) };
  }
}

/** Returns the set with the path of every struct member that has paths below it. */
export function withNamedMembers(atom: Atom, set: FieldSet): FieldSet {
  if (set.children === undefined) return set;
  const children = new Map<Element, FieldSet>();
  for (const [element, child] of set.children) {
    const field = atom.map !== undefined && element[0] === "f" ? atom.map.fields?.get(element.slice(2)) : undefined;
    const inner = field?.atom ?? atom.map?.of ?? atom.list?.of ?? noAtom;
    const below = withNamedMembers(inner, child);
    children.set(element, field !== undefined && !below.owned ? setOf(true, below.children) : below);
  }
  return setOf(set.owned, children);
}
const noAtom: Atom = {};

/**
 * Returns the set after the schema has changed since the set was written: a list or map that is atomic now is owned as one value. One that
 * was atomic and is merged now keeps its path.
 */
export function reconcile(atom: Atom, set: FieldSet): FieldSet {
  if (set.children === undefined) return set;
  const { map, list } = atom;
  if (map !== undefined) {
    if (atom.scalar !== undefined) return set;
    return map.atomic ? leafSet : reconcileChildren(set, (element) => memberAtom(map, element.slice(2)));
  }
  if (list === undefined) return set;
  return list.type === "atomic" ? leafSet : reconcileChildren(set, () => list.of);
}

function reconcileChildren(set: FieldSet, atomAt: (element: Element) => Atom | undefined): FieldSet {
  let changed: Map<Element, FieldSet> | undefined;
  for (const [element, child] of set.children!) { // the caller has checked that there are children
    const atom = child.children === undefined ? undefined : atomAt(element);
    const next = atom === undefined ? child : reconcile(atom, child);
    if (next !== child) (changed ??= new Map(set.children)).set(element, next);
  }
  return changed === undefined ? set : setOf(set.owned, changed);
}
