/**
 * Cells and columns of most tables. Names and descriptions of columns are part of the response: clients display and compare them.
 */
import type { ApiObject } from "./object-meta.ts";
import type { MicroTime, Time } from "../schema.ts";

const minute = 60, hour = 60 * minute, day = 24 * hour, year = 365 * day;
/** Seconds by which a time may be in the future, because clocks differ. */
const aheadSecondsMax = 1;

/** A cell that changes with time: the time since `since`, in milliseconds since 1970. */
export class Age {
  /** Milliseconds since 1970. */
  readonly since: number;
  /** The texts before and after that of the time; undefined if there are none. */
  readonly frame: { readonly before: string; readonly after: string } | undefined;

  /**
   * `since` is in milliseconds since 1970. Use `age` for the text of a time in an object. `frame` has the texts around that of the time,
   * such as `3 (` and ` ago)`.
   */
  constructor(since: number, frame?: { readonly before: string; readonly after: string }) {
    this.since = since;
    this.frame = frame;
  }

  /** Returns the text at `now`, in milliseconds since 1970, in the format of kubectl: `3m20s`, `5d`, `2y10d`. */
  at(now: number): string {
    const text = elapsedText(Math.trunc((now - this.since) / 1000));
    return this.frame === undefined ? text : `${this.frame.before}${text}${this.frame.after}`;
  }
}

/** Returns the cell that shows the time since `time`, in the format of kubectl; `<unknown>` without a time. */
export function age(time: Time | MicroTime | null | undefined): Age | "<unknown>" {
  return time === undefined || time === null ? "<unknown>" : new Age(Date.parse(time));
}

function elapsedText(seconds: number): string {
  if (seconds < -aheadSecondsMax) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 2 * minute) return `${seconds}s`;
  if (seconds < 10 * minute) return inTwo(seconds, minute, "m", 1, "s");
  if (seconds < 3 * hour) return `${Math.trunc(seconds / minute)}m`;
  if (seconds < 8 * hour) return inTwo(seconds, hour, "h", minute, "m");
  if (seconds < 2 * day) return `${Math.trunc(seconds / hour)}h`;
  if (seconds < 8 * day) return inTwo(seconds, day, "d", hour, "h");
  if (seconds < 2 * year) return `${Math.trunc(seconds / day)}d`;
  if (seconds < 8 * year) return inTwo(seconds, year, "y", day, "d");
  return `${Math.trunc(seconds / year)}y`;
}
function inTwo(seconds: number, large: number, largeUnit: string, small: number, smallUnit: string): string {
  const rest = Math.trunc(seconds % large / small);
  return `${Math.trunc(seconds / large)}${largeUnit}${rest === 0 ? "" : `${rest}${smallUnit}`}`;
}

/** The column `Name`: `metadata.name`. The columns of most kinds begin with it. */
export const nameColumn: Column<ApiObject> = Object.freeze<Column<ApiObject>>({
  name: "Name",
  type: "string",
  format: "name",
  description: "The object's name, unique among objects of its kind and namespace.",
  cell: (object) => object.metadata.name ?? "",
});

const createdText = "When the server created the object.";

/** The column `Age`: the time since `metadata.creationTimestamp`, such as `5d`. The columns of most kinds end with it. */
export const ageColumn: Column<ApiObject> = Object.freeze<Column<ApiObject>>({
  name: "Age",
  type: "string",
  description: createdText,
  cell: (object) => age(object.metadata.creationTimestamp),
});

/** The column `Created At`, for kinds without a printer upstream. */
export const createdAtColumn: Column<ApiObject> = Object.freeze<Column<ApiObject>>({
  name: "Created At",
  type: "date",
  description: createdText,
  // An object without a creation time, such as a bookmark, has Go's zero time.
  cell: (object) => object.metadata.creationTimestamp ?? "0001-01-01T00:00:00Z",
});

/** The value of a cell. */
export type Cell = string | number | bigint | boolean | null | Age;

/** One column of the server-side table. */
export interface Column<T = any> {
  /** The heading, in upper case where kubectl shows it. */
  readonly name: string;
  /** The type of the cells in the response. */
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  /** The value `"name"` marks the column that holds the name. */
  readonly format?: string;
  /** One sentence about the column. Clients can show it. */
  readonly description: string;
  /** When kubectl shows the column: 0 always, 1 with `-o wide`. */
  readonly priority?: number;
  /**
   * Returns the cell of an object. It must depend on the object alone, because it is kept while the object is unchanged. For elapsed time
   * it returns an `age`.
   */
  readonly cell: (object: T) => Cell;
}

/** A state of an object that clients of a table may show in another way, such as that a pod has ended. */
export type RowCondition = {
  /** The type. Clients know `Completed`. */
  readonly type: "Completed";
  /** Whether the object is in this state. */
  readonly status: "True" | "False" | "Unknown";
  /** The reason in one word, for programs. */
  readonly reason: string;
  /** The reason, for people. */
  readonly message: string;
};

/** Columns of a kind without declared columns: name and creation time. */
export const defaultColumns: readonly Column<ApiObject>[] = Object.freeze([nameColumn, createdAtColumn]);
