/** Table, the form in which clients show lists (meta/v1). JSON only: it has no protobuf. Keys in upstream's order. */
import type { ListMeta } from "./object-meta.ts";

export interface TableColumnDefinition {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
}
export type TableCell = string | number | boolean | null;
export interface TableRow<O> {
  readonly cells: readonly TableCell[];
  /** The whole object, its metadata, or null, as the client asked. */
  readonly object: O;
}
export interface Table<O> {
  readonly kind: "Table";
  readonly apiVersion: string;
  readonly metadata: ListMeta;
  readonly columnDefinitions: readonly TableColumnDefinition[] | null;
  readonly rows: readonly TableRow<O>[];
}
