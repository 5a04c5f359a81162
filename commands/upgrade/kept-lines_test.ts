import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultNames } from "../../core/names.ts";
import { convertManifest } from "./convert.ts";
import { keptLines, manifestLinePairsMax } from "./kept-lines.ts";

test("keptLines() takes unchanged lines from the source, and empty lines between them", () => {
  const source = "a:   1   # one\n\n\nb: [1,2]\nc: 3\n", plain = "a: 1 # one\n\nb: [ 1, 2 ]\nc: 3\n";
  assert.equal(keptLines(source, plain, plain), source);
  assert.equal(keptLines(source, plain, plain.replace("c: 3", "d: 4")), source.replace("c: 3", "d: 4"));
  assert.equal(keptLines(source, plain, `${plain}e: 5\n`), `${source}e: 5\n`);
  assert.equal(keptLines(source, plain, "a: 1 # one\nx: 0\n\nb: [ 1, 2 ]\nc: 3\n"), "a:   1   # one\nx: 0\n\n\nb: [1,2]\nc: 3\n");
});

test("keptLines() indents new lines as the lines around them", () => {
  const source = "a:\n- b:\n      c: 1\n- d: 2\n", plain = "a:\n  - b:\n      c: 1\n  - d: 2\n";
  assert.equal(
    keptLines(source, plain, "a:\n  - b:\n      c: 1\n      x:\n        y: 1\n  - z: 3\n  - d: 2\n"),
    "a:\n- b:\n      c: 1\n      x:\n        y: 1\n- z: 3\n- d: 2\n",
  );
});

test("keptLines() keeps text that the library folds in another way", () => {
  const source = "a: >-\n  one\n  two\nb: 1\n", plain = "a: >-\n  one two\nb: 1\n";
  assert.equal(keptLines(source, plain, plain.replace("b: 1", "b: 2")), source.replace("b: 1", "b: 2"));
});

test("lines of a list whose changes are too many to compare are kept, too", () => {
  const count = 700, item = (version: string) => `- apiVersion: ${version}\n  kind: CronJob   # kept\n  metadata: {name:  a}\n`;
  const list = (version: string) => `apiVersion: v1\nkind: List\nitems:\n${item(version).repeat(count)}`;
  assert.ok((count * 3) ** 2 > manifestLinePairsMax);
  const { text, objects } = convertManifest(list("batch/v1beta1"), { names: defaultNames });
  assert.equal(objects.length, count);
  assert.equal(text, list("batch/v1"));
});
