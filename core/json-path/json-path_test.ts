import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../json.ts";
import { cellAt } from "../test-cells.ts";
import { columnCell, type ColumnType, selectableText } from "./column.ts";
import { findJsonPath } from "./evaluate.ts";
import { goNumberText } from "./go-number.ts";
import { JsonPathError, jsonPathLengthMax, parseJsonPath } from "./parse.ts";

const object: Json = {
  metadata: { name: "a", creationTimestamp: "2024-01-02T03:04:05Z", annotations: { "a.b/c": "dotted" } },
  spec: {
    text: "hello",
    num: 3,
    frac: 1.5,
    flag: true,
    none: null,
    list: [{ kind: "a", name: "x", n: 1 }, { kind: "b", name: "y", n: 2 }, { kind: "c", n: 3.5 }],
    numbers: [10, 20, 30, 40],
    map: { one: { v: 1 }, two: { v: 2 } },
  },
};

function find(text: string, value: Json = object): Json {
  const path = parseJsonPath(text);
  if (path instanceof JsonPathError) return `parse: ${path.message}`;
  const found = findJsonPath(path, value);
  return found instanceof JsonPathError ? `error: ${found.message}` : found[0] ?? [];
}

test("fields, keys in brackets, indexes and slices", () => {
  assert.deepEqual(find(".spec.text"), ["hello"]);
  assert.deepEqual(find("spec.text"), "error: unrecognized identifier spec");
  assert.deepEqual(find(".metadata.annotations.a\\.b/c"), ["dotted"]);
  assert.deepEqual(find(".metadata.annotations['a\\.b/c']"), ["dotted"]);
  assert.deepEqual(find("$.spec['num']"), [3]);
  assert.deepEqual(find(".spec.missing.inner"), []);
  assert.deepEqual(find(".spec.none.inner"), []);
  assert.deepEqual(find(".spec.numbers[0]"), [10]);
  assert.deepEqual(find(".spec.numbers[-1]"), [40]);
  assert.deepEqual(find(".spec.numbers[1:3]"), [20, 30]);
  assert.deepEqual(find(".spec.numbers[-2:]"), [30, 40]);
  assert.deepEqual(find(".spec.numbers[::2]"), [10, 30]);
  assert.deepEqual(find(".spec.numbers[0,2]"), [10, 30]);
  assert.deepEqual(find(".spec.numbers[*]"), [10, 20, 30, 40]);
  assert.deepEqual(find(".spec.list[*].name"), ["x", "y"]);
  assert.deepEqual(find(".spec.map.*.v"), [1, 2]);
  assert.deepEqual(find(".spec.numbers[4]"), "error: array index out of bounds: index 4, length 4");
  assert.deepEqual(find(".spec.text[0]"), "error: not an array or slice");
  assert.deepEqual(find(".spec.numbers[2:1]"), "error: starting index 2 is greater than ending index 1");
  assert.deepEqual(find(".spec.numbers[::0]"), "error: step must be > 0");
});

test("filters compare values of one kind", () => {
  assert.deepEqual(find('.spec.list[?(@.kind=="b")].name'), ["y"]);
  assert.deepEqual(find(".spec.list[?(@.kind=='b')].name"), ["y"]);
  assert.deepEqual(find('.spec.list[?(@.kind!="b")].kind'), ["a", "c"]);
  assert.deepEqual(find(".spec.list[?(@.name)].kind"), ["a", "b"]);
  assert.deepEqual(find(".spec.numbers[?(@>20)]"), [30, 40]);
  assert.deepEqual(find(".spec.numbers[?(@<=20)]"), [10, 20]);
  assert.deepEqual(find(".spec.numbers[?(@>=20.0)]"), "error: incompatible types for comparison");
  assert.deepEqual(find(".spec.list[?(@.n<2)].kind"), "error: incompatible types for comparison");
  assert.deepEqual(find(".spec.text[?(@==1)]"), "error: not an array or slice and cannot be filtered");
});

test("recursive descent visits lists, objects and texts", () => {
  assert.deepEqual(find("..v"), [1, 2]);
  assert.deepEqual(find(".spec.list..name"), ["x", "y"]);
  assert.deepEqual(find(".spec....name"), "parse: invalid multiple recursive descent");
});

test("invalid paths are refused with client-go's words", () => {
  for (
    const [text, error] of [
      [".spec[", "unterminated array"],
      [".spec[a]", "invalid array index a"],
      [".spec[?(@.a", "unterminated filter"],
      [".spec[?(@.a)", "unclosed array expect ]"],
      ['.spec "', "unterminated quoted string"],
      [".spec!", "error"],
      [".spec^", "error"],
      [".spec ^", "unrecognized character in action: ^"],
      [".spec +", "cannot parse number +"],
      [".spec\n", "unclosed action"],
      ["x".repeat(jsonPathLengthMax + 1), "the path is too long"],
    ] as const
  ) {
    const path = parseJsonPath(text);
    if (error === "error") assert.ok(!(path instanceof JsonPathError), text);
    else assert.equal(path instanceof JsonPathError && path.message, error, text);
  }
});

test("the work of an evaluation is bounded", () => {
  const nested: Json = Array.from({ length: 40 }, () => ({ a: Array.from({ length: 40 }, () => ({ a: 1 })) }));
  assert.deepEqual(find("...*...*...*", { a: [nested, nested, nested] }), "error: the path visits too many values");
  let deep: Json = 1;
  for (let i = 0; i < 10_000; i++) deep = { a: deep };
  assert.equal((find("..", deep) as Json[]).length, 10_000);
});

const now = Date.parse("2024-01-02T05:04:05Z");
function cell(text: string, type: ColumnType, value: Json = object): unknown {
  const path = parseJsonPath(text);
  assert.ok(!(path instanceof JsonPathError));
  return cellAt(columnCell(path, type)(value), now);
}

test("columnCell() returns the value in the type of the column, or null", () => {
  assert.deepEqual(
    [".text", ".num", ".frac", ".flag", ".none", ".missing", ".list[9]", ".map"].map((path) => cell(`.spec${path}`, "string")),
    ["hello", "3", "1.5", "true", "<no value>", null, null, '{"one":{"v":1},"two":{"v":2}}'],
  );
  assert.deepEqual([cell(".spec.num", "integer"), cell(".spec.frac", "integer"), cell(".spec.text", "integer")], [3, 1, null]);
  assert.deepEqual([cell(".spec.num", "number"), cell(".spec.frac", "number"), cell(".spec.flag", "number")], [3, 1.5, null]);
  assert.deepEqual([cell(".spec.flag", "boolean"), cell(".spec.text", "boolean")], [true, null]);
  assert.deepEqual(
    [cell(".metadata.creationTimestamp", "date"), cell(".spec.text", "date"), cell(".spec.num", "date"), cell(".t", "date", { t: "" })],
    ["120m", "<invalid>", null, "<unknown>"],
  );
});

test("selectableText() returns the text of one value", () => {
  const text = (path: string) => {
    const parsed = parseJsonPath(path);
    assert.ok(!(parsed instanceof JsonPathError));
    const found = selectableText(parsed, object);
    return found instanceof JsonPathError ? found.message : found;
  };
  assert.deepEqual([".spec.text", ".spec.num", ".spec.flag", ".spec.none", ".spec.missing"].map(text), ["hello", "3", "true", "", ""]);
  assert.equal(text(".spec.numbers[*]"), "unexpectedly received more than one JSON path result");
});

test("goNumberText() prints numbers as Go does", () => {
  assert.deepEqual([1e6, 0.1, 1e21, 1e-4, 1e-5, 123456.789, 1234567.5, 12345678.25, 0.00001234, 2n ** 60n].map(goNumberText), [
    "1000000",
    "0.1",
    "1e+21",
    "0.0001",
    "1e-05",
    "123456.789",
    "1.2345675e+06",
    "1.234567825e+07",
    "1.234e-05",
    "1152921504606846976",
  ]);
});
