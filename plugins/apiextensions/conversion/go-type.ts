import { isObject, type Json } from "../../../core/json.ts";

/** The Go type of a decoded value, as error messages name it. */
export function goType(value: Json): string {
  if (value === null) return "<nil>";
  if (Array.isArray(value)) return "[]interface {}";
  if (isObject(value)) return "map[string]interface {}";
  if (typeof value === "boolean") return "bool";
  return typeof value === "string" ? "string" : typeof value === "bigint" || Number.isInteger(value) ? "int64" : "float64";
}
