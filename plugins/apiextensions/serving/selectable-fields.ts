/** Field selectors of a definition: label to the value of an object. */
import { type ApiObject, type Served } from "../../../plugin.ts";
import type { Version } from "../schema.ts";
import { valueAt } from "./value-at.ts";

export function selectableFieldsOf({ selectableFields }: Version): Served["selectableFields"] {
  if (selectableFields === undefined || selectableFields.length === 0) return undefined;
  return Object.fromEntries(selectableFields.map(({ jsonPath }) => {
    const label = jsonPath.replace(/^\./, ""), names = label.split(".");
    return [label, (object: ApiObject) => {
      const value = valueAt(object, names);
      return value === undefined || value === null ? "" : String(value);
    }];
  }));
}
