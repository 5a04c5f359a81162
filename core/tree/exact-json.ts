/** JSON that the engine's own parser and writer read and write as this program's do. */
import type { Json } from "../json.ts";
import { escapedJson } from "./json-text.ts";
import { numberText } from "./values.ts";

/**
 * Returns the value of a compact JSON text, if writing it again gives the same text: no duplicate key, no other spelling of a string, a
 * number or the order of keys. Undefined for any other text.
 */
export function exactJson(text: string): Json | undefined {
  if (text.includes("\\ud")) return undefined; // may be a part of a character
  try {
    const value = JSON.parse(text) as Json; // a JSON text has a value of JSON
    return escapedJson(JSON.stringify(value)) === text ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A check whether a part of an exact value is written by `write` as it was read, with numbers of one spelling only. */
export function isJsonText(write: (value: Json) => string): (value: unknown) => boolean {
  return (value) => {
    const part = value as Json; // of an exact value
    return hasPlainNumbers(part) && write(part) === escapedJson(JSON.stringify(part));
  };
}

export function isJsonObject(value: unknown): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function hasPlainNumbers(value: Json): boolean {
  if (typeof value === "number") return isPlainNumber(value);
  return typeof value !== "object" || value === null || Object.values(value).every(hasPlainNumbers);
}

/** Whether a number has one spelling only: it is an exact integer, or a fraction that Go writes as JavaScript does. */
export function isPlainNumber(value: number): boolean {
  return Number.isSafeInteger(value) || (!Number.isInteger(value) && numberText(value) === String(value));
}
