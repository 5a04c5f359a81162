/** The places where two JSON values differ. */
import { isObject, type Json } from "../../core/json.ts";
import { goJson } from "../../core/tree/json-text.ts";

/** Texts of the first differences, such as `spec.tier: "gold" became absent`; empty if the values are equal. */
export function differences(before: Json | undefined, after: Json | undefined, path = ""): readonly string[] {
  if (isObject(before) && isObject(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...keys].flatMap((key) => differences(own(before, key), own(after, key), path === "" ? key : `${path}.${key}`));
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    return before.flatMap((item, index) => differences(item, after[index], `${path}[${index}]`));
  }
  return textOf(before) === textOf(after) ? [] : [`${path === "" ? "the object" : path}: ${textOf(before)} became ${textOf(after)}`];
}

function own(object: { readonly [key: string]: Json }, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function textOf(value: Json | undefined): string {
  return value === undefined ? "absent" : goJson(value);
}
