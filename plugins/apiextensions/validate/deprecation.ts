import { type FieldError, invalid } from "../../../plugin.ts";
import { utf8Length } from "../../../toolbox.ts";
import type { Version } from "../schema.ts";

const warningBytesMax = 256;
/** Matches the characters that Go's unicode.IsPrint accepts. */
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/** Validates the warning of a deprecated version. */
export function validateDeprecation({ deprecated = false, deprecationWarning: warning }: Version, path: string): readonly FieldError[] {
  const at = `${path}.deprecationWarning`;
  // Upstream passes a pointer as the value of the error; it is shown as JSON.
  const wrong = (rule: string): FieldError => ({ ...invalid(at, warning, rule), quoted: "json" });
  if (warning === undefined) return [];
  if (!deprecated) return [wrong("can only be set for deprecated versions")];
  const errors: FieldError[] = [];
  if (utf8Length(warning) > warningBytesMax) errors.push(wrong("must be <= 256 characters long"));
  if (warning === "") errors.push(wrong("must not be an empty string"));
  let index = 0;
  for (const character of warning) {
    if (!printable.test(character)) {
      const rule = `must only contain printable UTF-8 characters; non-printable character found at index ${index}`;
      errors.push(wrong(rule));
      break;
    }
    index += utf8Length(character);
  }
  return errors;
}
