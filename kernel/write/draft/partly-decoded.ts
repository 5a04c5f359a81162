import type { ApiObject } from "../../../core/meta/object-meta.ts";
import { isObject, type Json, type JsonObject } from "../../../core/schema.ts";
import { treeFromJson } from "../../../core/tree/json.ts";
import type { Tree } from "../../../core/tree/tree.ts";
import { setOwn } from "../../../core/tree/values.ts";

/**
 * The merged value decoded, if only top-level members of the live object have changed: these are decoded, the others are shared with it.
 * Undefined if members came or went. Not for custom resources, whose objects are decoded as a whole.
 *
 * @param live a decoded object, as a plain value
 * @param decode decodes an object of the kind, also one that lacks members
 */
export function partlyDecoded(live: Json, merged: Json, decode: (tree: Tree) => ApiObject): ApiObject | undefined {
  if (!isObject(live) || !isObject(merged)) return undefined;
  const keys = Object.keys(live);
  if (keys.length !== Object.keys(merged).length || !keys.every((key) => Object.hasOwn(merged, key))) return undefined;
  const changed = keys.filter((key) => merged[key] !== live[key]);
  const part = decode(treeFromJson(Object.fromEntries(changed.map((key) => [key, merged[key]!])))) as unknown as JsonObject; // a plain value
  // A member that decoding omits, such as an emptied map.
  if (!changed.every((key) => Object.hasOwn(part, key))) return undefined;
  const object: Record<string, Json> = { ...live };
  for (const key of changed) setOwn(object, key, part[key]!);
  return object as unknown as ApiObject; // its members are those of two objects of the kind
}
