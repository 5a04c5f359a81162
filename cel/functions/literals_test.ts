import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../compile.ts";
import { environment } from "../environment.ts";

const env = environment({ version: 34 });

/** The mistakes of an expression. */
function mistakes(text: string): readonly string[] {
  const compiled = compile(text, env);
  return compiled.tag === "issues" ? compiled.issues.map(({ message, position }) => `${position}: ${message}`) : [];
}

test("literals of durations, timestamps and patterns are checked before an expression runs", () => {
  assert.deepEqual(mistakes("duration('1h') > duration('x')"), ["26: invalid duration argument"]);
  assert.deepEqual(mistakes("timestamp('2024-02-30T00:00:00Z')"), ["10: invalid timestamp argument"]);
  assert.deepEqual(mistakes("timestamp(9223372036854775807)"), ["10: invalid timestamp argument"]);
  assert.deepEqual(mistakes("'a'.matches('(')"), ["12: invalid matches argument"]);
  assert.deepEqual(mistakes("duration('x' + 'y') == duration('1s') && timestamp(0) == timestamp('1970-01-01T00:00:00Z')"), []);
});

test("elements of lists and maps have one type, except in arguments of format", () => {
  assert.deepEqual(mistakes("[1, 'a', 2.0]"), ["4: expected type 'int' but found 'string'"]);
  assert.deepEqual(mistakes("{'a': 1, 2: 'b'}"), [
    "9: expected type 'string' but found 'int'",
    "12: expected type 'int' but found 'string'",
  ]);
  assert.deepEqual(mistakes("[[1], ['a']]"), ["6: expected type 'list(int)' but found 'list(string)'"]);
  assert.deepEqual(mistakes("[?optional.of(1), 2]"), []);
  assert.deepEqual(mistakes("'%s %d %s'.format(['a', 1, [1, 'b', {1: 2, true: 3}]])"), []);
});

test("calls of format are checked by their clauses", () => {
  assert.deepEqual(mistakes("'%d'.format(['a'])"), [
    "13: error during formatting: decimal clause can only be used on integers, was given string",
  ]);
  assert.deepEqual(mistakes("'%s'.format([1, 2])"), ["11: too many arguments supplied to string.format (expected 1, got 2)"]);
  assert.deepEqual(mistakes("'%s %s'.format([1])"), ["14: index 1 out of range"]);
  assert.deepEqual(mistakes("'%'.format([])"), ["10: unexpected end of string"]);
  assert.deepEqual(mistakes("'%q'.format([1])"), ['11: could not parse formatting clause: unrecognized formatting clause "q"']);
  assert.deepEqual(mistakes("'%s'.format([[quantity('1')]])"), [
    "22: error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and " +
    "timestamps, was given kubernetes.Quantity",
  ]);
});
