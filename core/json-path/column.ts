/** Cells of columns, and texts of selectable fields, from JSON paths. */
import { spendSteps } from "../budget.ts";
import { isObject, type Json } from "../json.ts";
import { age, type Cell } from "../meta/columns.ts";
import { Unreadable } from "../scalars/unreadable.ts";
import { parseTime } from "../scalars/time.ts";
import { sortedText } from "../derive/raw-json.ts";
import { findJsonPath } from "./evaluate.ts";
import { goNumberText } from "./go-number.ts";
import { type JsonPath, JsonPathError } from "./parse.ts";

export type ColumnType = "integer" | "number" | "string" | "boolean" | "date";

/** Returns the cell of an object. Null if the path finds nothing, or a value of another type. */
export function columnCell(path: JsonPath, type: ColumnType): (object: Json) => Cell {
  return (object) => {
    const found = findJsonPath(path, object);
    if (found instanceof JsonPathError) return null;
    const value = found[0]?.[0];
    return value === undefined ? null : charged(cellOf(value, type));
  };
}

/** Returns the cell; null if the budget in force does not suffice for its text. */
function charged(cell: Cell): Cell {
  if (typeof cell !== "string") return cell;
  try {
    spendSteps(Math.floor(cell.length / charactersPerStep));
    return cell;
  } catch (error) {
    if (error instanceof JsonPathError) return null;
    throw error;
  }
}
const charactersPerStep = 8;

function cellOf(value: Json, type: ColumnType): Cell {
  if (type === "string") return value === null ? "<no value>" : goText(value);
  if (value === null) return null;
  switch (type) {
    case "integer":
      return typeof value === "number" ? Math.trunc(value) : typeof value === "bigint" ? value : null;
    case "number": // a double, as upstream's cells of this type
      return typeof value === "number" || typeof value === "bigint" ? Number(value) : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "date":
      return typeof value === "string" ? dateCell(value) : null;
  }
}

function dateCell(text: string): Cell {
  if (text === "" || text === "null") return "<unknown>";
  const time = parseTime(text);
  return time instanceof Unreadable ? "<invalid>" : age(time);
}

/**
 * Returns the text of a selectable field: "" if the path finds nothing or null. `JsonPathError` for a path that does not fit the object,
 * or that finds several values: such an object cannot be selected.
 */
export function selectableText(path: JsonPath, object: Json): string | JsonPathError {
  const found = findJsonPath(path, object);
  if (found instanceof JsonPathError) return found;
  const [first = []] = found;
  if (found.length > 1 || first.length > 1) return new JsonPathError("unexpectedly received more than one JSON path result");
  const value = first[0] ?? null;
  return value === null ? "" : goText(value);
}

/** Returns a value as Go prints it; lists and objects are JSON. */
function goText(value: Json): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "bigint") return goNumberText(value);
  return isObject(value) || Array.isArray(value) ? sortedText(value) : String(value);
}
