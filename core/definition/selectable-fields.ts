/** Field selectors of a definition: label to the value of an object. */
import type { Json } from "../json.ts";
import { selectableText } from "../json-path/column.ts";
import { JsonPathError, parseJsonPath } from "../json-path/parse.ts";
import type { ApiObject } from "../meta/object-meta.ts";
import type { Served } from "../plugin.ts";
import type { Version } from "./definition.ts";

export function selectableFieldsOf({ selectableFields }: Version): Served["selectableFields"] {
  if (selectableFields === undefined || selectableFields === null || selectableFields.length === 0) return undefined;
  return Object.fromEntries(selectableFields.flatMap(({ jsonPath }) => {
    const path = parseJsonPath(jsonPath);
    if (path instanceof JsonPathError) return [];
    return [[jsonPath.replace(/^\./, ""), (object: ApiObject) => {
      const text = selectableText(path, object as unknown as Json); // an object of JSON
      return text instanceof JsonPathError ? "" : text;
    }]];
  }));
}

/** Returns the keyword of published schemas; empty without selectable fields. */
export function publishedSelectableFields({ selectableFields }: Version): Readonly<Record<string, Json>> {
  if ((selectableFields ?? []).length === 0) return {};
  return { "x-kubernetes-selectable-fields": selectableFields!.map(({ jsonPath }) => ({ fieldPath: jsonPath.replace(/^\./, "") })) };
}
