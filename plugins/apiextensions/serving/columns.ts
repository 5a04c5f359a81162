/** Columns of tables: the name, then the columns of the definition (default: the age). */
import type { Json } from "../../../core/json.ts";
import { columnCell, type ColumnType } from "../../../core/json-path/column.ts";
import { JsonPathError, parseJsonPath } from "../../../core/json-path/parse.ts";
import { ageColumn, type ApiObject, type Column, nameColumn } from "../../../plugin.ts";
import type { PrinterColumn, Version } from "../schema.ts";

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
    description: description === "" ? `Custom resource definition column (in JSONPath format): ${jsonPath}` : description,
    priority,
    cell: (object, now) => cell(object as unknown as Json, now), // an object of JSON
  }];
}
