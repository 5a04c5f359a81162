/** The name by which volumes, nodes and attachments refer to a CSI driver. */
import { type FieldError, invalid, required, tooLong } from "../../core/field-error.ts";
import { dns1123Subdomain } from "../../core/meta/names.ts";
import { utf8Length } from "../../core/scalars/utf8.ts";

/** Longest name of a driver, in bytes. */
export const csiDriverNameBytesMax = 63;

/** What is wrong with a driver's name: it is a DNS subdomain whose letter case does not matter. */
export function validateCsiDriverName(name: string, path: string): readonly FieldError[] {
  return [
    ...(name === "" ? [required(path, "")] : []),
    ...(utf8Length(name) > csiDriverNameBytesMax ? [tooLong(path, csiDriverNameBytesMax)] : []),
    // The empty name is told above, not again.
    ...(name === "" ? [] : dns1123Subdomain(name.toLowerCase()).map((wrong) => invalid(path, name, wrong))),
  ];
}
