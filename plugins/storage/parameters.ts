/** Validates the parameters of storage and attributes classes. The driver defines their meaning. */
import { type FieldError, invalid, required, tooLong } from "../../plugin.ts";
import { utf8Length } from "../../toolbox.ts";
import { bound } from "../../core/bound.ts";

/** Maximum number of parameters of a storage class or volume attributes class. */
export const classParametersMax = bound(512);
/** Maximum bytes of the names and values of all parameters of a storage class or volume attributes class. */
export const classParametersBytesMax = bound(256 * 1024);

type Parameters = Readonly<Record<string, string>>;

/** Checks the number of parameters and their total size in bytes. `atLeastOne` rejects an empty map. */
export function validateParameters(parameters: Parameters = {}, { atLeastOne }: { readonly atLeastOne: boolean }): readonly FieldError[] {
  const entries = Object.entries(parameters);
  if (entries.length > classParametersMax) return [tooLong("parameters", classParametersMax)];
  if (atLeastOne && entries.length === 0) return [required("parameters", "must contain at least one key/value pair")];
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const [key, value] of entries) {
    if (key === "") errors.push(invalid("parameters", key, "field can not be empty."));
    bytes += utf8Length(key) + utf8Length(value);
  }
  if (bytes > classParametersBytesMax) errors.push(tooLong("parameters", classParametersBytesMax));
  return errors;
}

/** Whether both maps are equal. An absent map equals an empty one. */
export function sameParameters(a: Parameters = {}, b: Parameters = {}): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && a[key] === b[key]);
}
