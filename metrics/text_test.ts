import assert from "node:assert/strict";
import { test } from "node:test";
import { headText, labelsText, numberText, sampleText } from "./text.ts";

test("headText() escapes backslashes and line ends, and leaves quotes", () => {
  assert.equal(headText("a_total", "counter", 'A \\ b\nc "q".'), '# HELP a_total A \\\\ b\\nc "q".\n# TYPE a_total counter\n');
});

test("labelsText() escapes backslashes, quotes and line ends, and nothing else", () => {
  assert.equal(labelsText({}), "");
  assert.equal(labelsText({ a: 'x"y\\z\n', b: "", constructor: "{ü}," }), 'a="x\\"y\\\\z\\n",b="",constructor="{ü},"');
  assert.equal(labelsText({ a: "\\n" }), 'a="\\\\n"');
});

test("sampleText() writes braces only around labels", () => {
  assert.equal(sampleText("a", "", 1), "a 1\n");
  assert.equal(sampleText("a", 'b="c"', 0.5), 'a{b="c"} 0.5\n');
});

test("numberText() writes numbers as Go reads them", () => {
  assert.deepEqual([0, -0, 1e21, 1e-7, 0.1, Infinity, -Infinity, NaN].map(numberText), [
    "0",
    "0",
    "1e+21",
    "1e-7",
    "0.1",
    "+Inf",
    "-Inf",
    "NaN",
  ]);
});
