import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../schema.ts";
import {
  goJson,
  goString,
  indentationColumnsFree,
  indentationLengthMax,
  indentationPerCharacterMax,
  prettyJson,
  prettyPrinter,
} from "./json-text.ts";
import { documentDepthMax } from "../bounds.ts";

test("goString() writes strings as Go's encoder", () => {
  const cases: readonly (readonly [text: string, json: string])[] = [
    ["", '""'],
    ["plain é 日本 😀", '"plain é 日本 😀"'],
    ['"\\/', '"\\"\\\\/"'],
    ["<a>&b", '"\\u003ca\\u003e\\u0026b"'],
    ["\u2028\u2029", '"\\u2028\\u2029"'],
    ["\b\f\n\r\t\0\x1f\x7f", '"\\b\\f\\n\\r\\t\\u0000\\u001f\x7f"'],
    ["\ud800", String.raw`"\ufffd"`],
    ["\ude00a\ud83d<\ufffd", `"${String.raw`\ufffda\ufffd\u003c`}\ufffd"`],
    ["\\u003c", '"\\\\u003c"'],
  ];
  for (const [text, json] of cases) assert.equal(goString(text), json);
});

test("goJson() writes compact JSON with keys in the order of insertion", () => {
  const object = Object.defineProperty({ b: 1, a: [true, null, "<", [], {}] }, "__proto__", { value: -0, enumerable: true });
  assert.equal(goJson(object as unknown as Json), '{"b":1,"a":[true,null,"\\u003c",[],{}],"__proto__":-0}'); // defineProperty loses the type
  assert.equal(
    goJson([9007199254740993n, 1e20, 1e21, 1e-6, 1e-7, 1.5, -9223372036854775808n]),
    "[9007199254740993,100000000000000000000,1e+21,0.000001,1e-7,1.5,-9223372036854775808]",
  );
  assert.equal(goJson("x"), '"x"');
  assert.equal(goJson({ a: undefined, b: 1, c: undefined } as unknown as Json), '{"b":1}'); // the type forbids undefined, real objects may have it
});

test("goJson() rejects numbers that are not finite", () => {
  assert.throws(() => goJson([Infinity]), RangeError);
  assert.throws(() => goJson({ a: NaN }), RangeError);
});

test("goJson() writes ten thousand levels", () => {
  const levels = documentDepthMax;
  let value: Json = [];
  for (let level = 1; level < levels; level++) value = [value];
  assert.equal(goJson(value), "[".repeat(levels) + "]".repeat(levels));
});

test("prettyJson() indents compact JSON as json.Indent", () => {
  assert.equal(
    prettyJson('{"a":{},"b":[],"c":[1,{"d":"x,{\\"[:"}],"e\\\\":null}'),
    JSON.stringify(JSON.parse('{"a":{},"b":[],"c":[1,{"d":"x,{\\"[:"}],"e\\\\":null}'), null, 2),
  );
  assert.equal(prettyJson("[[],[{}]]"), "[\n  [],\n  [\n    {}\n  ]\n]");
  assert.equal(prettyJson('"a"'), '"a"');
});

test("prettyPrinter() accepts text in pieces that are cut anywhere", () => {
  const text = '{"a":{"b":["x\\"\\\\",2,[],{}],"c":"{,:"},"d":[[1]]}';
  const whole = prettyJson(text);
  for (let cut = 0; cut <= text.length; cut++) {
    const print = prettyPrinter();
    assert.equal(print(text.slice(0, cut)) + print(text.slice(cut)), whole, `cut at ${cut}`);
  }
  const print = prettyPrinter();
  assert.equal([...text].map(print).join(""), whole);
});

test("prettyJson() bounds the indentation of deep values", () => {
  const depth = 9_000, text = `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`, pretty = prettyJson(text);
  assert.ok(pretty.length < indentationLengthMax + (indentationPerCharacterMax + indentationColumnsFree) * text.length, `${pretty.length}`);
  assert.equal(pretty.replace(/[\n ]/g, ""), text);
  const fitting = `${"[".repeat(600)}1${"]".repeat(600)}`;
  assert.equal(prettyJson(fitting), JSON.stringify(JSON.parse(fitting), null, 2), "indented as ever");
});
