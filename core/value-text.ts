/**
 * The JSON text of a value of a user. Values have integers beyond 2^53, which are `bigint`, and any depth, so `JSON.stringify` throws for some of
 * them. This module and the writers in `tree/` know that; `test/source-syntax_test.ts` finds other uses of `JSON.stringify` and `structuredClone`.
 */
import type { Json } from "./json.ts";
import { goJson, prettyJson } from "./tree/json-text.ts";

/**
 * Compact JSON of a value, members in insertion order, those that are undefined left out. Equal texts mean equal values. Text has the escapes of
 * Go's encoder only if the value has an integer beyond 2^53 or more levels than the engine's writer can take.
 *
 * @throws RangeError for such a value with a number that is not finite
 */
export function valueText(value: unknown): string {
  try {
    return String(JSON.stringify(value));
  } catch {
    return goJson(value as Json); // not a cycle: values of users are trees
  }
}

/** Works like `valueText`, on several lines with an indentation of two spaces. */
export function indentedText(value: unknown): string {
  return prettyJson(valueText(value));
}
