/** The names of CSI drivers. */
import { type FieldError, invalid, required, tooLong } from "../../plugin.ts";
import { dns1123Subdomain, utf8Length } from "../../toolbox.ts";

/** Maximum length of a driver name in bytes. */
export const csiDriverNameBytesMax = 63;

/** Checks a driver name: a DNS subdomain in any case. */
export function validateCsiDriverName(name: string, path: string): readonly FieldError[] {
  return [
    ...(name === "" ? [required(path, "")] : []),
    ...(utf8Length(name) > csiDriverNameBytesMax ? [tooLong(path, csiDriverNameBytesMax)] : []),
    // An empty name gives one error only.
    ...(name === "" ? [] : dns1123Subdomain(name.toLowerCase()).map((wrong) => invalid(path, name, wrong))),
  ];
}
