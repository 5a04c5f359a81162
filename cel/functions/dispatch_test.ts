// Calls whose overload is not known before they run, through the whole way from the text.
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../compile.ts";
import { environment } from "../environment.ts";
import { CelError } from "../values.ts";

const env = environment({ version: 34 });

/** Error and cost of an expression. */
function failure(text: string): readonly [string, number] {
  const compiled = compile(text, env);
  assert.equal(compiled.tag, "program", text);
  if (compiled.tag !== "program") return ["", 0];
  const { value, cost } = compiled.program.evaluate(() => undefined);
  return [value instanceof CelError ? value.message : "", cost];
}

test("errors and costs of arguments of wrong types are upstream's", () => {
  const expected: readonly (readonly [string, string, number])[] = [
    ["quantity(dyn(1))", "no such overload: quantity(int)", 1],
    ["dyn(1).find('a')", "no such overload", 1],
    ["''.findAll('a', dyn(true))", "no such overload", 1],
    ["dyn(1).find('a' + 'b')", "no such overload: find(int, string)", 2],
    ["dyn({'a': 1}).flatten()", "no such overload: map(dyn, dyn).flatten()", 12],
    ["dyn(2.5).flatten(5)", "no such overload: double.flatten(int)", 16],
    ["[dyn(''), dyn(ip('::1'))].join()", "join: invalid input: ::1", 13],
    ["cidr('10.0.0.0/8').containsIP('bad')", "no such overload", 3],
    ["quantity('50020') == quantity('50k').add(20)", "no such overload", 4],
    ["dyn(1 / 0).format([1])", "division by zero", 2],
  ];
  for (const [text, message, cost] of expected) assert.deepEqual(failure(text), [message, cost], text);
});

test("libraries exist from the version that introduced them on", () => {
  const known = (text: string, version: number) => compile(text, environment({ version })).tag === "program";
  const introduced: readonly (readonly [string, number])[] = [
    ["quantity('1') == quantity('1')", 28],
    ["sets.contains([1], [1])", 29],
    ["isIP('::1')", 30],
    ["format.dns1123Label().validate('a').hasValue()", 31],
    ["[1].all(i, v, v > i)", 32],
    ["isSemver('1.2.3')", 33],
    ["[2, 1].sort() == [1, 2]", 34],
  ];
  for (const [text, version] of introduced) {
    assert.equal(known(text, version), true, text);
    assert.equal(known(text, version - 1), false, text);
  }
});
