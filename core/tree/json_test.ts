import assert from "node:assert/strict";
import { test } from "node:test";
import { plainString, readJson, readWrittenJson } from "./json.ts";
import { NumberText, type Tree, TreeObject } from "./tree.ts";
import { isMarkedDouble } from "./doubles.ts";
import { jsonFromTree, treeFromJson } from "./values.ts";
import { documentDepthMax } from "../bounds.ts";
import { bodyBytesMax } from "../../kernel/request-context.ts";

function treeOf(body: string | Uint8Array): Tree {
  const read = readJson(body);
  assert.ok(read.ok, read.ok ? "" : read.error);
  return read.tree;
}

function errorOf(body: string | Uint8Array): string {
  const read = readJson(body);
  assert.ok(!read.ok, "it was read");
  return read.error;
}

const bytes = (...values: number[]) => Uint8Array.from(values);
const encode = (text: string) => new TextEncoder().encode(text);

test("readJson() keeps the order of keys, duplicate keys and the text of numbers", () => {
  const tree = treeOf(' { "b" : 1.50 , "a" : [ true , false , null , "x" , { } , [ ] ] , "b" : -0e+3 } \n');
  assert.deepEqual(
    tree,
    new TreeObject(["b", "a", "b"], [
      new NumberText("1.50"),
      [true, false, null, "x", new TreeObject(), []],
      new NumberText("-0e+3"),
    ]),
  );
});

test("readJson() reads __proto__ and constructor as ordinary keys", () => {
  assert.deepEqual(
    treeOf('{"__proto__":{"a":"b"},"constructor":null}'),
    new TreeObject(["__proto__", "constructor"], [new TreeObject(["a"], ["b"]), null]),
  );
});

test("readJson() reads escapes", () => {
  assert.equal(treeOf('"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\u00E9 \\ud83d\\ude00"'), '"\\/\b\f\n\r\téé 😀');
});

test("readJson() and plainString() read escapes of long strings, in values and keys", () => {
  const escapes = '\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\u00E9 \\u0000\\ud83d\\ude00\\ud800\u2028', value = '"\\/\b\f\n\r\téé \0😀\ufffd\u2028';
  const long = escapes.repeat(200), read = readJson(`{"${long}":"${long}"}`);
  assert.ok(read.ok && read.tree instanceof TreeObject);
  assert.deepEqual([read.tree.keys, read.tree.values], [[value.repeat(200)], [value.repeat(200)]]);
  assert.equal(plainString(long), value.repeat(200));
});

test("readJson() replaces lone surrogates and each invalid UTF-8 byte with U+FFFD", () => {
  assert.equal(treeOf('"\\ud800"'), "\ufffd");
  assert.equal(treeOf('"\\ude00\\ud83dx"'), "\ufffd\ufffdx");
  assert.equal(treeOf('"\\ud800\\ud83d\\ude00"'), "\ufffd😀");
  assert.equal(treeOf('"\ud800"'), "\ufffd");
  const quoted = (...inner: number[]) => treeOf(bytes(0x22, ...inner, 0x22));
  assert.equal(quoted(0xff), "\ufffd");
  assert.equal(quoted(0xe2, 0x82), "\ufffd\ufffd");
  assert.equal(quoted(0xc0, 0x80, 0x41), "\ufffd\ufffdA");
  assert.equal(quoted(0xed, 0xa0, 0x80), "\ufffd\ufffd\ufffd");
  assert.equal(quoted(0xf4, 0x90, 0x80, 0x80), "\ufffd\ufffd\ufffd\ufffd");
  assert.equal(quoted(0xe2, 0x82, 0xac), "€");
  assert.equal(quoted(0xef, 0xbf, 0xbd), "\ufffd");
});

const errors: readonly (readonly [body: string, error: string])[] = [
  ["", "unexpected end of JSON input"],
  [" \n", "unexpected end of JSON input"],
  ["{", "unexpected end of JSON input"],
  ['{"a"', "unexpected end of JSON input"],
  ['{"a":', "unexpected end of JSON input"],
  ['{"a":1', "unexpected end of JSON input"],
  ['{"a":1,', "unexpected end of JSON input"],
  ["[1", "unexpected end of JSON input"],
  ['"abc', "unexpected end of JSON input"],
  // Inside a token Go reports a space, which it appends to the text.
  ["nul", "invalid character ' ' in literal null (expecting 'l')"],
  ["-", "invalid character ' ' in numeric literal"],
  ["1.", "invalid character ' ' after decimal point in numeric literal"],
  ["1e", "invalid character ' ' in exponent of numeric literal"],
  ['"\\', "invalid character ' ' in string escape code"],
  ['"\\u12', "invalid character ' ' in \\u hexadecimal character escape"],
  ["hello", "invalid character 'h' looking for beginning of value"],
  ["{nope", "invalid character 'n' looking for beginning of object key string"],
  ["{'a':1}", "invalid character '\\'' looking for beginning of object key string"],
  ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
  ["[1,]", "invalid character ']' looking for beginning of value"],
  ["[,1]", "invalid character ',' looking for beginning of value"],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{"a":1 "b"}', "invalid character '\"' after object key:value pair"],
  ['{"a":01}', "invalid character '1' after object key:value pair"],
  ['{"a":1]', "invalid character ']' after object key:value pair"],
  ["[1 2]", "invalid character '2' after array element"],
  ["[1}", "invalid character '}' after array element"],
  ["{} x", "invalid character 'x' after top-level value"],
  ["{}{}", "invalid character '{' after top-level value"],
  ["{}\0", "invalid character '\\x00' after top-level value"],
  ['"a\tb"', "invalid character '\\t' in string literal"],
  ['"a\nb"', "invalid character '\\n' in string literal"],
  ['"\x7f\x01"', "invalid character '\\x01' in string literal"],
  ['"\\x"', "invalid character 'x' in string escape code"],
  ['"\\u00g0"', "invalid character 'g' in \\u hexadecimal character escape"],
  ["trve", "invalid character 'v' in literal true (expecting 'u')"],
  ["False", "invalid character 'F' looking for beginning of value"],
  ["falsy", "invalid character 'y' in literal false (expecting 'e')"],
  ["NaN", "invalid character 'N' looking for beginning of value"],
  ["-x", "invalid character 'x' in numeric literal"],
  ["1.x", "invalid character 'x' after decimal point in numeric literal"],
  ["1e+x", "invalid character 'x' in exponent of numeric literal"],
  ["+1", "invalid character '+' looking for beginning of value"],
  // Go reports the first byte of a multi-byte character.
  ["é", "invalid character 'Ã' looking for beginning of value"],
  ["[1😀", "invalid character 'ð' after array element"],
  ["\ufeff{}", "invalid character 'ï' looking for beginning of value"],
];

test("readJson() returns upstream's errors", () => {
  for (const [body, error] of errors) {
    assert.equal(errorOf(body), error, JSON.stringify(body));
    assert.equal(errorOf(encode(body)), error, `${JSON.stringify(body)} as bytes`);
  }
  assert.equal(errorOf(bytes(0x9e, 0xe9)), "invalid character '\\u009e' looking for beginning of value");
  assert.equal(errorOf(bytes(0x22, 0xff, 0x22, 0xff)), "invalid character 'ÿ' after top-level value");
});

test("readJson() reads ten thousand levels and rejects one more", () => {
  const max = documentDepthMax;
  assert.ok(readJson("[".repeat(max) + "]".repeat(max)).ok);
  assert.ok(readJson('{"a":'.repeat(max) + "1" + "}".repeat(max)).ok);
  assert.equal(errorOf("[".repeat(max + 1) + "]".repeat(max + 1)), "invalid character '[' exceeded max depth");
  assert.equal(errorOf('{"a":'.repeat(max + 1)), "invalid character '{' exceeded max depth");
  assert.equal(errorOf("[".repeat(bodyBytesMax)), "invalid character '[' exceeded max depth");
});

test("readJson() reads bodies of the largest size", () => {
  const size = bodyBytesMax;
  assert.equal(treeOf(`"${"x".repeat(size - 2)}"`), "x".repeat(size - 2));
  assert.deepEqual(treeOf("9".repeat(size)), new NumberText("9".repeat(size)));
  assert.equal((treeOf(`[${"1,".repeat(size / 2 - 2)}1]`) as Tree[]).length, size / 2 - 1);
  assert.equal(treeOf(`"${"\\n".repeat(size / 2 - 1)}"`), "\n".repeat(size / 2 - 1));
});

test("jsonFromTree() and treeFromJson() keep integers exact, own prototype names and any depth", () => {
  const value = jsonFromTree(treeOf('{"__proto__":[1],"a":9007199254740993,"b":-0,"c":1e2,"a":9223372036854775807}'));
  assert.ok(Object.hasOwn(value as object, "__proto__"));
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
  assert.deepEqual(Object.entries(value as object).sort(), [["__proto__", [1]], ["a", 9223372036854775807n], ["b", 0], ["c", 100]]);
  // A clone has no marks of doubles.
  assert.deepEqual(structuredClone(jsonFromTree(treeOf("[9223372036854775808,1e400,-0.0]"))), [9223372036854775808, Infinity, -0]);
  assert.deepEqual(
    treeFromJson({ a: [null, true, "x", 1.5, 1e21, 9007199254740993n], b: {} }),
    treeOf('{"a":[null,true,"x",1.5,1e+21,9007199254740993],"b":{}}'),
  );
  const deep = treeOf("[".repeat(documentDepthMax) + "]".repeat(documentDepthMax));
  let levels = 0;
  for (let at: Tree | undefined = treeFromJson(jsonFromTree(deep)); Array.isArray(at); at = at[0]) levels++;
  assert.equal(levels, documentDepthMax);
});

test("readJson() agrees with JSON.parse on whether a document is valid and on its value", () => {
  const seed = Math.trunc(Math.random() * 2 ** 32);
  const random = randomFrom(seed);
  const documents = [
    '{"a":1,"b":[true,false,null,-1.5e+10,0.1],"c":{"d":"x\\n\\u00e9\\ud83d\\ude00z"},"é":"日本"}',
    '[1,2,{"a":[]},[[]],"\\/\\b\\f"]',
    '{"__proto__":{"constructor":0},"a":12345678901234567890,"a":2}',
    " [ -0 , 1E5 , 1e-5 ] ",
  ];
  const pieces = [...'{}[],:"\\01-.eE+ \n\t', "\\u", "true", "fals", "null", "\\ud800", "\0", "é", '"a":'];
  for (let round = 0; round < 5000; round++) {
    let text = documents[random(documents.length)] ?? "";
    for (let change = random(4); change > 0; change--) {
      const at = random(text.length + 1);
      text = text.slice(0, at) + (random(3) > 0 ? pieces[random(pieces.length)] ?? "" : "") + text.slice(at + random(4));
    }
    const read = readJson(encode(text));
    const expected = parsed(text);
    assert.equal(read.ok, expected !== undefined, `seed ${seed}: ${JSON.stringify(text)}`);
    if (read.ok && expected !== undefined) {
      const mine = JSON.stringify(jsonFromTree(read.tree), (_, value) => typeof value === "bigint" ? Number(value) : value);
      assert.equal(mine, wellFormed(JSON.stringify(expected.value)), `seed ${seed}: ${JSON.stringify(text)}`);
    }
  }
});

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** JSON text with U+FFFD for escapes of lone surrogates, the only \ud escapes that JSON.stringify writes. */
function wellFormed(json: string): string {
  return json.replace(/\\\\|\\ud[0-9a-f]{3}/g, (escape) => escape === "\\\\" ? escape : "\ufffd");
}

/** Random integers below a bound, deterministic for a seed. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = state + 0x6d2b79f5 >>> 0;
    let mixed = Math.imul(state ^ state >>> 15, state | 1);
    mixed ^= mixed + Math.imul(mixed ^ mixed >>> 7, mixed | 61);
    return ((mixed ^ mixed >>> 14) >>> 0) % below;
  };
}

test("readWrittenJson() keeps string values escaped and unescapes keys; plainString() unescapes values", () => {
  const read = readWrittenJson('{"\\u0061":"\\u0041\\n<\\"","b":["é",1e2,null,true,""]}');
  assert.ok(read.ok && read.tree instanceof TreeObject);
  assert.deepEqual(read.tree.keys, ["a", "b"]);
  assert.deepEqual(read.tree.values, ['\\u0041\\n<\\"', ["é", new NumberText("1e2"), null, true, ""]]);
  assert.equal(plainString('\\u0041\\n<\\"'), 'A\n<"');
  assert.equal(plainString("plain é"), "plain é");
  assert.equal(plainString("\\ud800\\ud83d\\ude00"), "\ufffd\ud83d\ude00");
  assert.deepEqual(readWrittenJson('{"a":"\\x"}'), readJson('{"a":"\\x"}'));
});

test("jsonFromTree() tells of each number that exceeds a double, at any level and in values that a duplicate replaces", () => {
  const texts: string[] = [], deep = `${"[".repeat(300)}1e999${"]".repeat(300)}`;
  const value = jsonFromTree(treeOf(`{"a":-2e400,"b":{"c":1e308},"a":1,"d":${deep},"e":3.0}`), (text) => texts.push(text));
  assert.deepEqual(texts.sort(), ["-2e400", "1e999"]);
  assert.deepEqual(Object.keys(value as object), ["a", "b", "d", "e"]);
  assert.equal(isMarkedDouble(value as object, "e"), true);
});
