/** Finds the element that identifies an item of a merged list, and the errors of items without one. */
import { spendSteps } from "../budget.ts";
import { isObject, type Json, type JsonObject } from "../schema.ts";
import type { ListAtom } from "./atom.ts";
import { type Element, elementOfKey, keyElement, valueElement } from "./element.ts";
import { valueText } from "../value-text.ts";

export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}
/** Returns an own member of an object; undefined if it has none with this name. */
export function ownMember(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Number of steps that one key of an item counts as. */
const keySteps = 10;

/** Returns the element of an item, or upstream's error message for an item without one. */
export function itemElement(list: ListAtom, item: Json): { readonly element: Element } | { readonly problem: string } {
  if (list.type === "set") {
    if (item === null) return { problem: "associative list without keys has an element that's an explicit null" };
    if (isList(item)) return { problem: "not supported: associative list with lists as elements" };
    if (isObject(item)) return { problem: "associative list without keys has an element that's a map type" };
    return { element: valueElement(item) };
  }
  if (item === null) return { problem: "associative list with keys may not have a null element" };
  if (!isObject(item)) return { problem: "associative list with keys may not have non-map elements" };
  spendSteps(list.keys.length * keySteps);
  const keys: [string, Json][] = [];
  for (const { name, missing } of list.keys) {
    // An explicit null is a valid key.
    const value = Object.hasOwn(item, name) ? item[name] : missing;
    if (value !== undefined) keys.push([name, value]);
  }
  if (keys.length > 0) return { element: keyElement(keys) };
  const names = list.keys.map(({ name }) => valueText(name)).join(" ");
  return {
    problem:
      `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
  };
}

/** Returns the element of an item; undefined if it has none. */
export function elementOfItem(list: ListAtom, item: Json): Element | undefined {
  const [key] = list.keys;
  // Most lists have one key.
  if (list.type === "map" && key !== undefined && list.keys.length === 1 && isObject(item)) {
    spendSteps(keySteps);
    const value = Object.hasOwn(item, key.name) ? item[key.name] : key.missing;
    return value === undefined ? undefined : elementOfKey(key.name, value);
  }
  const found = itemElement(list, item);
  return "element" in found ? found.element : undefined;
}
