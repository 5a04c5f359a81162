/**
 * Strategic merge patch: merges lists by the merge keys of the schema, and executes directives in the patch, such as deletions of items.
 */
import { badRequestError } from "../status-error.ts";
import { readJson } from "../tree/json.ts";
import { TreeObject } from "../tree/tree.ts";
import { duplicateKeys } from "./duplicates.ts";
import { notAMap } from "../tree/go-errors.ts";
import { checkOrder, elementType, mergeItems as mergedItems, orderItems } from "./strategic-lists.ts";
import { unknownDirective, wrongArgument } from "./strategic-error.ts";
import type { Shape, ShapeMember } from "./strategic-shape.ts";
import { mergeError } from "./strategic-error.ts";
import { goTypeOf, type Untyped, type UntypedMap } from "./untyped.ts";

export interface StrategicPatch {
  readonly tree: TreeObject;
  /** `duplicate field "data.a"`. */
  readonly findings: readonly string[];
}

/** Reads a patch. Null is an empty patch. Throws 400 with upstream's message for any other value that is not an object. */
export function readStrategicPatch(body: Uint8Array, validates: boolean): StrategicPatch {
  const read = readJson(body);
  const wrong = read.ok ? notAMap(read.tree) : read.error;
  if (!read.ok || wrong !== undefined) throw badRequestError(wrong ?? "");
  const tree = read.tree instanceof TreeObject ? read.tree : new TreeObject();
  return { tree, findings: validates ? duplicateKeys(tree) : [] };
}

const directiveKey = "$patch", retainKey = "$retainKeys", orderPrefix = "$setElementOrder", deletionPrefix = "$deleteFromPrimitiveList";

/**
 * Returns the original with the patch merged in. Modifies both arguments: error messages show the remaining part of the patch, as
 * upstream. Throws upstream's errors: 400 for malformed directives, 500 for values that do not match the schema or the original.
 */
export function strategicMerge(original: UntypedMap, patch: UntypedMap, shape: Shape): UntypedMap {
  const directive = patch.get(directiveKey);
  if (directive !== undefined) {
    if (directive === "delete") return new Map();
    if (directive !== "replace") throw unknownDirective(directive, patch);
    patch.delete(directiveKey);
    return patch;
  }
  retain(original, patch);
  for (const [key, order] of [...patch]) {
    if (key.startsWith(orderPrefix)) mergeOrdered(original, patch, shape, key, order);
  }
  for (const [key, change] of [...patch]) {
    if (key.startsWith(deletionPrefix)) removeItems(original, nameAfter(key, deletionPrefix) || key, change, shape);
    else mergeMember(original, key, change, shape);
  }
  return original;
}

/** `$retainKeys` removes all other keys from the original. It must contain all keys that the patch sets. */
function retain(original: UntypedMap, patch: UntypedMap): void {
  const listed = patch.get(retainKey);
  if (listed === undefined) return;
  patch.delete(retainKey);
  const bad = () => badRequestError("invalid patch format of retainKeys");
  if (!Array.isArray(listed)) throw bad();
  const kept = new Set(listed);
  for (const [key, change] of patch) {
    if (change === null || key.startsWith(deletionPrefix) || key.startsWith(orderPrefix)) continue;
    if (!kept.has(key)) throw bad();
  }
  for (const key of [...original.keys()]) if (!kept.has(key)) original.delete(key);
}

/** Returns the field name in the key of a directive. */
function nameAfter(key: string, prefix: string): string {
  const slash = key.indexOf("/");
  if (slash >= 0 && key.slice(0, slash) === prefix) return key.slice(slash + 1);
  throw badRequestError(`invalid patch format of ${prefix === orderPrefix ? "setElementOrder list" : "primitive list"}`);
}

function mergeMember(original: UntypedMap, key: string, change: Untyped, shape: Shape): void {
  const old = original.get(key);
  if (change === null) original.delete(key);
  else if (old === undefined || goTypeOf(old) !== goTypeOf(change)) {
    dropNulls(change);
    const kept = withoutDirectives(change);
    if (kept === undefined) original.delete(key);
    else original.set(key, kept);
  } else if (change instanceof Map) {
    const { shape: inner, strategy } = shape.member(key);
    // Both have the same type.
    original.set(key, strategy === "replace" ? change : strategicMerge(old as UntypedMap, change, inner));
  } else if (Array.isArray(change)) original.set(key, mergedList(old as Untyped[], change, listMember(shape, key))); // likewise
  else original.set(key, change);
}

/** `$deleteFromPrimitiveList` works on any list, whatever its strategy. */
function removeItems(original: UntypedMap, key: string, unwanted: Untyped, shape: Shape): void {
  const old = original.get(key);
  if (unwanted === null) original.delete(key);
  else if (unwanted instanceof Map && old instanceof Map) mergeMember(original, key, unwanted, shape);
  else if (Array.isArray(unwanted) && Array.isArray(old)) {
    const { items, mergeKey } = listMember(shape, key);
    if (old.length + unwanted.length === 0) return;
    const taken = new Set(unwanted);
    const isScalar = elementType(old, unwanted) !== "map[string]interface {}";
    original.set(key, isScalar ? old.filter((item) => !taken.has(item)) : mergedItems(old, unwanted, mergeKey, items, strategicMerge));
  } else if (old !== undefined && goTypeOf(old) === goTypeOf(unwanted)) original.set(key, unwanted);
}

interface ListMember extends ShapeMember {
  readonly items: Shape;
}
function listMember(shape: Shape, key: string): ListMember {
  const member = shape.member(key);
  const items = member.shape.item();
  if (items === undefined) throw mergeError(`expected slice or array type, but got: ${shape.kind}`);
  if (items.kind === "slice") throw mergeError("unexpected slice of slice");
  return { ...member, items };
}

function mergedList(old: Untyped[], change: Untyped[], { strategy, mergeKey, items }: ListMember): Untyped[] {
  return strategy === "merge" ? mergedItems(old, change, mergeKey, items, strategicMerge) : change;
}

/** `$setElementOrder` of one list: merges the list and sorts it by that order. */
function mergeOrdered(original: UntypedMap, patch: UntypedMap, shape: Shape, key: string, order: Untyped): void {
  patch.delete(key);
  if (!Array.isArray(order)) throw wrongArgument("[]interface {}", order);
  const name = nameAfter(key, orderPrefix);
  const old = original.get(name), change = patch.get(name);
  if (old !== undefined && !Array.isArray(old)) throw wrongArgument("[]interface {}", old);
  if (change !== undefined && !Array.isArray(change)) throw wrongArgument("[]interface {}", change);
  const member = listMember(shape, name);
  checkOrder(change ?? [], order, member.mergeKey);
  if (old === undefined && change === undefined) return;
  const both = change === undefined
    ? old!
    : old === undefined
    ? change.map(withoutDirectives).filter((item) => item !== undefined)
    : mergedList([...old], change, member);
  original.set(name, orderItems(both, order, old ?? [], member.mergeKey, elementType(old ?? [], change ?? [])));
  patch.delete(name);
}

/** Removes null members from every object of a new value. Iterative, because its depth has not been checked. */
function dropNulls(value: Untyped): void {
  const waiting: Untyped[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop()!;
    if (next instanceof Map) {
      for (const [key, member] of [...next]) {
        if (member === null) next.delete(key);
        else waiting.push(member);
      }
    } else if (Array.isArray(next)) { for (const item of next) waiting.push(item); }
  }
}

/** Returns a new value without its directives; undefined if it is a directive itself. */
function withoutDirectives(value: Untyped): Untyped | undefined {
  if (isDirective(value)) return undefined;
  const waiting: Untyped[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop()!;
    if (next instanceof Map) {
      for (const [key, member] of [...next]) {
        if (isDirective(member)) next.delete(key);
        else waiting.push(member);
      }
    } else if (Array.isArray(next)) {
      const kept = next.filter((item) => !isDirective(item));
      next.length = 0;
      for (const item of kept) {
        next.push(item);
        waiting.push(item);
      }
    }
  }
  return value;
}
function isDirective(value: Untyped): boolean {
  return value instanceof Map && value.has(directiveKey);
}
