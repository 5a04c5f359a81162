import { type FieldError, invalid, tooLong } from "../field-error.ts";
import { limits } from "../limits.ts";
import { labelValue, qualifiedName } from "./names.ts";
import { utf8Length } from "../scalars/utf8.ts";

/** Keys and values of labels. The path is that of the whole, without the key: upstream's, and clients know it. */
export function validateLabels(labels: Readonly<Record<string, string>> | undefined, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const [key, value] of Object.entries(labels ?? {})) {
    if (errors.length >= limits.fieldErrorsOfListMax) break;
    for (const wrong of qualifiedName(key)) errors.push(invalid(path, key, wrong));
    for (const wrong of labelValue(value)) errors.push(invalid(path, value, wrong));
  }
  return errors;
}

/** Keys of annotations, in any letter case, and the bytes of keys and values together. */
export function validateAnnotations(annotations: Readonly<Record<string, string>> | undefined, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations ?? {})) {
    if (errors.length < limits.fieldErrorsOfListMax) {
      for (const wrong of qualifiedName(key.toLowerCase())) errors.push(invalid(path, key, wrong));
    }
    bytes += utf8Length(key) + utf8Length(value);
  }
  if (bytes > limits.annotationsBytesMax) errors.push(tooLong(path, limits.annotationsBytesMax));
  return errors;
}
