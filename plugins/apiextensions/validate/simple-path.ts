import { type FieldError, invalid } from "../../../plugin.ts";

/** Returns the errors of a JSON path of a column or of scale. */
export function validateSimplePath(text: string, path: string): readonly FieldError[] {
  if (text === "") return [invalid(path, text, "must not be empty")];
  return text.startsWith(".") ? [] : [invalid(path, text, "must be a simple json path starting with .")];
}
