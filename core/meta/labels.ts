import { type FieldError, invalid, noErrors, tooLong } from "../field-error.ts";
import { labelValue, qualifiedName } from "./names.ts";
import { utf8Length } from "../scalars/utf8.ts";
import { bound } from "../bound.ts";
import { fieldErrorsOfListMax } from "./bounds.ts";

/** Maximum bytes of the keys and values of an object's annotations together. */
export const annotationsBytesMax = bound(256 * 1024);

/** Validates keys and values of labels. As upstream, errors have the path of the map without the key. */
export function validateLabels(labels: Readonly<Record<string, string>> | undefined, path: string): readonly FieldError[] {
  if (!labels) return noErrors;
  const errors: FieldError[] = [];
  for (const [key, value] of Object.entries(labels)) {
    if (errors.length >= fieldErrorsOfListMax) break;
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
    if (errors.length < fieldErrorsOfListMax) {
      for (const wrong of qualifiedName(key.toLowerCase())) errors.push(invalid(path, key, wrong));
    }
    bytes += utf8Length(key) + utf8Length(value);
  }
  if (bytes > annotationsBytesMax) errors.push(tooLong(path, annotationsBytesMax));
  return errors;
}
