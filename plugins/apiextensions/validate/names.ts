import { type FieldError, invalid } from "../../../plugin.ts";
import { dns1035Label } from "../../../toolbox.ts";
import type { Names } from "../schema.ts";

/** Validates the names of a spec, or the accepted names. Empty names are valid here. */
export function validateNames(names: Names, path: string): readonly FieldError[] {
  const { plural, singular = "", kind, listKind = "", shortNames = [], categories = [] } = names;
  const errors: FieldError[] = [];
  const label = (at: string, text: string, rule = text, prefix = "") => {
    const wrong = dns1035Label(rule);
    if (wrong.length > 0) errors.push(invalid(`${path}.${at}`, text, prefix + wrong.join(",")));
  };
  const mixed = "may have mixed case, but should otherwise match: ";
  if (plural !== "") label("plural", plural);
  if (singular !== "") label("singular", singular);
  if (kind !== "") label("kind", kind, kind.toLowerCase(), mixed);
  if (listKind !== "") label("listKind", listKind, listKind.toLowerCase(), mixed);
  shortNames.forEach((each, i) => label(`shortNames[${i}]`, each));
  if (kind !== "" && kind === listKind) errors.push(invalid(`${path}.listKind`, listKind, "kind and listKind may not be the same"));
  categories.forEach((each, i) => label(`categories[${i}]`, each));
  return errors;
}
