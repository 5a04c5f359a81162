import assert from "node:assert/strict";
import { test } from "node:test";
import { partsOf, readDocument } from "./document.ts";

test("partsOf() splits at lines of three dashes, which belong to the part that they begin", () => {
  const split = (text: string) => partsOf(text).map(({ text: part, line }) => [line, part]);
  assert.deepEqual(split(""), []);
  assert.deepEqual(split("a\n---\nb\n--- # c\nd"), [[1, "a\n"], [2, "---\nb\n"], [4, "--- # c\nd"]]);
  assert.deepEqual(split("---\n---"), [[1, "---\n"], [2, "---"]]);
  assert.deepEqual(split("a: |\n  ---\n----\n--- x\n"), [[1, "a: |\n  ---\n----\n"], [4, "--- x\n"]]);
});

test("readDocument() keeps the separator apart, and finds lines of the file", () => {
  const read = readDocument({ text: "--- # head\na: 1\nb: 2\n", line: 10 })!;
  assert.deepEqual([read.head, read.body, read.isJson], ["--- # head\n", "a: 1\nb: 2\n", false]);
  assert.deepEqual([0, 4, 5, 9].map(read.lineAt), [11, 11, 12, 12]);
  assert.equal(readDocument({ text: "--- {a: 1}\n", line: 1 })!.head, "");
  assert.equal(readDocument({ text: "---\n# only a comment\n", line: 1 }), undefined);
  assert.equal(readDocument({ text: ' {"a": [1]}\n', line: 1 })!.isJson, true);
  assert.equal(readDocument({ text: "{a: 1}\n", line: 1 })!.isJson, false);
});
