import { type FieldError, invalid, noErrors, tooLong } from "../field-error.ts";
import { limits } from "../limits.ts";
import { labelValue, qualifiedName } from "./names.ts";
import { utf8Length } from "../scalars/utf8.ts";

/** Validates keys and values of labels. As upstream, errors have the path of the map without the key. */
export function validateLabels(labels: Readonly<Record<string, string>> | undefined, path: string): readonly FieldError[] {
  if (!labels) return noErrors;
  const errors: FieldError[] = [];
  for (const [key, value] of Object.entries(labels)) {
    if (errors.length >= limits.fieldErrorsOfListMax) break;
    for (const wrong of qualifiedName(key)) errors.push(invalid(path, key, wrong));
    for (const wrong of labelValue(value)) errors.push(invalid(path, value, wrong));
  }
  return errors;
}

/** Validates keys of annotations, ignoring case, and the total bytes of keys and values. */
export function validateAnnotations(annotations: Readonly<Record<string, string>> | undefined, path: string): readonly FieldError[] {
  if (!annotations) return noErrors;
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations)) {
    if (errors.length < limits.fieldErrorsOfListMax) {
      for (const wrong of qualifiedName(key.toLowerCase())) errors.push(invalid(path, key, wrong));
    }
    bytes += utf8Length(key) + utf8Length(value);
  }
  if (bytes > limits.annotationsBytesMax) errors.push(tooLong(path, limits.annotationsBytesMax));
  return errors;
}
