import assert from "node:assert/strict";
import { test } from "node:test";
import { spendSteps } from "../../core/budget.ts";
import { PathWorkError } from "../../core/json-path/evaluate.ts";
import { columnCell } from "../../core/json-path/column.ts";
import { JsonPathError, parseJsonPath } from "../../core/json-path/parse.ts";
import { age, ageColumn, type Column, nameColumn } from "../../core/meta/columns.ts";
import { object } from "../../core/meta/object.ts";
import { defaultNames } from "../../core/names.ts";
import { type ManualClock, manualClock } from "../../core/test-clock.ts";
import { field, string } from "../../core/schema.ts";
import { Forms } from "../cache/index/forms.ts";
import { compile } from "../catalog/compile.ts";
import { Item } from "../objects/objects.ts";
import type { RequestContext } from "../request-context.ts";
import { tableRow, tableRowStepsMax, tableStepsMax, TableWork } from "./table.ts";

const schema = object("Thing", { text: field(2, string, "A text.") }, { doc: "A thing." });
const begin = Date.parse("2024-01-02T03:04:05Z");

function callFor(columns: readonly Column[], clock: ManualClock): RequestContext {
  const catalog = compile([{
    name: "test",
    summary: "A thing.",
    resources: [{
      kind: "Thing",
      scope: "Cluster",
      summary: "A thing.",
      storedAs: "example.com/v1",
      storedUnder: "example.com/things",
      served: { "example.com/v1": { schema, introduced: "1.0", columns } },
    }],
  }], { names: defaultNames, featureGates: new Map(), runtimeConfig: new Map() });
  const endpoint = catalog.endpoint("example.com", "v1", "things")!;
  return { endpoint, catalog, backend: { clock } } as unknown as RequestContext; // the parts that a row reads
}

/** Items of one cached entry, as each request makes one, and how often they have decoded the object. */
function cachedEntry({ endpoint }: RequestContext, object: any) {
  const forms = new Forms(), entry = {}, counted = { decoded: 0 };
  const item = () =>
    Item.served(endpoint.stored, "a", 7, {
      pieces: () => [],
      object: () => {
        counted.decoded++;
        return object;
      },
      form: (key, make) => forms.get(entry, key, make),
    });
  return { item, counted };
}

const thing = {
  kind: "Thing",
  apiVersion: "example.com/v1",
  metadata: { name: 'a"\u0001\u2028', creationTimestamp: "2024-01-02T03:04:05Z" },
  text: "red",
};
const rows = { as: "table", version: "v1", include: "None" } as const;
const cellsOf = (call: RequestContext, item: Item, work = new TableWork()) => JSON.parse(tableRow(call, rows, item, work)).cells;
const textColumn: Column = { name: "Text", type: "string", description: "A text.", cell: ({ text }) => text };

test("the cells of a cached item are kept, and ages in them go on", () => {
  const clock = manualClock(begin + 60_000), call = callFor([nameColumn, ageColumn, textColumn, ageColumn], clock);
  const { item, counted } = cachedEntry(call, thing);
  assert.deepEqual(cellsOf(call, item()), [thing.metadata.name, "60s", "red", "60s"]);
  clock.advance(4 * 60_000);
  assert.deepEqual(cellsOf(call, item()), [thing.metadata.name, "5m", "red", "5m"]);
  assert.equal(counted.decoded, 1);
});

test("columns that a definition changes have cells of their own", () => {
  const clock = manualClock(begin), before = callFor([nameColumn, textColumn], clock), after = callFor([nameColumn, ageColumn], clock);
  const { item } = cachedEntry(before, thing);
  assert.deepEqual(cellsOf(before, item()), [thing.metadata.name, "red"]);
  assert.deepEqual(cellsOf(after, item()), [thing.metadata.name, "0s"]);
  assert.deepEqual(cellsOf(before, item()), [thing.metadata.name, "red"]);
});

test("a cell without a time is a text, and one before 1970 an age", () => {
  const clock = manualClock(begin);
  const columns: Column[] = [
    { name: "Never", type: "date", description: "No time.", cell: () => age(null) },
    { name: "Early", type: "date", description: "A time.", cell: () => age("1960-01-01T00:00:00Z") },
    { name: "Nothing", type: "string", description: "Nothing.", cell: () => null },
  ];
  const call = callFor(columns, clock);
  assert.deepEqual(cellsOf(call, cachedEntry(call, thing).item()), ["<unknown>", "64y", null]);
});

/** A column of a path, and how often its cell was made. */
function pathColumn(path: string): { readonly column: Column } {
  const parsed = parseJsonPath(path);
  assert.ok(!(parsed instanceof JsonPathError));
  return { column: { name: "P", type: "string", description: "", cell: columnCell(parsed, "string") } };
}

test("the cells of a row have one budget: columns beyond it are null, however many there are", () => {
  const items = Array.from({ length: tableRowStepsMax / 4 }, () => ({ a: 2 }));
  const { column } = pathColumn(".l[?(@.a==1)].b"), { column: name } = pathColumn(".metadata.uid");
  let begun = 0;
  const counted: Column = { ...column, cell: (object) => (begun++, column.cell(object)) };
  const call = callFor([name, ...Array.from({ length: 1_000 }, () => counted), name], manualClock(begin));
  const object = { ...thing, metadata: { ...thing.metadata, uid: "u" }, l: items };
  const work = new TableWork(), cells = cellsOf(call, cachedEntry(call, object).item(), work);
  assert.equal(cells.length, 1_002);
  assert.deepEqual([cells[0], cells.at(-1)], ["u", null]);
  assert.ok(begun > 0 && begun < 5, `${begun} cells are begun: each of the others would fail with an error`);
  assert.ok(!work.isSpent);
});

test("the cells of an answer have one budget: rows after it get a small one, and those are not taken for whole ones", () => {
  const items = Array.from({ length: 1_000 }, () => ({ a: 1, b: "x" }));
  const call = callFor(
    [pathColumn(".metadata.uid").column, pathColumn(".l[999].b").column, pathColumn(".l[?(@.a==2)].b").column],
    manualClock(begin),
  );
  const object = { ...thing, metadata: { ...thing.metadata, uid: "u" }, l: items }, work = new TableWork();
  const { item, counted } = cachedEntry(call, object);
  assert.throws(() => work.row(() => spendSteps(tableStepsMax), false), PathWorkError);
  const heavy = pathColumn(".l[*].b").column,
    heavyCall = callFor([heavy], manualClock(begin)),
    { item: heavyItem } = cachedEntry(heavyCall, object);
  assert.deepEqual(cellsOf(heavyCall, heavyItem(), work), [null]);
  assert.deepEqual(cellsOf(heavyCall, heavyItem()), ["x"]);
  assert.deepEqual(cellsOf(heavyCall, heavyItem(), work), [null]);
  assert.deepEqual(cellsOf(call, item()).slice(0, 2), ["u", "x"]);
  assert.equal(counted.decoded, 1);
});

test("the text of a cell counts: a column of a large part of the object cannot be repeated", () => {
  const call = callFor(Array.from({ length: 30 }, () => pathColumn(".l").column), manualClock(begin));
  const object = { ...thing, l: ["x".repeat(100_000)] }, cells = cellsOf(call, cachedEntry(call, object).item());
  assert.equal(cells.filter((cell: unknown) => cell !== null).length, Math.floor(8 * tableRowStepsMax / 100_010));
});
