/** Merges an applied value into a live one, and removes fields from a value. */
import { setOwn } from "../tree/values.ts";
import { type Atom, elementOf, type ListAtom, type MapAtom, memberAtom, shapeOf } from "./atom.ts";
import type { Element } from "./element.ts";
import type { FieldSet } from "./field-set.ts";
import { isObject, type Json, type JsonObject } from "../schema.ts";
import { elementOfItem, isList, ownMember } from "./items.ts";

/** Returns the live value with the applied value merged into it. Parts that the applied value does not mention are shared, not copied. */
export function merge(atom: Atom, live: Json | undefined, applied: Json | undefined): Json | undefined {
  if (applied === undefined || live === applied) return live;
  if (live === undefined) return applied;
  const shape = shapeOf(atom, applied === null ? live : applied);
  if (shape === "scalar") return applied;
  if (shape === "list") {
    const old = isList(live) ? live : [], next = isList(applied) ? applied : [];
    if (atom.list!.type === "atomic" || (old.length === 0 && next.length === 0)) return applied;
    return mergeItems(atom.list!, old, next);
  }
  const old = isObject(live) ? live : {}, next = isObject(applied) ? applied : {};
  if (atom.map!.atomic || (Object.keys(old).length === 0 && Object.keys(next).length === 0)) return applied;
  return mergeMembers(atom.map!, old, next);
}

function mergeMembers(map: MapAtom, live: JsonObject, applied: JsonObject): Json {
  let merged: Record<string, Json> | undefined;
  for (const key of Object.keys(applied)) {
    const inner = memberAtom(map, key);
    const old = ownMember(live, key);
    const next = inner === undefined ? old : merge(inner, old, applied[key]);
    if (next !== undefined && (next !== old || !Object.hasOwn(live, key))) setOwn(merged ??= { ...live }, key, next);
  }
  return merged ?? live;
}

/**
 * Merges the items of both lists. Items of the applied list keep their order. An item that only the live list has stays before the next
 * shared item: live `a x b` with applied `b a` gives `x b a`. Follows upstream's merge step by step.
 */
function mergeItems(list: ListAtom, live: readonly Json[], applied: readonly Json[]): Json {
  const ours = indexItems(list, live), theirs = indexItems(list, applied);
  const shared = theirs.order.filter((element) => ours.items.has(element));
  let nextShared = 0;
  const merged = new Set<Element>();
  const out: Json[] = [];
  const push = (item: Json | undefined) => {
    if (item !== undefined) out.push(item);
  };
  const take = (element: Element) => {
    merged.add(element);
    push(merge(list.of, ours.items.get(element), theirs.items.get(element)));
  };
  let l = 0, r = 0;
  while (l < ours.order.length || r < theirs.order.length) {
    const left = ours.order[l], right = theirs.order[r];
    if (left !== undefined && right !== undefined) {
      if (left === right) {
        take(left);
        l++;
        r++;
        nextShared++;
        continue;
      }
      // The item is shared, but is not the next shared one.
      if (theirs.items.has(left) && nextShared < shared.length && shared[nextShared] !== left) {
        l++;
        continue;
      }
    }
    if (left !== undefined) {
      if (!theirs.items.has(left)) {
        push(ours.values[l]);
        l++;
        continue;
      }
      if (merged.has(left)) l++;
    }
    if (right !== undefined) {
      take(right);
      r++;
      if (shared[nextShared] === right) nextShared++;
    }
  }
  return out.length === live.length && out.every((item, i) => item === live[i]) ? live : out;
}

/** Returns the elements in order, and the items by element. The item of a duplicate element is undefined. */
function indexItems(list: ListAtom, items: readonly Json[]): { order: Element[]; values: Json[]; items: Map<Element, Json | undefined> } {
  const order: Element[] = [], values: Json[] = [];
  const byElement = new Map<Element, Json | undefined>();
  for (const item of items) {
    const element = elementOfItem(list, item);
    if (element === undefined) continue;
    byElement.set(element, byElement.has(element) ? undefined : item);
    order.push(element);
    values.push(item);
  }
  return { order, values, items: byElement };
}

/**
 * Returns the value without the fields of the set, or the same value if it has none of them. A container that becomes empty becomes null.
 */
export function removeFields(atom: Atom, value: Json, gone: FieldSet): Json {
  if (gone.children === undefined) return value;
  const shape = shapeOf(atom, value);
  if (shape === "scalar") return value;
  if (shape === "list") {
    if (!isList(value) || value.length === 0 || atom.list!.type === "atomic") return null;
    return removeItems(atom.list!, value, gone);
  }
  const map = atom.map!;
  if (!isObject(value) || map.atomic) return null;
  const kept: Record<string, Json> = {};
  let changed = false, any = false;
  for (const key of Object.keys(value)) {
    const part = gone.children.get(elementOf(map, key));
    const inner = memberAtom(map, key);
    if (part?.owned) {
      changed = true;
      continue;
    }
    const next = part === undefined || inner === undefined ? value[key]! : removeInside(inner, value[key]!, part);
    if (next !== value[key]) changed = true;
    setOwn(kept, key, next);
    any = true;
  }
  return !any ? null : changed ? kept : value;
}

/** Does the same as `removeFields` for a member or an item, which is kept. If it becomes empty, it is an empty map or list. */
function removeInside(atom: Atom, value: Json, gone: FieldSet): Json {
  const next = removeFields(atom, value, gone);
  if (next !== null) return next;
  return isList(value) ? [] : isObject(value) ? {} : null;
}

function removeItems(list: ListAtom, items: readonly Json[], gone: FieldSet): Json {
  let changed = false;
  const kept: Json[] = [];
  for (const item of items) {
    const element = elementOfItem(list, item);
    const part = element === undefined ? undefined : gone.children!.get(element); // the caller has checked that there are children
    if (part?.owned) {
      changed = true;
      continue;
    }
    const next = part === undefined ? item : removeInside(list.of, item, part);
    if (next !== item) changed = true;
    kept.push(next);
  }
  return kept.length === 0 ? null : changed ? kept : items;
}
