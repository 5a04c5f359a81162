import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalBytes } from "./canonical-bytes.ts";
import { encoder } from "./encode.ts";
import { defaulter } from "./apply-defaults.ts";
import { decodeStored } from "./decode.ts";
import { readJson } from "../tree/json.ts";
import { bytes, duration, field, fieldsV1, int32, list, record, string, type StructNode, structsOf, time, type Typed } from "../schema.ts";

const struct = structsOf("test/v1");
const node: StructNode = struct("Thing", {
  name: field(1, string, "Name."),
  count: field(2, int32, "Count."),
  at: field(3, time, "Time.", { pointer: true }),
  map: field(4, record(string), "Map."),
  items: field(5, list(string), "Items."),
  set: field(6, fieldsV1, "Set.", { pointer: true }),
  kept: field(7, string, "Always written.", { required: true }),
  mode: field(8, string, "With a default.", { default: "plain", zeroIsAbsent: true }),
  blob: field(9, bytes, "Bytes."),
  lasts: field(10, duration, "A duration.", { pointer: true }),
}, { doc: "A thing." });
const isCanonical = canonicalBytes(node);
const toBytes = new TextEncoder();
const recognised = (members: string, rest = ',"kept":"","mode":"plain"') => isCanonical(toBytes.encode(`{${members}${rest}}\n`));

test("canonicalBytes() recognises values as they are written", () => {
  for (
    const members of [
      '"name":"a"',
      '"name":"a \\\\ \\" \\n \\u003c"',
      '"name":"a","count":-7,"at":"2024-02-29T23:59:59Z","map":{"1":"","10":"x","2":""},"items":[""]',
      '"map":{"a":"","a.b":"","b":""}',
      '"set":{"f:a":{".":{},"f:b":{}},"k:{\\"port\\":1}":{}}',
    ]
  ) assert.ok(recognised(members), members);
  assert.ok(recognised('"kept":""', ',"mode":"x","blob":"aGk="'));
  assert.ok(recognised('"kept":""', ',"mode":"x","lasts":"1h0m0.5s"'));
});

test("canonicalBytes() leaves other texts to decoding", () => {
  for (
    const members of [
      '"name":""',
      '"name":"a\\u0061"',
      '"name":"a\\/"',
      '"name":"<"',
      '"name":"\u00e9"',
      '"name":"a\u0001"',
      '"name":null',
      '"name":"a" ',
      '"name":"a","name":"b"',
      '"count":1,"name":"a"',
      '"count":0',
      '"count":01',
      '"count":-0',
      '"count":1.0',
      '"count":1e3',
      '"count":2147483648',
      '"at":"2023-02-29T00:00:00Z"',
      '"at":"2023-02-28T24:00:00Z"',
      '"at":"0001-01-01T00:00:00Z"',
      '"map":{}',
      '"map":{"b":"","a":""}',
      '"map":{"a":"","a":""}',
      '"map":{"a":1}',
      '"items":[]',
      '"items":["a",]',
      '"set":null',
      '"set":{".":{},"1":{}}',
      '"set":{"a":1.5}',
      `"set":${'{"a":'.repeat(200)}1${"}".repeat(200)}`,
      '"unknown":1',
    ]
  ) assert.ok(!recognised(members), members);
  assert.ok(!recognised('"name":"a"', ',"mode":"x"'), "a required member is missing");
  assert.ok(!recognised('"name":"a"', ',"kept":""'), "a default is missing");
  assert.ok(!recognised('"kept":""', ',"mode":""'), "an empty text gets the default");
  assert.ok(!recognised('"kept":""', ',"mode":"x","blob":"aGl="'), "unused bits of base64");
  assert.ok(!recognised('"kept":""', ',"mode":"x","lasts":"60m"'), "another spelling");
  assert.ok(!recognised('"kept":""', `,"mode":"x","lasts":"${"0".repeat(1000)}1h0m0s"`), "another spelling, and long");
});

test("canonicalBytes() rejects every text that is cut off, and bytes after the object", () => {
  const whole =
    '{"name":"a\\n","count":-7,"at":"2024-02-29T23:59:59Z","map":{"a":"b"},"items":["c"],"set":{"f:a":{}},"kept":"","mode":"x"}';
  assert.ok(isCanonical(toBytes.encode(`${whole}\n`)));
  for (let end = 0; end < whole.length; end++) {
    assert.ok(!isCanonical(toBytes.encode(`${whole.slice(0, end)}\n`)));
    assert.ok(!isCanonical(toBytes.encode(whole.slice(0, end))));
  }
  assert.ok(!isCanonical(toBytes.encode(whole)));
  assert.ok(!isCanonical(toBytes.encode(`${whole}\n\n`)));
  assert.ok(!isCanonical(toBytes.encode(`${whole} \n`)));
});

test("canonicalBytes() recognises keys of field sets whose quotes are escaped, in their order only", () => {
  const set = (...keys: string[]) => `"set":{${keys.map((key) => `${JSON.stringify(key)}:{}`).join(",")}}`;
  const a = 'k:{"name":"a"}', a0 = 'k:{"name":"a0"}', b = 'k:{"name":"b"}';
  for (const keys of [[a, b], [a, a0], [a, a0, b], ["k:", a]]) assert.ok(recognised(set(...keys)), keys.join());
  for (const keys of [[b, a], [a0, a], [a, a], [a, "k:"]]) assert.ok(!recognised(set(...keys)), keys.join());
  // Other escapes are left to decoding, in each order.
  for (const keys of [["a\\", "ab"], ["a\n", 'a"'], ['a"', "a\n"], ["a<", "ab"]]) assert.ok(!recognised(set(...keys)), keys.join());
});

test("canonicalBytes() recognises null where an absent time is written as null, and nowhere else", () => {
  const probed = struct("Probed", {
    at: field(1, time, "Written when absent.", { written: "always" }),
    until: field(2, time, "Left out when absent.", { pointer: true }),
    text: field(3, string, "Written.", { written: "always" }),
  }, { doc: "A condition." });
  const isKnown = canonicalBytes(probed), decode = decodeStored(probed), encode = encoder(probed);
  const stays = (text: string) => {
    const read = readJson(text);
    assert.ok(read.ok);
    return encode(decode(read.tree) as never) === text;
  };
  for (
    const [text, known] of [
      ['{"at":null,"text":""}', true],
      ['{"at":"2026-01-01T00:00:00Z","text":""}', true],
      ['{"at":null,"until":null,"text":""}', false],
      ['{"at":null,"text":null}', false],
      ['{"text":""}', false],
    ] as const
  ) {
    assert.equal(isKnown(toBytes.encode(`${text}\n`)), known, text);
    if (known) assert.ok(stays(text), text);
  }
});

test("canonicalBytes() asks for the defaults that functions set, and hands over the value that it made for them", () => {
  const made: unknown[] = [];
  const inner = struct("Inner", { a: field(1, string, "A."), b: field(2, string, "B.") }, {
    doc: "A struct with a function.",
    applyDefaults: (value: { readonly a?: string; readonly b?: string }) => value.b === undefined ? { ...value, b: value.a } : value,
  });
  const outer = struct("Outer", { inner: field(1, inner, "Inner.") }, { doc: "A struct." });
  const isKnown = canonicalBytes(outer, defaulter(outer as Typed<unknown>) as (value: unknown) => unknown);
  const knows = (text: string) => isKnown(toBytes.encode(`${text}\n`), (value) => made.push(value));
  assert.ok(knows('{"inner":{"a":"x","b":"y"}}'));
  assert.ok(!knows('{"inner":{"a":"x"}}'), "the function would set b");
  assert.deepEqual(made, [{ inner: { a: "x", b: "y" } }]);
  assert.ok(
    !canonicalBytes(node, () => "another", true)(toBytes.encode('{"name":"a","kept":"","mode":"x"}\n')),
    "defaults beside the schema",
  );
});
