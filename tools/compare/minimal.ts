import { isObject, type Json, type JsonObject } from "../../core/json.ts";
import { type Path, replaced } from "./changes.ts";

/** Requests that are spent on one object. */
const triesMax = 80;

/** The object without the members and items that a difference does not need: each is left out in turn, the outer ones first. */
export async function minimal(object: JsonObject, differs: (smaller: JsonObject) => Promise<boolean>): Promise<JsonObject> {
  let smallest = object, tries = 0;
  const visit = async (path: Path): Promise<void> => {
    const value = at(smallest, path), keys = Array.isArray(value) ? [...value.keys()].reverse() : isObject(value) ? Object.keys(value) : [];
    for (const key of keys) {
      const inner = [...path, key], isHead = path.length === 0 && (key === "kind" || key === "apiVersion");
      if (isHead || inner.join() === "metadata,name" || ++tries > triesMax) continue;
      const smaller = replaced(smallest, inner, undefined) as JsonObject; // the path is not empty
      if (await differs(smaller)) smallest = smaller;
      else await visit(inner);
    }
  };
  await visit([]);
  return smallest;
}

function at(object: JsonObject, path: Path): Json | undefined {
  let value: Json | undefined = object;
  for (const part of path) value = Array.isArray(value) ? value[part as number] : isObject(value) ? value[part] : undefined;
  return value;
}
