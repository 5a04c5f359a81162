// In Deno's suite only: plain values.
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile, type Evaluation } from "./compile.ts";
import { environment, extend } from "./environment.ts";
import { formatIssues } from "./issues.ts";
import { dynType, intType, listType } from "./types.ts";
import { jsonOfValue, valueOfJson } from "./value/json.ts";
import { CelError, type Value } from "./values.ts";

const known = environment({ version: 34, variables: [{ name: "object", type: dynType }, { name: "xs", type: listType(intType) }] });

function evaluated(text: string, variables: Readonly<Record<string, Value>>): Evaluation {
  const compiled = compile(text, known);
  assert.ok(compiled.tag === "program", text);
  return compiled.program.evaluate((name) => Object.hasOwn(variables, name) ? variables[name] : undefined);
}

const object = valueOfJson({ a: { b: [1, 2, 3] }, name: "web-1", none: null, labels: { app: "web" } });
const variables = { object, xs: valueOfJson([1, 2, 3, 5, 8]) };

test("compile() evaluates expressions with upstream's values and costs", () => {
  const cases: readonly (readonly [string, unknown, number])[] = [
    ["object.a.b.all(x, x > 0)", true, 19],
    ["object.name.startsWith('web-') && object.name.matches('^[a-z0-9-]+$')", true, 8],
    ["has(object.a.c) ? object.a.c : 'none'", "none", 2],
    ["object.?a.?z.orValue(5)", 5, 2],
    ["xs.map(x, x * 2)", [2, 4, 6, 10, 16], 72],
    ["xs.sortBy(x, -x)", [8, 5, 3, 2, 1], 135],
    ["{'k': 1}.transformMap(k, v, v + 1)", { k: 2 }, 6],
    ["xs.filter(x, x in [1, 2])", [1, 2], 33],
    ["object.none == null", true, 3],
    ["optional.of(object.none).orValue('x')", null, 3],
    ["google.protobuf.Int64Value{value: 3} + 1", 4, 41],
    ["[1, 2].exists(i, v, i == 1 && v == 2)", true, 15],
  ];
  for (const [text, value, cost] of cases) {
    const outcome = evaluated(text, variables);
    assert.deepEqual([jsonOfValue(outcome.value), outcome.cost], [value, cost], text);
  }
});

test("compile() distinguishes mistakes from failures before the expression runs", () => {
  const wrong = compile("object.x +", known);
  assert.equal(wrong.tag, "issues");
  const undeclared = compile("nope + 1", known);
  assert.ok(undeclared.tag === "issues");
  assert.equal(
    formatIssues("nope + 1", undeclared.issues),
    "ERROR: <input>:1:1: undeclared reference to 'nope' (in container '')\n | nope + 1\n | ^",
  );
  assert.deepEqual(compile("int('x')", known), {
    tag: "failed",
    message: "type conversion error from 'string' to 'int'",
  });
});

test("environment() has the libraries of its version", () => {
  assert.equal(compile("[1].sort()", environment({ version: 33 })).tag, "issues");
  assert.equal(compile("[1].sort()", environment({ version: 34 })).tag, "program");
  assert.equal(compile("[1].sort()", environment()).tag, "program");
  const extended = extend(environment({ version: 34 }), { variables: [{ name: "y", type: intType }] });
  assert.equal(compile("y + 1", extended).tag, "program");
});

/** An object of several megabytes. */
function largeObject(): Value {
  const entries = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`x${index}`, index]));
  const size = 400_000;
  return valueOfJson({
    text: "ab".repeat(size),
    other: `${"ab".repeat(size - 1)}ac`,
    digits: "1".repeat(size),
    parts: "1s".repeat(size),
    map: entries(50_000),
    sameMap: entries(50_000),
    list: Array.from({ length: 100_000 }, (_, index) => index % 7),
    sameList: Array.from({ length: 100_000 }, (_, index) => index % 7),
  });
}

test("evaluations of hostile expressions are stopped", () => {
  const doubled = (times: number) => ".map(l, l + l)".repeat(times);
  const each = (predicate: string) => `lists.range(100000).exists(x, ${predicate})`;
  const hostile = [
    "lists.range(1000000000).size()",
    each("object.list == object.sameList && false"),
    each("object.map == object.sameMap && false"),
    each("object.text < object.other && false"),
    each("int(object.digits) == 1"),
    each("duration(object.parts) == duration('1s')"),
    each("timestamp(object.text) == timestamp(0)"),
    each("isURL('http://a/' + object.text) && false"),
    each("'x'.matches(string(x) + '(((a{10}){10}){9})')"),
    each("object.text.matches('[ab]*a[ab]{900}[cd]')"),
    each("timestamp(0).getHours('Abc/A' + string(x)) == 99"),
    each("dyn(object.text) + dyn('a') == dyn('b')"),
    each("'%s'.format([object.list]) == ''"),
    "object.text.replace('a', object.text)",
    "object.list.map(x, object.text).join(object.text)",
    "object.text.findAll('a|a.*c').size()",
    `[[1, 2, 3]]${doubled(40)}.all(l, l.all(x, x > 0))`,
    `[[1, 2, 3]]${doubled(40)} == [[1, 2, 3]]${doubled(40)}`,
    `['abcdefgh']${doubled(40)}.map(s, s.size())`,
    `[quantity(object.digits)].exists(q, ${each("q.asApproximateFloat() == 1.0")})`,
  ];
  const large = largeObject();
  for (const text of hostile) {
    const { value, stopped } = evaluated(text, { object: large });
    assert.ok(value instanceof CelError, text);
    assert.ok(stopped !== undefined, `${text}: ${value.message}`);
  }
});
