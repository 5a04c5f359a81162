/** Server-side tables: what a kind that declares no columns shows, and the table of some objects. */
import type { Table, TableColumnDefinition } from "../meta/table.ts";
import { type Column, createdAtColumn, nameColumn } from "../meta/columns.ts";
import type { ApiObject, ListMeta } from "../meta/object-meta.ts";

/** Name and the time of creation (not the age), where upstream has no printer of its own. */
export const defaultColumns: readonly Column<ApiObject>[] = Object.freeze([nameColumn, createdAtColumn]);

/** The definition that clients see of a column. */
export function columnDefinition(column: Column): TableColumnDefinition {
  const { name, type, format = "", description, priority = 0 } = column;
  return { name, type, format, description, priority };
}

/**
 * The table of some objects, at `now` (milliseconds since the epoch). `shown` is what a row carries of its object. Watches
 * send definitions with their first table only: null stands for the others.
 */
export function tableOf<T extends ApiObject, O>(
  apiVersion: string,
  metadata: ListMeta,
  columns: readonly Column<T>[],
  objects: readonly T[],
  shown: (object: T) => O,
  now: number,
  withDefinitions = true,
): Table<O> {
  return {
    kind: "Table",
    apiVersion,
    metadata,
    columnDefinitions: withDefinitions ? columns.map(columnDefinition) : null,
    rows: objects.map((object) => ({ cells: columns.map((column) => column.cell(object, now)), object: shown(object) })),
  };
}
