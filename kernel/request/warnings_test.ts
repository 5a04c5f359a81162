import assert from "node:assert/strict";
import { test } from "node:test";
import { warningRunesMax, warningRunesTruncated, Warnings } from "./warnings.ts";

test("Warnings.headers() has each text once, quoted", () => {
  const warnings = new Warnings();
  warnings.add('unknown field "a"');
  warnings.add('unknown field "a"');
  warnings.add("back\\slash");
  assert.deepEqual(warnings.headers(), ['299 - "unknown field \\"a\\""', '299 - "back\\\\slash"']);
});

test("Warnings.headers() omits texts with control characters", () => {
  const warnings = new Warnings();
  for (const text of ["line\nbreak", "tab\t", "\x00", "\x7f", "\x85", ""]) warnings.add(text);
  warnings.add("fine\u2028");
  assert.deepEqual(warnings.headers().map((each) => each.length), ['299 - "fine"'.length + 3]);
  // A control character after the truncation does not matter.
  const cut = new Warnings();
  for (let i = 0; i < 2; i++) cut.add(`${i}${"x".repeat(warningRunesMax)}`);
  cut.add(`${"y".repeat(warningRunesTruncated)}\n`);
  assert.equal(cut.headers().length, 3);
});

test("Warnings.headers() includes the text that exceeds the total, and those before it", () => {
  const warnings = new Warnings();
  for (let i = 0; i < 70; i++) warnings.add(`${i}`.padEnd(warningRunesMax / 64, "x"));
  assert.equal(warnings.headers().length, 65);
});

test("Warnings.headers() truncates texts only if their total exceeds the bound", () => {
  const atBound = new Warnings();
  atBound.add("x".repeat(warningRunesMax));
  assert.equal(atBound.headers()[0]!.length, warningRunesMax + '299 - ""'.length);
  const beyond = new Warnings();
  for (let i = 0; i < 40; i++) beyond.add(`${i}`.padEnd(warningRunesTruncated * 2, "x"));
  const headers = beyond.headers();
  assert.equal(headers.length, warningRunesMax / warningRunesTruncated);
  assert.ok(headers.every((each) => each.length === warningRunesTruncated + '299 - ""'.length));
});

test("Warnings.headers() includes the truncated text that crosses the bound", () => {
  const warnings = new Warnings();
  const length = 100;
  for (let i = 0; i < 60; i++) warnings.add(`${i}`.padEnd(length, "x"));
  assert.equal(warnings.headers().length, Math.ceil(warningRunesMax / length));
});

test("Warnings.checkpoint() returns a function that removes the texts added since", () => {
  const warnings = new Warnings();
  warnings.add("first");
  const restore = warnings.checkpoint();
  for (const text of ["second", "first", "third"]) warnings.add(text);
  restore();
  assert.deepEqual([...warnings.texts], ["first"]);
});
