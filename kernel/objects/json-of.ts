/** Converts objects to JSON values. */
import type { JsonObject } from "../../core/json.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { jsonFromTree, readJson } from "../../core/tree/json.ts";
import type { StoredKind } from "../catalog/catalog.ts";

/** Returns an object as clients see it, without the empty members that its JSON omits. */
export function jsonOf(kind: Pick<StoredKind, "encode">, object: ApiObject): JsonObject {
  const read = readJson(kind.encode(object));
  if (!read.ok) throw new Error(`our own JSON cannot be read: ${read.error}`);
  return jsonFromTree(read.tree) as JsonObject; // the JSON of an object is one
}
