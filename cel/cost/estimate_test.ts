import assert from "node:assert/strict";
import { test } from "node:test";
import { analyse } from "../compile.ts";
import { environment } from "../environment.ts";
import { listType, stringType } from "../types.ts";
import { estimateCost, type SizeSource } from "./estimate.ts";
import { SourcePath } from "./path.ts";
import { rangeMax } from "./range.ts";

const base = environment({ variables: [{ name: "texts", type: listType(stringType) }] });
const sizes: SizeSource = (path) => path[0] !== "texts" ? undefined : { min: 0n, max: path.length === 1 ? 10n : 100n };

function estimate(text: string, source: SizeSource = sizes) {
  const analysed = analyse(text, base);
  assert.ok(analysed.ok, text);
  const { min, max } = estimateCost(analysed.checked, base, source);
  return [min, max];
}

test("estimateCost() adds operands and multiplies loops by the size of their range", () => {
  assert.deepEqual(estimate("1 == 1"), [1n, 1n]);
  assert.deepEqual(estimate("texts.all(text, text.startsWith('a'))"), [2n, 52n]);
  assert.deepEqual(estimate("texts[0] == 'abcdefghijk'"), [3n, 4n]);
});

test("estimateCost() saturates where nothing bounds a size", () => {
  const [, max] = estimate("texts.all(a, texts.all(b, a == b))", () => undefined);
  assert.equal(max, rangeMax);
});

test("paths that extend one path share their storage, as Go's slices do", () => {
  const three = SourcePath.of("a").with("b").with("c");
  const first = three.with("d");
  assert.deepEqual(first.steps(), ["a", "b", "c", "d"]);
  three.with("e");
  assert.deepEqual(first.steps(), ["a", "b", "c", "e"]);
});
