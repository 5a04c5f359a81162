/** Validates selectable fields. */
import { duplicate, type FieldError, invalid, required } from "../../../plugin.ts";
import { tooMany } from "../../../toolbox.ts";
import type { SchemaProps } from "../schema-props.ts";
import type { SelectableField } from "../schema.ts";
import { findField } from "../../../core/structural/field-path.ts";

export const selectableFieldsMax = 8;
const scalars = ["string", "boolean", "integer"];

/**
 * Validates the selectable fields of a version. `root` is the schema of the version; undefined if it cannot be converted. `allowsTooMany`:
 * the stored definition has the same fields, which are too many.
 */
export function validateSelectableFields(
  fields: readonly SelectableField[],
  root: SchemaProps | undefined,
  path: string,
  allowsTooMany: boolean,
): readonly FieldError[] {
  const errors: FieldError[] = [], seen = new Set<string>();
  for (const [i, { jsonPath }] of fields.entries()) {
    const at = `${path}[${i}].jsonPath`;
    if (jsonPath === "") {
      errors.push(required(at, ""));
      continue;
    }
    const found = findField(jsonPath, root, { brackets: false });
    if (typeof found === "string") {
      errors.push(invalid(at, jsonPath, `is an invalid path: ${found}`));
      continue;
    }
    if (found.path === "metadata" || found.path.startsWith("metadata.") || found.path.startsWith("metadata[")) {
      errors.push(invalid(at, jsonPath, "must not point to fields in metadata"));
    }
    if (!scalars.includes(found.schema?.type ?? "")) {
      errors.push(
        invalid(
          at,
          jsonPath,
          "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.",
        ),
      );
    }
    if (seen.has(found.path)) errors.push(duplicate(at, jsonPath));
    seen.add(found.path);
  }
  if (seen.size > selectableFieldsMax && !allowsTooMany) errors.push(tooMany(path, seen.size, selectableFieldsMax));
  return errors;
}
