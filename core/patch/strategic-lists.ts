/** Lists in strategic merge: merges items by key, and orders them by the order of the patch, if given. */
import { listOfLists, mergeError, noMergeKey, unknownDirective, wrongArgument } from "./strategic-error.ts";
import type { Shape } from "./strategic-shape.ts";
import { goText, goTypeOf, type Untyped, type UntypedMap } from "./untyped.ts";

/** Returns the Go type of all items. Throws for different types, for lists, and if there are no items. */
export function elementType(...lists: readonly Untyped[][]): string {
  const [first, ...rest] = lists.flat();
  if (first === undefined) throw mergeError("no elements in any of the given slices");
  if (Array.isArray(first)) throw listOfLists();
  const type = goTypeOf(first);
  if (first === null || rest.some((item) => goTypeOf(item) !== type)) {
    throw mergeError(`list element types are not identical: [${lists.map(goText).join(" ")}]`);
  }
  return type;
}

const mapType = "map[string]interface {}";

/** Merges objects. A parameter, because the modules of objects and lists would import each other. */
type MergeMaps = (original: UntypedMap, patch: UntypedMap, shape: Shape) => UntypedMap;

/** Returns the items of both lists: unique scalars, objects merged by key. In the order of the patch, if given. */
export function mergeItems(original: Untyped[], patch: Untyped[], mergeKey: string, items: Shape, mergeMaps: MergeMaps): Untyped[] {
  if (original.length === 0 && patch.length === 0) return original;
  const type = elementType(original, patch);
  if (type !== mapType) return orderItems([...new Set([...original, ...patch])], patch, original, mergeKey, type);
  if (mergeKey === "") throw mergeError(`cannot merge lists without merge key for ${items.kind}`);
  const { kept, changes } = followDirectives(original, patch, mergeKey);
  const all = [...kept];
  const index = indexOf(all, mergeKey);
  for (const change of changes) {
    const key = keyOf(change, mergeKey);
    const at = index.get(key);
    if (at === undefined) index.set(key, all.push(change) - 1);
    // Items of the list are objects: the caller has checked their type.
    else all[at] = mergeMaps(all[at] as UntypedMap, change as UntypedMap, items);
  }
  return orderItems(all, changes, kept, mergeKey, type);
}

/** Executes the directives of a patch's items. Returns the kept items of the original and the items to merge into them. */
function followDirectives(original: Untyped[], patch: Untyped[], mergeKey: string): { kept: Untyped[]; changes: Untyped[] } {
  const changes: Untyped[] = [], deleted = new Set<Untyped>();
  let replaces = false;
  for (const item of patch) {
    const map = item as UntypedMap; // the caller has checked the type of all items
    const directive = map.get("$patch");
    if (directive === undefined) changes.push(item);
    else if (directive === "delete") deleted.add(keyOf(item, mergeKey));
    else if (directive === "replace") replaces = true;
    else if (directive === "merge") throw mergeError("merging lists cannot yet be specified in the patch");
    else throw unknownDirective(directive, map);
  }
  if (replaces) return { kept: changes, changes: [] };
  const kept = deleted.size === 0 ? original : original.filter((item) => !deleted.has((item as UntypedMap).get(mergeKey) ?? noKey)); // as above
  return { kept, changes };
}
/** The key of an item without one. It equals no other key. */
const noKey: Untyped = Object.freeze([]) as unknown as Untyped[]; // only compared, never changed

/** Returns the identity of an item: the value of its merge key, or the item itself in lists without one. Throws unless it is a scalar. */
function keyOf(item: Untyped, mergeKey: string): Untyped {
  if (mergeKey !== "" && !(item instanceof Map)) throw wrongArgument(mapType, item);
  const key = item instanceof Map && mergeKey !== "" ? item.get(mergeKey) : item;
  if (key === undefined) throw noMergeKey(item as UntypedMap, mergeKey); // only an object has no key
  // Go panics when it compares these.
  if (Array.isArray(key) || key instanceof Map) throw mergeError(`runtime error: comparing uncomparable type ${goTypeOf(key)}`);
  return key;
}

/** Returns the first index of each key in the list. */
function indexOf(list: readonly Untyped[], mergeKey: string): Map<Untyped, number> {
  const index = new Map<Untyped, number>();
  list.forEach((item, at) => {
    const key = mergeKey !== "" && item instanceof Map ? item.get(mergeKey) : item;
    if (key !== undefined && !index.has(key)) index.set(key, at);
  });
  return index;
}

/**
 * Returns the items in their final order: items in the patch's order follow that order; the others keep the order of the original, each
 * before the first ordered item that followed it in the original.
 */
export function orderItems(items: Untyped[], order: Untyped[], original: Untyped[], mergeKey: string, type: string): Untyped[] {
  const inOrder = indexOf(order, mergeKey), inOriginal = indexOf(original, mergeKey);
  if (type === mapType) { for (const item of [...items, ...order, ...original]) keyOf(item, mergeKey); }
  const rankItems = (of: Map<Untyped, number>, named: boolean) =>
    items.filter((item) => inOrder.has(keyOf(item, mergeKey)) === named)
      .sort((a, b) => (of.get(keyOf(a, mergeKey)) ?? Infinity) - (of.get(keyOf(b, mergeKey)) ?? Infinity) || 0);
  const named = rankItems(inOrder, true), others = rankItems(inOriginal, false);
  const result: Untyped[] = [];
  let next = 0;
  for (const item of named) {
    const place = inOriginal.get(keyOf(item, mergeKey));
    while (next < others.length) {
      const before = inOriginal.get(keyOf(others[next]!, mergeKey));
      if (place === undefined || before === undefined || before > place) break;
      result.push(others[next++]!);
    }
    result.push(item);
  }
  return result.concat(others.slice(next));
}

/** Rejects a patch whose $setElementOrder does not list all of its items in their order. Ignores deleted items. */
export function checkOrder(patch: Untyped[], order: Untyped[], mergeKey: string): void {
  if (patch.length === 0 || order.length === 0) return;
  const items = mergeKey === "" ? patch : patch.filter((item) => {
    if (!(item instanceof Map)) throw wrongArgument(mapType, item);
    return item.get("$patch") !== "delete";
  });
  let next = 0, place = 0;
  while (next < items.length && place < order.length) {
    const item = items[next]!;
    if (item instanceof Map && item.has("$patch")) {
      next++;
      continue;
    }
    if (keyOf(item, mergeKey) === keyOf(order[place]!, mergeKey)) next++;
    place++;
  }
  if (next < items.length) {
    throw mergeError(`The order in patch list:\n${goText(patch)}\n doesn't match $setElementOrder list:\n${goText(order)}\n`);
  }
}
