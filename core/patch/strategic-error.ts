/** Errors of strategic merge patches. Upstream reports most of them as server errors (500). */
import { StatusError } from "../status-error.ts";
import { goText, goTypeOf, type Untyped, type UntypedMap } from "./untyped.ts";

/** Returns a 500 without a reason, as upstream for a failed merge. */
export function mergeError(message: string): StatusError {
  return new StatusError("Unknown", message);
}
export function wrongArgument(expected: "map[string]interface {}" | "[]interface {}", found: Untyped): StatusError {
  return mergeError(`expected a ${expected}, but received a ${goTypeOf(found)}`);
}
export function noMergeKey(map: UntypedMap, mergeKey: string): StatusError {
  return mergeError(`map: ${goText(map)} does not contain declared merge key: ${mergeKey}`);
}
export function unknownDirective(directive: Untyped, map: UntypedMap): StatusError {
  const shown = typeof directive === "string"
    ? directive
    : directive === null
    ? "%!s(<nil>)"
    : `%!s(${goTypeOf(directive)}=${goText(directive)})`;
  return mergeError(`unknown patch type: ${shown} in map: ${goText(map)}`);
}
/** Returns a 422 with upstream's unspecific message for a list of lists. */
export function listOfLists(): StatusError {
  return new StatusError("Invalid", "the server rejected our request due to an error in our request", { details: {} });
}
