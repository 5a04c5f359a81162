/** Names of types in messages about results: `list(google.protobuf.Timestamp)`. */
import type { Type } from "../types.ts";
import { typeName } from "../value/type.ts";

/** Returns the name of a type with its parameters. */
export function fullTypeName(type: Type): string {
  switch (type.tag) {
    case "list":
      return `list(${fullTypeName(type.of)})`;
    case "map":
      return `map(${fullTypeName(type.key)}, ${fullTypeName(type.value)})`;
    case "opaque":
      return type.parameters.length === 0 ? type.name : `${type.name}(${type.parameters.map(fullTypeName).join(", ")})`;
    case "type":
      return type.of === undefined ? "type" : `type(${fullTypeName(type.of)})`;
    case "wrapper":
      return `wrapper(${fullTypeName(type.of)})`;
    default:
      return typeName(type);
  }
}
