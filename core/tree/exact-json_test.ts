import assert from "node:assert/strict";
import { test } from "node:test";
import { exactJson, isJsonText } from "./exact-json.ts";
import { rawText, sortedText } from "../derive/raw-json.ts";

test("exactJson() reads texts of one spelling only", () => {
  for (
    const text of [
      "null",
      "1",
      "-1.5",
      '"a"',
      "[]",
      "{}",
      '{"a":[1,{"b":"\\u003c\\u2028\\n é😀"}],"":true}',
      '{"__proto__":1,"toJSON":"a"}',
    ]
  ) {
    assert.notEqual(exactJson(text), undefined, text);
  }
  const others = [
    "",
    " 1",
    "1 ",
    "1.0",
    "1e3",
    "-0",
    "9007199254740993",
    "01",
    '"<"',
    '"\\u0041"',
    '"\\u003C"',
    '"\\/"',
    '"\u2028"',
    '"\\ud83d\\ude00"',
    '"\\ud800"',
    '{"a":1,"a":2}',
    '{"a":1,"a":1}',
    '{"b":1,"1":2}',
    '{"a": 1}',
    "{",
    '{"a":1}}',
  ];
  for (const text of others) assert.equal(exactJson(text), undefined, text);
});

test("isJsonText() is true for values that are written in the same order and with the same numbers", () => {
  const sorted = isJsonText(sortedText), raw = isJsonText(rawText);
  assert.deepEqual([sorted({ a: [1, 0.5], b: null }), sorted({ b: 1, a: 2 }), raw({ b: 1, a: 2 })], [true, false, true]);
  assert.deepEqual([raw(1e-7), raw([1e21]), raw({ a: 2 ** 53 })], [true, false, false]);
});
