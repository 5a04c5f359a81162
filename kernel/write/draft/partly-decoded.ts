import type { ApiObject } from "../../../core/meta/object-meta.ts";
import { isObject, type Json, type JsonObject } from "../../../core/schema.ts";
import { treeFromJson } from "../../../core/tree/json.ts";
import type { Tree } from "../../../core/tree/tree.ts";
import { setOwn } from "../../../core/tree/values.ts";

/**
 * Decodes the merged value if it differs from the live object only in the contents of top-level members. These members are decoded; the
 * others are shared with the live object. Returns undefined if members were added or removed. It is not for custom resources, whose objects
 * are decoded as a whole.
 *
 * @param live a decoded object, as a plain value
 * @param decode decodes an object of the kind, even if it lacks members
 */
export function partlyDecoded(live: Json, merged: Json, decode: (tree: Tree) => ApiObject): ApiObject | undefined {
  if (!isObject(live) || !isObject(merged)) return undefined;
  const keys = Object.keys(live);
  if (keys.length !== Object.keys(merged).length || !keys.every((key) => Object.hasOwn(merged, key))) return undefined;
  const changed = keys.filter((key) => merged[key] !== live[key]);
  const part = decode(treeFromJson(Object.fromEntries(changed.map((key) => [key, merged[key]!])))) as unknown as JsonObject; // decode returns a plain value
  // Decoding omits some members, such as a map that has become empty.
  if (!changed.every((key) => Object.hasOwn(part, key))) return undefined;
  const object: Record<string, Json> = { ...live };
  for (const key of changed) setOwn(object, key, part[key]!);
  return object as unknown as ApiObject; // its members come from two objects of the kind
}
