import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "../../core/limits.ts";
import { Warnings } from "./warnings.ts";

test("Warnings tell each text once, quoted as a header wants it", () => {
  const warnings = new Warnings();
  warnings.add('unknown field "a"');
  warnings.add('unknown field "a"');
  warnings.add("back\\slash\nline");
  assert.deepEqual(warnings.headers(), ['299 - "unknown field \\"a\\""', '299 - "back\\\\slash line"']);
});

test("Warnings stay whole at the bound and are cut beyond it", () => {
  const atBound = new Warnings();
  atBound.add("x".repeat(limits.warningRunesMax));
  assert.equal(atBound.headers()[0]!.length, limits.warningRunesMax + '299 - ""'.length);
  const beyond = new Warnings();
  for (let i = 0; i < 40; i++) beyond.add(`${i}`.padEnd(limits.warningRunesTruncated * 2, "x"));
  const headers = beyond.headers();
  assert.equal(headers.length, limits.warningRunesMax / limits.warningRunesTruncated);
  assert.ok(headers.every((each) => each.length === limits.warningRunesTruncated + '299 - ""'.length));
});

test("of Warnings that are cut, the one that crosses the bound still goes out", () => {
  const warnings = new Warnings();
  const length = 100;
  for (let i = 0; i < 60; i++) warnings.add(`${i}`.padEnd(length, "x"));
  assert.equal(warnings.headers().length, Math.ceil(limits.warningRunesMax / length));
});
