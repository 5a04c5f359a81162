/** Writes static types as messages show them: `list(int)`, `map(string, dyn)`, `type(int)`. */
import type { Type } from "../types.ts";

/** Returns the text of a type. A type parameter has its name. */
export function typeText(type: Type): string {
  switch (type.tag) {
    case "list":
      return `list(${typeText(type.of)})`;
    case "map":
      return `map(${typeText(type.key)}, ${typeText(type.value)})`;
    case "type":
      return type.of === undefined ? "type" : `type(${typeText(type.of)})`;
    case "opaque":
      return type.parameters.length === 0 ? type.name : `${type.name}(${type.parameters.map(typeText).join(", ")})`;
    case "object":
    case "parameter":
      return type.name;
    case "wrapper":
      return `wrapper(${typeText(type.of)})`;
    case "error":
      return "!error!";
    default:
      return type.tag;
  }
}

/** Writes the arguments of a call; the receiver of a member function comes first: `string.(int, bool)`. */
export function signatureText(args: readonly Type[], member: boolean): string {
  const [target, ...rest] = args;
  if (!member || target === undefined) return `(${args.map(typeText).join(", ")})`;
  return `${typeText(target)}.(${rest.map(typeText).join(", ")})`;
}
