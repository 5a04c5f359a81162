import { append } from "../append.ts";
import { type FieldError, invalid, noErrors, tooLong } from "../field-error.ts";
import { isPlainAscii, isPrintable } from "../tree/go-quote.ts";
import type { ManagedFieldsEntry } from "./object-meta.ts";
import { utf8Length } from "../scalars/utf8.ts";
import { bound } from "../bound.ts";

/** Maximum bytes of the name of a field manager. */
export const fieldManagerBytesMax = bound(128);

const subresourceBytesMax = 256;

/** Validates the name of a field manager, in an object or a query parameter. Positions are in bytes. */
export function validateFieldManager(manager: string, path: string): readonly FieldError[] {
  if (manager.length <= fieldManagerBytesMax && isPlainAscii(manager)) return noErrors;
  const errors: FieldError[] = [];
  if (utf8Length(manager) > fieldManagerBytesMax) errors.push(tooLong(path, fieldManagerBytesMax));
  let position = 0;
  for (const rune of manager) {
    if (!isPrintable(rune)) {
      const code = rune.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0");
      errors.push(invalid(path, manager, `invalid character U+${code} (at position ${position})`));
    }
    position += utf8Length(rune);
  }
  return errors;
}

export function validateManagedFields(entries: readonly ManagedFieldsEntry[] | undefined, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  // Most entries are valid, so their paths are only made if needed.
  for (let i = 0; i < (entries?.length ?? 0); i++) {
    const entry = entries![i]!; // the index is within the length
    if (!isPlainEntry(entry)) append(errors, entryErrors(entry, `${path}[${i}]`));
  }
  return errors;
}

/** Whether an entry is obviously valid, so that a full check is not needed. */
function isPlainEntry({ operation, fieldsType, manager = "", subresource = "" }: ManagedFieldsEntry): boolean {
  return (operation === "Apply" || operation === "Update") && fieldsType === "FieldsV1" && subresource === "" &&
    manager.length <= fieldManagerBytesMax && isPlainAscii(manager);
}

function entryErrors(entry: ManagedFieldsEntry, at: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (entry.operation !== "Apply" && entry.operation !== "Update") {
    errors.push(invalid(`${at}.operation`, entry.operation ?? "", "must be `Apply` or `Update`"));
  }
  if ((entry.fieldsType ?? "") !== "" && entry.fieldsType !== "FieldsV1") {
    errors.push(invalid(`${at}.fieldsType`, entry.fieldsType, "must be `FieldsV1`"));
  }
  append(errors, validateFieldManager(entry.manager ?? "", `${at}.manager`));
  if (utf8Length(entry.subresource ?? "") > subresourceBytesMax) errors.push(tooLong(`${at}.subresource`, subresourceBytesMax));
  return errors;
}
