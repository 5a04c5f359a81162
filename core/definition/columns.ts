/** Columns of tables: the name, then the columns of the definition (default: the age). */
import type { Json } from "../json.ts";
import { columnCell, type ColumnType } from "../json-path/column.ts";
import { JsonPathError, parseJsonPath } from "../json-path/parse.ts";
import { ageColumn, type Column, nameColumn } from "../meta/columns.ts";
import type { ApiObject } from "../meta/object-meta.ts";
import type { PrinterColumn, Version } from "./definition.ts";

export function columnsOf({ additionalPrinterColumns }: Version): readonly Column<ApiObject>[] {
  const own = additionalPrinterColumns ?? [];
  return [nameColumn, ...(own.length === 0 ? [{ ...ageColumn, type: "date" as const }] : own.flatMap(columnOf))];
}

function columnOf({ name, type, format = "", description = "", priority = 0, jsonPath }: PrinterColumn): readonly Column<ApiObject>[] {
  const path = parseJsonPath(jsonPath);
  if (path instanceof JsonPathError) return [];
  const cell = columnCell(path, type as ColumnType); // checked by the validation of definitions
  return [{
    name,
    type: type as ColumnType,
    format,
    description: description === "" ? `The value at ${jsonPath}.` : description,
    priority,
    cell: (object) => cell(object as unknown as Json), // an object of JSON
  }];
}
