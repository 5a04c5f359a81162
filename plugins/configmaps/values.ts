/** What ConfigMaps and Secrets share: keys that can name files, and a bound on all values together. */
import { type FieldError, forbidden, invalid } from "../../core/field-error.ts";
import { configMapKey } from "../../core/meta/names.ts";
import type { Base64 } from "../../core/schema.ts";

/** What is wrong with one key of the map at `path`. */
export function validateKey(key: string, path: string): readonly FieldError[] {
  return configMapKey(key).map((wrong) => invalid(`${path}[${key}]`, key, wrong));
}

/** Bytes that base64 stands for. */
export function decodedLength(value: Base64): number {
  const padding = value.endsWith("==") ? 2 : value.endsWith("=") ? 1 : 0;
  return value.length / 4 * 3 - padding;
}

type Values = Readonly<Record<string, string>>;

/** Whether both hold the same. Absent and empty differ, as they do upstream. */
export function sameValues(a: Values | undefined, b: Values | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && a[key] === b[key]);
}

/** The finding where something changes that `immutable: true` keeps. */
export function sealed(path: string): FieldError {
  return forbidden(path, "field is immutable when `immutable` is set");
}
