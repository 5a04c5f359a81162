/** Rules that ConfigMaps and Secrets share: key names, value sizes, immutability. */
import { type FieldError, forbidden, invalid } from "../../plugin.ts";
import { type Base64, configMapKey } from "../../toolbox.ts";

/** The errors of one key of the map at `path`. Keys must be valid file names. */
export function validateKey(key: string, path: string): readonly FieldError[] {
  return configMapKey(key).map((wrong) => invalid(`${path}[${key}]`, key, wrong));
}

/** Number of bytes of a decoded base64 text. */
export function decodedLength(value: Base64): number {
  const padding = value.endsWith("==") ? 2 : value.endsWith("=") ? 1 : 0;
  return value.length / 4 * 3 - padding;
}

type Values = Readonly<Record<string, string>>;

/** Whether both maps are equal. Absent and empty differ, as upstream. */
export function sameValues(a: Values | undefined, b: Values | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && a[key] === b[key]);
}

/** The error for a change of a field that `immutable: true` protects. */
export function immutableError(path: string): FieldError {
  return forbidden(path, "field is immutable when `immutable` is set");
}
