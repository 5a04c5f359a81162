/** Server-side tables: one row per object, with cells by the columns of its kind. */
import { Budget } from "../../core/budget.ts";
import { PathWorkError } from "../../core/json-path/evaluate.ts";
import { goJson, goString } from "../../core/tree/json-text.ts";
import { Age, type Cell, defaultColumns } from "../../core/meta/columns.ts";
import { encoder } from "../../core/derive/encode.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { ShardedListMeta } from "../../core/meta/object-meta.ts";
import type { Form } from "./form.ts";
import { partialText } from "./metadata.ts";
import { servedJson, shortLivedObject } from "../objects/served.ts";
import type { RequestContext } from "../request-context.ts";
import type { Item } from "../objects/objects.ts";
import { bound } from "../../core/bound.ts";

/** Steps (`budget.ts`) of all cells of one row of a table. Cells beyond them are null. */
export const tableRowStepsMax = bound(50_000);
/** Steps of the cells of all rows of one table. */
export const tableStepsMax = bound(20_000_000);
/** Steps of the cells of each further row once a table has used `tableStepsMax`. Cells beyond them are null. */
const tableFurtherRowStepsMax = bound(1_000);

const toBytes = new TextEncoder();
const toText = new TextDecoder();

export type TableForm = Form & { readonly as: "table" };

/** The work of the cells of one answer, in steps. */
export class TableWork {
  #left = tableStepsMax;
  /** One error for all cells: each further one would collect a stack. */
  readonly #tooMuch = new PathWorkError("the cells of the row take too much work");

  /**
   * Runs the work of one row. `isFurther`: whether the rows before have used up the budget of the answer. The work asks `isOver` before each cell:
   * thousands of columns that each begin and fail take long, too.
   */
  row<T>(work: (isOver: () => boolean) => T, isFurther: boolean): T {
    const stepsMax = isFurther ? tableFurtherRowStepsMax : tableRowStepsMax,
      budget = new Budget(stepsMax, () => this.#tooMuch);
    try {
      return budget.run(() => work(() => budget.spent > stepsMax));
    } finally {
      this.#left -= budget.spent;
    }
  }
  get isSpent(): boolean {
    return this.#left <= 0;
  }
}

/** JSON of a Table with one row, which has the item's resourceVersion. `withColumns`: whether it has the column definitions. */
export function tableText(call: RequestContext, form: TableForm, item: Item, withColumns: boolean): string {
  const { resourceVersion } = item.object.metadata;
  const head = tableHead(call, form, resourceVersion === undefined ? {} : { resourceVersion }, withColumns);
  return `${head},"rows":[${tableRow(call, form, item, new TableWork())}]}`;
}

/** JSON of a Table up to its rows. */
export function tableHead(
  { endpoint, catalog }: RequestContext,
  { version }: TableForm,
  metadata: ShardedListMeta,
  withColumns: boolean,
): string {
  const columns = endpoint.served.columns ?? defaultColumns;
  const definitions = withColumns
    ? `[${
      columns.map(({ name, type, format = "", description, priority = 0 }) =>
        `{"name":${goString(name)},"type":${goString(type)},"format":${goString(format)},"description":${
          goString(description)
        },"priority":${priority}}`
      ).join(",")
    }]`
    : "null";
  const type = `"kind":"Table","apiVersion":${goString(`meta.${catalog.names.domain}/${version}`)}`;
  return `{${type},"metadata":${encoder(ShardedListMeta)(metadata)},"columnDefinitions":${definitions}`;
}

/** JSON of a row: cells by the columns of the kind, and the included part of the object. */
export function tableRow(call: RequestContext, form: TableForm, item: Item, work: TableWork): string {
  let read: ApiObject | undefined;
  const served = () => read ??= shortLivedObject(call.endpoint, item); // large objects take long to read
  return `{"cells":[${rowCells(call, item, served, work)},"object":${rowObject(call, item, served, form)}}`;
}

/** JSON has no such character. It stands before and after the time of an age in the kept cells of a row. */
const aroundTime = "\0";
/** Stands between a time and the texts of its frame. */
const inTime = "\x01";

/** The cells of a row, the end of their list, and the row's conditions. They are kept with a cached item, so that its object is decoded once. */
function rowCells({ endpoint, backend }: RequestContext, item: Item, served: () => ApiObject, work: TableWork): string {
  const columns = endpoint.served.columns ?? defaultColumns, isFurther = work.isSpent;
  // A definition can change its columns while the objects stay the same.
  const kept = item.form(isFurther ? furtherKey(columns) : columns, () => {
    const object = served();
    const cells = work.row((isOver) => columns.map(({ cell }) => isOver() ? "null" : cellText(cell(object))).join(","), isFurther);
    const conditions = endpoint.served.rowConditions?.(object) ?? [];
    return toBytes.encode(`${cells}]${conditions.length === 0 ? "" : `,"conditions":${goJson(conditions)}`}`);
  });
  const parts = toText.decode(kept).split(aroundTime);
  if (parts.length === 1) return parts[0]!;
  const now = backend.clock.now();
  return parts.map((part, index) => {
    if (index % 2 === 0) return part;
    const [since, before, after] = part.split(inTime);
    return goString(new Age(Number(since), before === undefined || after === undefined ? undefined : { before, after }).at(now));
  }).join("");
}

/** The key of the cells with the small budget of further rows. */
function furtherKey(columns: object): object {
  let key = furtherKeys.get(columns);
  if (key === undefined) furtherKeys.set(columns, key = {});
  return key;
}
const furtherKeys = new WeakMap<object, object>();

function cellText(cell: Cell): string {
  return cell instanceof Age ? `${aroundTime}${timeText(cell)}${aroundTime}` : goJson(cell);
}

function timeText({ since, frame }: Age): string {
  return frame === undefined ? String(since) : [since, frame.before, frame.after].join(inTime);
}

function rowObject(call: RequestContext, item: Item, served: () => ApiObject, { include, version }: TableForm): string {
  if (include === "None") return "null";
  if (include === "Metadata") return partialText(call, item, version, served);
  const json = servedJson(call.endpoint, item);
  return typeof json === "string" ? json : toText.decode(json);
}
