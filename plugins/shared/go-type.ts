import { isObject } from "../../core/json.ts";
import type { Json } from "../../toolbox.ts";

/** The Go type of a decoded value, as error messages name it. */
export function goType(value: Json): string {
  if (value === null) return "<nil>";
  if (Array.isArray(value)) return "[]interface {}";
  if (isObject(value)) return "map[string]interface {}";
  if (typeof value === "boolean") return "bool";
  return typeof value === "string" ? "string" : typeof value === "bigint" || Number.isInteger(value) ? "int64" : "float64";
}

/** The JSON type of a value, as Go names it. */
export function jsonType(value: Json): string {
  const type = goType(value);
  return type === "float64" || type === "int64" ? "number" : Array.isArray(value) ? "array" : isObject(value) ? "object" : type;
}
