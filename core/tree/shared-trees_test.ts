import assert from "node:assert/strict";
import { test } from "node:test";
import { readJson, readStoredJson } from "./json.ts";
import {
  sharedEnd,
  sharedFieldSetCharactersMax,
  sharedFieldSetDepthMax,
  sharedFieldSetsCharactersMax,
  SharedTree,
  SharedTrees,
} from "./shared-trees.ts";
import { type Tree, TreeObject } from "./tree.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

function fieldsOf(text: string): Tree | undefined {
  const read = readStoredJson(bytes(text));
  assert.ok(read.ok, text);
  return (read.tree as TreeObject).get("fieldsV1"); // objects below
}

test("readStoredJson() returns one tree for equal field sets, and the tree of readJson()", () => {
  const text = '{"f:data":{".":{},"f:a":{},"k:{\\"name\\":\\"}\\"}":{"v:1.50":[1.50,null]}}}';
  const first = fieldsOf(`{"a":1,"fieldsV1":${text}, "b":2}`), second = fieldsOf(`{"fieldsV1":${text}}`);
  assert.ok(first instanceof SharedTree);
  assert.equal(first, second);
  const { keys, values } = readTree(text);
  assert.deepEqual([first.keys, first.values], [keys, values]);
  assert.notEqual(fieldsOf('{"fieldsV1":{"f:data":{}}}'), first);
});

function readTree(text: string): TreeObject {
  const read = readJson(text);
  assert.ok(read.ok && read.tree instanceof TreeObject);
  return read.tree;
}

test("readStoredJson() reports the errors of readJson() inside field sets", () => {
  for (const inner of ['{"a":}', '{"a":1', '{"a" 1}', '{"a":"\\x"}', '{"a":[}', "{,}", '{"a":tru}']) {
    const text = bytes(`{"x":"é","fieldsV1":${inner}}`);
    const found = readStoredJson(text);
    assert.ok(!found.ok, inner);
    assert.deepEqual(found, readJson(text), inner);
  }
});

test("readStoredJson() shares values of the member only, not of lists, other members and strings", () => {
  const read = readStoredJson(bytes('{"other":{"a":{}},"list":["fieldsV1",{"a":{}}],"fieldsV1":"{}"}'));
  assert.ok(read.ok && read.tree instanceof TreeObject);
  assert.ok(!(read.tree.get("other") instanceof SharedTree));
  assert.ok(!((read.tree.get("list") as Tree[])[1] instanceof SharedTree));
  assert.equal(read.tree.get("fieldsV1"), "{}");
});

test("sharedEnd() bounds length and depth", () => {
  const ofLength = (length: number) => `{"a":"${"x".repeat(length - 8)}"}`;
  const most = sharedFieldSetCharactersMax;
  assert.equal(sharedEnd(ofLength(most), 0), most);
  assert.equal(sharedEnd(ofLength(most + 1), 0), -1);
  const ofDepth = (depth: number) => '{"a":'.repeat(depth - 1) + "{}" + "}".repeat(depth - 1);
  assert.equal(sharedEnd(ofDepth(sharedFieldSetDepthMax), 0), ofDepth(sharedFieldSetDepthMax).length);
  assert.equal(sharedEnd(ofDepth(sharedFieldSetDepthMax + 1), 0), -1);
  assert.equal(sharedEnd('{"a":{}', 0), -1);
  assert.equal(sharedEnd('{"a', 0), -1);
});

test("SharedTrees begins a new table when the texts exceed the bound", () => {
  const trees = new SharedTrees(), text = (number: number) => `${number}`.padStart(1024, "0");
  const count = sharedFieldSetsCharactersMax / 1024;
  for (let number = 0; number < count; number++) trees.put(text(number), new TreeObject());
  assert.ok(trees.get(text(0)) !== undefined);
  const added = trees.put(text(count), new TreeObject());
  assert.equal(trees.get(text(0)), undefined);
  assert.equal(trees.get(text(count)), added);
});
