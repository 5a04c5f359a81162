import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../schema.ts";
import { StatusError } from "../status-error.ts";
import { jsonFromTree, readWrittenJson } from "../tree/json.ts";
import { applyJsonPatch, jsonPatchCopyBytesMax, readJsonPatch } from "./json-patch.ts";
import { JsonPatchFailure } from "./json-patch-failure.ts";
import { plainTree, writtenText } from "./written.ts";

function apply(document: string, patch: string): Json {
  const read = readWrittenJson(document);
  assert.ok(read.ok);
  const { operations } = readJsonPatch(new TextEncoder().encode(patch), true);
  return jsonFromTree(plainTree(applyJsonPatch(read.tree, operations)));
}
function refusal(run: () => unknown): { code: number; message: string } {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof StatusError, String(error));
    return { code: error.code, message: error.message };
  }
  return assert.fail("it was not rejected");
}
const unprocessable = { code: 422, message: "the server rejected our request due to an error in our request" };

test("applyJsonPatch() compares objects and lists by value, strings and numbers as written", () => {
  const document = '{"labels":{"a":"A","b":"B"},"args":["p","q"],"seconds":30,"html":"a\\u003cb"}';
  const passes = (patch: string) => apply(document, `[${patch}]`);
  passes('{"op":"test","path":"/labels","value":{"b":"B", "a":"A"}}');
  passes('{"op":"test","path":"/args","value":[ "p", "q" ]}');
  passes('{"op":"test","path":"/html","value":"a\\u003cb"}');
  passes('{"op":"test","path":"","value":{"html":"a\\u003cb","seconds":30,"args":["p","q"],"labels":{"a":"A","b":"B"}}}');
  passes('{"op":"test","path":"/absent","value":null},{"op":"test","path":"/absent"}');
  // The last value of a duplicate key counts, on both sides.
  passes('{"op":"test","path":"/labels","value":{"a":"x","b":"B","a":"A"}}');
  for (
    const value of [
      '"/labels/a","value":"\\u0041"',
      '"/seconds","value":30.0',
      '"/seconds","value":null',
      '"/html","value":"a<b"',
      '"/seconds"',
    ]
  ) {
    assert.deepEqual(refusal(() => passes(`{"op":"test","path":${value}}`)), unprocessable, value);
  }
  for (const value of ['{"a":"A"}', '{"a":"A","b":"B","c":"C"}', '["A","B"]', '{"a":"A","c":"B"}']) {
    assert.deepEqual(refusal(() => passes(`{"op":"test","path":"/labels","value":${value}}`)), unprocessable, value);
  }
});

test("applyJsonPatch() rejects every operation that fails with the same message", () => {
  const wrong = [
    '{"op":"add","path":"/none/x","value":1}',
    '{"op":"add","path":"/s/x","value":1}',
    '{"op":"add","path":"","value":{}}',
    '{"op":"add","path":"a","value":{}}',
    '{"op":"add","path":"/l/3","value":1}',
    '{"op":"add","path":"/l/-4","value":1}',
    '{"op":"add","path":"/l/1.0","value":1}',
    '{"op":"add","path":"/l/","value":1}',
    '{"op":"add","value":1}',
    '{"op":"remove","path":"/none"}',
    '{"op":"remove","path":"/l/2"}',
    '{"op":"remove","path":"/l/-"}',
    '{"op":"remove","path":""}',
    '{"op":"replace","path":"/l/2","value":1}',
    '{"op":"replace","path":"","value":"text"}',
    '{"op":"move","from":"/none","path":"/o"}',
    '{"op":"move","from":"/o","path":"/o/p"}',
    '{"op":"move","path":"/x"}',
    '{"op":"copy","from":"/none/x","path":"/x"}',
    '{"op":"copy","from":"","path":"/x"}',
    '{"op":"constructor","path":"/x"}',
    '{"op":"Add","path":"/x"}',
    "{}",
    "null",
  ];
  for (const operation of wrong) {
    assert.deepEqual(refusal(() => apply('{"s":"x","l":[1,2],"o":{"p":{}}}', `[${operation}]`)), unprocessable, operation);
  }
});

test("applyJsonPatch() has the deviations of upstream's library", () => {
  assert.deepEqual(apply('{"d":{"a":"1"}}', '[{"op":"replace","path":"/d/new","value":2}]'), { d: { a: "1", new: 2 } });
  assert.deepEqual(apply('{"d":{}}', '[{"op":"copy","from":"/d/none","path":"/d/x"},{"op":"add","path":"/d/y"}]'), {
    d: { x: null, y: null },
  });
  assert.deepEqual(apply("{}", '[{"op":"add","path":"anything/x","value":1}]'), { x: 1 });
  assert.deepEqual(apply('{"l":[1,2]}', '[{"op":"add","path":"/l/-1","value":3},{"op":"remove","path":"/l/+0"}]'), { l: [2, 3] });
  assert.deepEqual(apply('{"l":[1,2]}', '[{"op":"replace","path":"/l/-2","value":0},{"op":"test","path":"/l/01","value":2}]'), {
    l: [0, 2],
  });
  assert.deepEqual(apply('{"a/b":1,"c~d":2}', '[{"op":"remove","path":"/a~1b"},{"op":"move","from":"/c~0d","path":"/~01"}]'), { "~1": 2 });
  assert.deepEqual(apply('{"a":1}', '[{"op":"replace","path":"","value":{"b":2}},{"op":"add","path":"/c","value":3}]'), { b: 2, c: 3 });
});

test("applyJsonPatch() keeps unchanged parts as written, and sorts the keys of objects on its paths", () => {
  const read = readWrittenJson('{"z":{"b":1,"a":"\\u0041"},"m":{"y":1,"x":"<"}}');
  assert.ok(read.ok);
  const { operations } = readJsonPatch(new TextEncoder().encode('[{"op":"add","path":"/m/a","value":{"q":1,"p":1e2}}]'), true);
  assert.equal(
    writtenText(applyJsonPatch(read.tree, operations)),
    '{"m":{"a":{"q":1,"p":1e2},"x":"\\u003c","y":1},"z":{"b":1,"a":"\\u0041"}}',
  );
});

test("applyJsonPatch() does not share values with the patch, so the patch can be applied again", () => {
  const patch = '[{"op":"add","path":"/a","value":{}},{"op":"copy","from":"/a","path":"/b"},{"op":"add","path":"/a/x","value":1}]';
  const { operations } = readJsonPatch(new TextEncoder().encode(patch), true);
  for (let tries = 0; tries < 2; tries++) {
    const read = readWrittenJson("{}");
    assert.ok(read.ok);
    assert.deepEqual(jsonFromTree(applyJsonPatch(read.tree, operations)), { a: { x: 1 }, b: {} });
  }
});

test("applyJsonPatch() changes own members only, such as __proto__", () => {
  const result = apply(
    '{"__proto__":{"a":1}}',
    '[{"op":"add","path":"/__proto__/polluted","value":true},{"op":"add","path":"/constructor","value":{}},' +
      '{"op":"add","path":"/constructor/prototype","value":{"polluted":true}}]',
  );
  assert.equal(JSON.stringify(result), '{"__proto__":{"a":1,"polluted":true},"constructor":{"prototype":{"polluted":true}}}');
  assert.equal(({} as Record<string, unknown>)["polluted"], undefined);
  for (const path of ["/__proto__/polluted", "/constructor/prototype/polluted", "/toString/call"]) {
    assert.deepEqual(refusal(() => apply("{}", `[{"op":"add","path":"${path}","value":true}]`)), unprocessable, path);
  }
});

test("applyJsonPatch() bounds the bytes that copies add, at the bound and one past it", () => {
  const most = jsonPatchCopyBytesMax;
  const copies = (bytes: number) => apply(`{"a":"${"x".repeat(bytes - 2)}"}`, '[{"op":"copy","from":"/a","path":"/b"}]');
  copies(most);
  assert.deepEqual(refusal(() => copies(most + 1)), unprocessable);
  // Objects that double with every operation.
  const operations = [
    { op: "add", path: "/x", value: {} },
    ...Array.from({ length: 200 }, (_, at) => [
      { op: "copy", from: "/d", path: `/x/k${at}` },
      { op: "copy", from: "/x", path: `/d/k${at}` },
    ]).flat(),
  ];
  assert.deepEqual(refusal(() => apply('{"d":{"a":"AAAA"}}', JSON.stringify(operations))), unprocessable);
});

test("applyJsonPatch() counts a copy as compact UTF-8 JSON with escapes for HTML, as upstream", () => {
  const value = '{"k":["<",1.50,true,null,{}],"é":[]}'; // its text grows by five bytes for "<" and by one for "é"
  const size = new TextEncoder().encode('{"k":["\\u003c",1.50,true,null,{}],"é":[]}').length;
  const most = jsonPatchCopyBytesMax;
  const copies = (rest: number) =>
    apply(`{"a":${value},"b":"${"x".repeat(rest - 2)}"}`, '[{"op":"copy","from":"/a","path":"/c"},{"op":"copy","from":"/b","path":"/d"}]');
  copies(most - size);
  assert.deepEqual(refusal(() => copies(most - size + 1)), unprocessable);
});

test("readJsonPatch() accepts ten thousand operations and rejects one more", () => {
  const patch = (count: number) => new TextEncoder().encode(`[${Array.from({ length: count }, () => "{}").join()}]`);
  assert.equal(readJsonPatch(patch(10_000), true).operations.length, 10_000);
  assert.deepEqual(refusal(() => readJsonPatch(patch(10_001), true)), {
    code: 413,
    message: "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001",
  });
});

test("readJsonPatch() rejects invalid documents with Go's messages, and reads null as an empty patch", () => {
  const read = (text: string, validates: boolean) => readJsonPatch(new TextEncoder().encode(text), validates);
  assert.deepEqual(read("null", true), { operations: [], findings: [] });
  const cases: readonly (readonly [text: string, validating: string, plain: string | undefined])[] = [
    ["", "error decoding patch: unexpected end of JSON input", "unexpected end of JSON input"],
    [
      "{}",
      "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp",
      "json: cannot unmarshal object into Go value of type jsonpatch.Patch",
    ],
    [
      "[1]",
      "error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp",
      "json: cannot unmarshal number into Go value of type jsonpatch.Operation",
    ],
    ['[{"op":1}]', "error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string", undefined],
    [
      '[{"value":{"a":[1e400]}}]',
      "error decoding patch: json: cannot unmarshal number 1e400 into Go struct field jsonPatchOp.value of type float64",
      undefined,
    ],
  ];
  for (const [text, validating, plain] of cases) {
    assert.deepEqual(refusal(() => read(text, true)), { code: 400, message: validating }, text);
    if (plain === undefined) read(text, false);
    else assert.deepEqual(refusal(() => read(text, false)), { code: 400, message: plain }, text);
  }
});

test("readJsonPatch() reports unknown and duplicate members of operations if it validates", () => {
  const patch = '[{"op":"add","comment":{"x":1,"x":2}},{"op":"add","op":"add","value":{"d":1,"d":2}},{"OP":"x","__proto__":1}]';
  const bytes = new TextEncoder().encode(patch);
  assert.deepEqual(readJsonPatch(bytes, false).findings, []);
  assert.deepEqual(readJsonPatch(bytes, true).findings, [
    'json patch unknown field "[0].comment"',
    'json patch duplicate field "[1].op"',
    'json patch duplicate field "[1].value.d"',
    'json patch unknown field "[2].OP"',
    'json patch unknown field "[2].__proto__"',
  ]);
});

test("applyJsonPatch() works on values ten thousand levels deep", () => {
  const deep = '{"a":'.repeat(9_997) + "1" + "}".repeat(9_997);
  const patch =
    `[{"op":"add","path":"/x","value":${deep}},{"op":"copy","from":"/x","path":"/y"},{"op":"test","path":"/y","value":${deep}}]`;
  const read = readWrittenJson("{}");
  assert.ok(read.ok);
  const { operations } = readJsonPatch(new TextEncoder().encode(patch), true);
  assert.equal(writtenText(applyJsonPatch(read.tree, operations)), `{"x":${deep},"y":${deep}}`);
});

/** The reasons that a kube-apiserver gives for failed patches of `{"data":{"a":"1"},"list":["x"]}`. */
const reasons: readonly (readonly [patch: string, why: string])[] = [
  ['[{"op":"dance","path":"/data"}]', "Unexpected kind: dance"],
  ['[{"path":"/data"}]', "Unexpected kind: unknown"],
  ['[{"op":"add","path":"/nope/x","value":"a"}]', 'add operation does not apply: doc is missing path: "/nope/x": missing value'],
  ['[{"op":"add","path":"","value":"a"}]', 'add operation does not apply: doc is missing path: "": missing value'],
  [
    '[{"op":"add","path":"/list/x","value":"a"}]',
    `error in add for path: '/list/x': value was not a proper array index: 'x': strconv.Atoi: parsing "x": invalid syntax`,
  ],
  [
    '[{"op":"add","path":"/list/9","value":"a"}]',
    "error in add for path: '/list/9': Unable to access invalid index: 9: invalid index referenced",
  ],
  [
    '[{"op":"add","path":"/list/-9","value":"a"}]',
    "error in add for path: '/list/-9': Unable to access invalid index: -9: invalid index referenced",
  ],
  [
    '[{"op":"remove","path":"/data/nope"}]',
    "error in remove for path: '/data/nope': Unable to remove nonexistent key: nope: missing value",
  ],
  ['[{"op":"remove","path":"/nope/x"}]', 'remove operation does not apply: doc is missing path: "/nope/x": missing value'],
  [
    '[{"op":"remove","path":"/list/7"}]',
    "error in remove for path: '/list/7': Unable to access invalid index: 7: invalid index referenced",
  ],
  ['[{"op":"remove","path":"/list/x"}]', `error in remove for path: '/list/x': strconv.Atoi: parsing "x": invalid syntax`],
  ['[{"op":"replace","path":"/nope/x","value":1}]', "replace operation does not apply: doc is missing path: /nope/x: missing value"],
  ['[{"op":"replace","path":"/list/7","value":1}]', "replace operation does not apply: doc is missing key: /list/7: missing value"],
  ['[{"op":"replace","path":"","value":"x"}]', "replace operation value must be object or array: %!w(<nil>)"],
  ['[{"op":"move","path":"/data/b"}]', "move operation failed to decode from: operation, missing from field: missing value"],
  [
    '[{"op":"move","path":"/data/b","from":"/data/zz"}]',
    "error in move for path: 'zz': Unable to remove nonexistent key: zz: missing value",
  ],
  [
    '[{"op":"move","path":"/data/b","from":"/nope/zz"}]',
    "move operation does not apply: doc is missing from path: /nope/zz: missing value",
  ],
  [
    '[{"op":"move","path":"/nope/b","from":"/data/a"}]',
    "move operation does not apply: doc is missing destination path: /nope/b: missing value",
  ],
  [
    '[{"op":"copy","path":"/data/b","from":"/nope/zz"}]',
    "copy operation does not apply: doc is missing from path: /nope/zz: missing value",
  ],
  [
    '[{"op":"copy","path":"/nope/b","from":"/data/a"}]',
    "copy operation does not apply: doc is missing destination path: /nope/b: missing value",
  ],
  ['[{"op":"copy","path":"/data/b"}]', "copy operation failed to decode from: operation, missing from field: missing value"],
  ['[{"op":"test","path":"/nope/b","value":1}]', "test operation does not apply: is missing path: /nope/b: missing value"],
  ['[{"op":"test","path":"/list/x","value":1}]', `error in test for path: '/list/x': strconv.Atoi: parsing "x": invalid syntax`],
  ['[{"op":"test","path":"/data/zz","value":1}]', "testing value /data/zz failed: test failed"],
];

test("a failed patch has the reason that upstream's library gives", () => {
  for (const [patch, why] of reasons) {
    assert.throws(() => apply('{"data":{"a":"1"},"list":["x"]}', patch), (error) => {
      assert.ok(error instanceof JsonPatchFailure, patch);
      assert.equal(error.why, why);
      assert.equal(error.isTest, why.endsWith("test failed"));
      return true;
    });
  }
});
