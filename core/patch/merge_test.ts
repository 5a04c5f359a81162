import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonFromTree, readJson, treeFromJson } from "../tree/json.ts";
import type { Tree } from "../tree/tree.ts";
import { duplicateKeys } from "./duplicates.ts";
import { mergePatch } from "./merge.ts";

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

test("mergePatch() keeps keys of the prototype plain and changes neither argument", () => {
  const target = tree('{"__proto__":{"a":1},"x":1}'), patch = tree('{"__proto__":{"b":2},"constructor":"c"}');
  const before = JSON.stringify([target, patch]);
  const merged = jsonFromTree(mergePatch(target, patch)) as Record<string, unknown>;
  assert.deepEqual(Object.keys(merged), ["__proto__", "constructor", "x"]);
  assert.equal(Object.getPrototypeOf(merged), Object.prototype);
  assert.equal(JSON.stringify([target, patch]), before);
});

test("mergePatch() and duplicateKeys() take ten thousand levels", () => {
  const deep = tree('{"a":'.repeat(9_999) + "1" + "}".repeat(9_999));
  assert.notEqual(mergePatch(deep, deep), undefined);
  assert.deepEqual(duplicateKeys(deep), []);
});

test("duplicateKeys() names every repeated key with its path", () => {
  assert.deepEqual(duplicateKeys(tree('{"data":{"a":"2","b":"1","a":"3"},"l":[{"x":1,"x":2}],"n":1,"n":2}')), [
    'duplicate field "data.a"',
    'duplicate field "l[0].x"',
    'duplicate field "n"',
  ]);
  assert.deepEqual(duplicateKeys(treeFromJson({ a: 1 })), []);
});
