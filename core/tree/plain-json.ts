import type { Json } from "../json.ts";
import { readJson } from "./json.ts";
import { jsonFromTree } from "./values.ts";

/**
 * Texts that JSON.parse may read differently: integers that a double may not represent, negative zeros, and keys that are a single escaped
 * character, which V8 (13.6 to 15.0 at least) reads as a backslash.
 */
const inexact = /[0-9]{16}|[:[,]-0|^-0|"\\(?:u.{4}|.)"/;

/**
 * The plain value of a compact JSON text, as `jsonFromTree` of its tree but for its marks of doubles: a fifth of the time for
 * most texts.
 *
 * @throws Error for a text that is not JSON
 */
export function plainJson(text: string): Json {
  if (!inexact.test(text)) return JSON.parse(text) as Json; // a JSON text has a value of JSON
  const read = readJson(text);
  if (!read.ok) throw new Error(read.error);
  return jsonFromTree(read.tree);
}
