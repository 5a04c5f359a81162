import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonFromTree, readJson, treeFromJson } from "../tree/json.ts";
import type { Tree } from "../tree/tree.ts";
import { duplicateKeys } from "./duplicates.ts";
import { mergePatch, readMergePatch } from "./merge.ts";
import { writtenText } from "./written.ts";
import { StatusError } from "../status-error.ts";

function tree(text: string): Tree {
  const read = readJson(text);
  assert.ok(read.ok, read.ok ? "" : read.error);
  return read.tree;
}

// The table of RFC 7386, appendix A.
const cases: readonly (readonly [target: string, patch: string, result: string])[] = [
  ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
  ['{"a":"b"}', '{"a":null}', "{}"],
  ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
  ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
  ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
  ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
  ['["a","b"]', '["c","d"]', '["c","d"]'],
  ['{"a":"b"}', '["c"]', '["c"]'],
  ['{"a":"foo"}', "null", "null"],
  ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
  ["[1,2]", '{"a":"b","c":null}', '{"a":"b"}'],
  ["{}", '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
];

test("mergePatch() gives the results of RFC 7386", () => {
  for (const [target, patch, result] of cases) {
    assert.deepEqual(jsonFromTree(mergePatch(tree(target), tree(patch))), jsonFromTree(tree(result)), `${target} ${patch}`);
  }
});

test("mergePatch() treats __proto__ and constructor as ordinary keys and changes neither argument", () => {
  const target = tree('{"__proto__":{"a":1},"x":1}'), patch = tree('{"__proto__":{"b":2},"constructor":"c"}');
  const before = JSON.stringify([target, patch]);
  const merged = jsonFromTree(mergePatch(target, patch)) as Record<string, unknown>;
  assert.deepEqual(Object.keys(merged), ["__proto__", "constructor", "x"]);
  assert.equal(Object.getPrototypeOf(merged), Object.prototype);
  assert.equal(JSON.stringify([target, patch]), before);
});

test("mergePatch() and duplicateKeys() work on ten thousand levels", () => {
  const deep = tree('{"a":'.repeat(9_999) + "1" + "}".repeat(9_999));
  assert.notEqual(mergePatch(deep, deep), undefined);
  assert.deepEqual(duplicateKeys(deep), []);
});

test("duplicateKeys() reports every duplicate key with its path", () => {
  assert.deepEqual(duplicateKeys(tree('{"data":{"a":"2","b":"1","a":"3"},"l":[{"x":1,"x":2}],"n":1,"n":2}')), [
    'duplicate field "data.a"',
    'duplicate field "l[0].x"',
    'duplicate field "n"',
  ]);
  assert.deepEqual(duplicateKeys(treeFromJson({ a: 1 })), []);
});

test("duplicateKeys() reports each duplicate key once, quoted as in Go, and at most a hundred", () => {
  assert.deepEqual(duplicateKeys(tree('{"a":1,"a":2,"a":3,"q\\"":1,"q\\"":2}')), ['duplicate field "a"', 'duplicate field "q\\""']);
  const many = (count: number) => tree(`{${Array.from({ length: count }, (_, at) => `"k${at}":1,"k${at}":2`).join()}}`);
  assert.equal(duplicateKeys(many(100)).length, 100);
  assert.equal(duplicateKeys(many(101)).length, 100);
});

test("mergePatch() drops nulls from new objects and from objects in lists, but keeps items that are null", () => {
  const text = (target: string, patch: string) => writtenText(mergePatch(tree(target), tree(patch)));
  assert.equal(
    text(
      '{"a":{"x":null,"y":1},"l":[1]}',
      '{"a":{"y":null},"l":[null,{"n":null,"m":1},[null,{"k":null}]],"new":{"p":null,"q":{"r":null},"s":[null,{"t":null}]}}',
    ),
    '{"a":{"x":null},"l":[null,{"m":1},[null,{}]],"new":{"q":{},"s":[null,{}]}}',
  );
  assert.equal(text('{"a":1,"l":{"k":[2]}}', '{"a":{"b":null,"c":{"d":null}},"l":null}'), '{"a":{"c":{}}}');
  // Upstream does not change a list that replaces an object.
  assert.equal(text('{"a":{}}', '{"a":[{"n":null}]}'), '{"a":[{"n":null}]}');
});

test("mergePatch() sorts the keys of objects that the patch names, and of no others", () => {
  assert.equal(
    writtenText(mergePatch(tree('{"z":{"b":1,"a":2},"m":{"y":1}}'), tree('{"m":{"x":1,"a":{"d":1,"c":2}}}'))),
    '{"m":{"a":{"c":2,"d":1},"x":1,"y":1},"z":{"b":1,"a":2}}',
  );
});

test("mergePatch() merges objects with hundreds of thousands of members", () => {
  const wide = tree(`{${Array.from({ length: 200_000 }, (_, at) => `"k${at}":1`).join()}}`);
  assert.deepEqual(jsonFromTree(mergePatch(wide, wide)), jsonFromTree(wide));
});

test("readMergePatch() rejects invalid documents with upstream's messages, those of its library without validation", () => {
  const refusal = (text: string, validates: boolean) => {
    try {
      readMergePatch(new TextEncoder().encode(text), validates);
    } catch (error) {
      assert.ok(error instanceof StatusError, String(error));
      assert.equal(error.code, 400);
      return error.message;
    }
    return undefined;
  };
  const cases: readonly (readonly [text: string, validating: string, plain: string | undefined])[] = [
    ["[]", "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}", undefined],
    ['"text"', "error decoding patch: json: cannot unmarshal string into Go value of type map[string]interface {}", "Invalid JSON Patch"],
    ["null", "Invalid JSON Patch", "Invalid JSON Patch"],
    ["", "error decoding patch: unexpected end of JSON input", "Invalid JSON Patch"],
    ["{} {}", "error decoding patch: invalid character '{' after top-level value", "Invalid JSON Patch"],
    ['{"a":1e400}', "error decoding patch: json: cannot unmarshal number 1e400 into Go value of type float64", undefined],
  ];
  for (const [text, validating, plain] of cases) assert.deepEqual([refusal(text, true), refusal(text, false)], [validating, plain], text);
});
