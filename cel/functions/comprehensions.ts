/** Comprehensions with two variables: `m.all(k, v, ...)`, `transformList`, `transformMap`; upstream's library `cel.lib.ext.comprev2`. */
import { twoVariableMacros } from "../parse/macros.ts";
import { mapType, parameterType } from "../types.ts";
import { EntryMap, MutableMap } from "../value/collections.ts";
import { messageText } from "../value/text.ts";
import { spend } from "../value/work.ts";
import { CelError, MapValue, type Value } from "../values.ts";
import type { Library } from "./library.ts";
import { overload } from "./standard/overload.ts";

const key = parameterType("K");
const value = parameterType("V");
const map = mapType(key, value);

/** Returns the map with one more entry. It extends the accumulator of a comprehension in place. */
function insert(map: MapValue, key: Value, value: Value): MapValue | CelError {
  if (map instanceof MutableMap) return map.insert(key, value, messageText);
  if (map.find(key) !== undefined) return new CelError(`insert failed: key ${messageText(key)} already exists`);
  const copy = new EntryMap();
  copy.set(key, value);
  for (const known of map.keys()) {
    spend(1);
    copy.set(known, map.find(known)!);
  }
  return copy;
}

function insertAll(map: MapValue, entries: MapValue): MapValue | CelError {
  let result: MapValue | CelError = map;
  for (const key of entries.keys()) {
    result = insert(result, key, entries.find(key)!);
    if (result instanceof CelError) return result;
  }
  return result;
}

export const comprehensionsLibrary: Library = {
  name: "cel.lib.ext.comprev2",
  since: 32,
  functions: [
    {
      name: "cel.@mapInsert",
      // The casts are safe, because calls have arguments of the types of their signatures.
      overloads: [
        overload("@mapInsert_map_key_value", [map, key, value], map, (map, key, value) => insert(map as MapValue, key!, value!)),
        overload("@mapInsert_map_map", [map, map], map, (map, entries) => insertAll(map as MapValue, entries as MapValue)),
      ],
    },
  ],
  macros: twoVariableMacros,
};
