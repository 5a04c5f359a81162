/** Values of objects, typed by their schema. They read JSON without a copy. */
import type { Json, JsonObject } from "../../core/json.ts";
import { isObject } from "../../core/json.ts";
import { equalJson } from "../value/json.ts";
import { CelError, OpaqueValue, type Value } from "../values.ts";
import { escapeName } from "./escape.ts";
import { formattedValue } from "./formats.ts";
import { TypedList, TypedMapList, TypedSetList } from "./lists.ts";
import { TypedMap } from "./maps.ts";
import { asResource } from "./resource-root.ts";
import type { StructuralSchema } from "./structural.ts";

/**
 * Makes the value of JSON at a node of a schema. Returns a `CelError` for JSON that the schema does not allow. `isDouble`: whether the JSON is
 * an integral number that was written with a fraction (`1.0`), which is a double for rules.
 */
export function schemaValue(json: Json, schema: StructuralSchema, isDouble = false): Value {
  if (json === null) return schema.nullable === true ? null : new CelError("invalid data, got null for schema with nullable=false");
  if (schema["x-kubernetes-int-or-string"] === true) return isDouble ? noIntOrString : intOrString(json);
  switch (schema.type) {
    case "object":
      return isObject(json)
        ? objectValue(json, schema)
        : new CelError("invalid data, expected a map for the provided schema with type=object");
    case "array":
      return listValue(json, schema);
    case "string":
      return typeof json === "string" ? formattedValue(json, schema.format) : unexpectedValue("string", json);
    case "number":
      return typeof json === "number" ? json : typeof json === "bigint" ? Number(json) : unexpectedValue("float", json);
    case "integer":
      return isInteger(json) && !isDouble ? BigInt(json) : unexpectedValue("int", json, isDouble);
    case "boolean":
      return typeof json === "boolean" ? json : unexpectedValue("bool", json);
  }
  if (schema["x-kubernetes-preserve-unknown-fields"] === true) return new PreservedValue(json);
  return new CelError(
    "invalid type, expected object, array, number, integer, boolean or string, or no type with x-kubernetes-int-or-string or " +
      `x-kubernetes-preserve-unknown-fields is true, got ${schema.type ?? ""}`,
  );
}

function isInteger(json: Json): json is number | bigint {
  return typeof json === "bigint" || typeof json === "number" && Number.isInteger(json);
}

function intOrString(json: Json): Value {
  if (typeof json === "string") return json;
  return isInteger(json) ? BigInt(json) : noIntOrString;
}
const noIntOrString = new CelError("invalid data, expected XIntOrString value to be either a string or integer");

function unexpectedValue(type: string, json: Json, isDouble = false): CelError {
  return new CelError(`invalid data, expected ${type}, got ${isDouble ? "float64" : goTypeOf(json)}`);
}
function goTypeOf(json: Json): string {
  if (typeof json === "string") return "string";
  if (typeof json === "boolean") return "bool";
  if (isInteger(json)) return "int64";
  return typeof json === "number" ? "float64" : Array.isArray(json) ? "[]interface {}" : "map[string]interface {}";
}

function objectValue(json: JsonObject, schema: StructuralSchema): Value {
  return new TypedMap(json, schema["x-kubernetes-embedded-resource"] === true ? asResource(schema) : schema, schemaValue);
}

function listValue(json: Json, schema: StructuralSchema): Value {
  if (!Array.isArray(json)) return new CelError("invalid data, expected an array for the provided schema with type=array");
  const items: readonly Json[] = json;
  if (schema.items === undefined) return new CelError("invalid array type, expected Items with a non-empty Schema");
  switch (schema["x-kubernetes-list-type"]) {
    case "map":
      return new TypedMapList(
        items,
        schema.items,
        schemaValue,
        (schema["x-kubernetes-list-map-keys"] ?? []).map((key) => escapeName(key) ?? key),
      );
    case "set":
      return new TypedSetList(items, schema.items, schemaValue);
    default:
      return new TypedList(items, schema.items, schemaValue);
  }
}

/** A value that the schema keeps without a type. Expressions cannot reach it, but objects that contain it can be compared. */
class PreservedValue extends OpaqueValue {
  readonly type = "unknown";
  readonly #json: Json;
  constructor(json: Json) {
    super();
    this.#json = json;
  }
  equals(other: Value): boolean {
    return other instanceof PreservedValue && equalJson(this.#json, other.#json);
  }
}
