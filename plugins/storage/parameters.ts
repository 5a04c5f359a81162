/** Parameters of classes: free keys and values that only the driver understands. */
import { type FieldError, invalid, required, tooLong } from "../../core/field-error.ts";
import { limits } from "../../core/limits.ts";
import { utf8Length } from "../../core/scalars/utf8.ts";

type Parameters = Readonly<Record<string, string>>;

/** Bounds of parameters; `atLeastOne` refuses an empty map. */
export function validateParameters(parameters: Parameters = {}, { atLeastOne }: { readonly atLeastOne: boolean }): readonly FieldError[] {
  const entries = Object.entries(parameters);
  if (entries.length > limits.classParametersMax) return [tooLong("parameters", limits.classParametersMax)];
  if (atLeastOne && entries.length === 0) return [required("parameters", "must contain at least one key/value pair")];
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const [key, value] of entries) {
    if (key === "") errors.push(invalid("parameters", key, "field can not be empty."));
    bytes += utf8Length(key) + utf8Length(value);
  }
  if (bytes > limits.classParametersBytesMax) errors.push(tooLong("parameters", limits.classParametersBytesMax));
  return errors;
}

/** Absent and empty parameters are equal. */
export function sameParameters(a: Parameters = {}, b: Parameters = {}): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && a[key] === b[key]);
}
