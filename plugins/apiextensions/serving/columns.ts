/** Columns of tables: the name, then those of the definition; by default the age. */
import { age, ageColumn, type ApiObject, type Column, nameColumn } from "../../../plugin.ts";
import type { PrinterColumn, Version } from "../schema.ts";
import { valueAt } from "./value-at.ts";

export function columnsOf({ additionalPrinterColumns = [] }: Version): readonly Column<ApiObject>[] {
  const own = additionalPrinterColumns.length === 0 ? [{ ...ageColumn, type: "date" as const }] : additionalPrinterColumns.map(columnOf);
  return [nameColumn, ...own];
}

function columnOf({ name, type, format = "", description = "", priority = 0, jsonPath }: PrinterColumn): Column<ApiObject> {
  const names = jsonPath.replace(/^\./, "").split(".");
  return {
    name,
    type: type as Column["type"], // checked by the validation of definitions
    format,
    description: description === "" ? `Custom resource definition column (in JSONPath format): ${jsonPath}` : description,
    priority,
    cell: (object, now) => cellOf(valueAt(object, names), type, now),
  };
}

function cellOf(value: unknown, type: string, now: number): string | number | boolean | null {
  if (value === undefined || value === null) return null;
  switch (type) {
    case "integer":
      return typeof value === "number" ? Math.trunc(value) : typeof value === "bigint" ? Number(value) : null;
    case "number":
      return typeof value === "number" ? value : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "date":
      return typeof value === "string" ? (Number.isNaN(Date.parse(value)) ? "<invalid>" : age(value, now)) : null;
    default:
      return typeof value === "string" ? value : JSON.stringify(value);
  }
}
