import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonFromTree } from "../../tree/values.ts";
import { CborFailure } from "./failure.ts";
import { readCbor } from "./read.ts";
import { objectOfCbor, treeOfCbor } from "./untyped.ts";

const item = (hex: string) => readCbor(Uint8Array.from(Buffer.from(hex.replaceAll(" ", ""), "hex")));
const text = (value: string) => (0x60 + value.length).toString(16) + Buffer.from(value).toString("hex");

for (
  const [what, hex, value] of [
    ["byte strings are texts", "42 c3bc", "ü"],
    ["invalid UTF-8 becomes U+FFFD", "41 ff", "\ufffd"],
    ["bytes are base64 below the tag for it", "d6 81 43 fb ff fe", ["+//+"]],
    ["bytes are base64 for URLs without padding", "d5 41 fb", "-w"],
    ["bytes are hexadecimal", "d7 42 00ff", "00ff"],
    ["the innermost of several such tags applies", "d6 d7 41 0f", "0f"],
    ["such tags do not change texts", "d6 61 61", "a"],
    ["tags without a meaning are ignored", "d864 d9d9f7 01", 1],
    ["integers have 64 bits", "82 1b7fffffffffffffff 3b7fffffffffffffff", [9223372036854775807n, -9223372036854775808n]],
    ["floats are numbers", "f9 3e00", 1.5],
    ["a time keeps its zone", `c0 78 19 ${Buffer.from("2024-01-01T00:00:00+05:30").toString("hex")}`, "2024-01-01T00:00:00+05:30"],
    ["a fraction loses its zeros", `c0 77 ${Buffer.from("2024-01-01T00:00:00.50Z").toString("hex")}`, "2024-01-01T00:00:00.5Z"],
    ["seconds since 1970 are a time", "c1 1a 6553f100", "2023-11-14T22:13:20Z"],
    ["seconds before it with a fraction too", "c1 f9 bc00", "1969-12-31T23:59:59Z"],
    ["keys may be either kind of string", "a2 41 61 01 61 62 02", { a: 1, b: 2 }],
    ["lists and maps may have an indefinite length", "bf 61 61 9f 01 ff ff", { a: [1] }],
  ] as const
) {
  test(`treeOfCbor(): ${what}`, () => {
    const tree = treeOfCbor(item(hex));
    assert.ok(!(tree instanceof CborFailure), tree instanceof CborFailure ? tree.text : "");
    assert.deepEqual(jsonFromTree(tree), value);
  });
}

const int64 = "of type int64";
for (
  const [what, hex, why] of [
    [
      "a large integer",
      "1b 8000000000000000",
      `cbor: cannot unmarshal positive integer into Go value ${int64} (9223372036854775808 overflows Go's int64)`,
    ],
    [
      "a large negative integer",
      "3b 8000000000000000",
      `cbor: cannot unmarshal negative integer into Go value ${int64} (-9223372036854775809 overflows Go's int64)`,
    ],
    ["text that is not UTF-8", "81 61 ff", "cbor: invalid UTF-8 string"],
    ["undefined", "f7", "cbor: data item of cbor type primitives is not accepted by protocol: simple value 23 is not recognized"],
    ["a key that is not a string", "a1 01 02", "cbor: cannot unmarshal positive integer into Go value of type string"],
    ["a duplicate key", "a2 61 61 01 41 61 02", 'cbor: found duplicate map key "a" at map element index 1'],
    [
      "a duplicate key before any other failure",
      "a3 61 62 f7 61 61 01 61 61 02",
      'cbor: found duplicate map key "a" at map element index 2',
    ],
    [
      "the first of two failures",
      "82 f7 61 ff",
      "cbor: data item of cbor type primitives is not accepted by protocol: simple value 23 is not recognized",
    ],
    [
      "a time that is a number under the tag for texts",
      "c0 01",
      "cbor: tag number 0 must be followed by text string, got positive integer",
    ],
    [
      "a time that is a text under the tag for numbers",
      `c1 ${text("x")}`,
      "cbor: tag number 1 must be followed by integer or floating-point number, got UTF-8 text string",
    ],
    [
      "an invalid time",
      `c0 ${text("x")}`,
      'cbor: cannot set x for time.Time: parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
    ],
    [
      "a time after the year 9999",
      "c1 1b 0000003afff44180",
      "cbor: decoded time cannot be represented in RFC3339 format with sub-second precision: Time.MarshalText: year outside of range [0,9999]",
    ],
  ] as const
) {
  test(`treeOfCbor() rejects ${what}`, () => {
    const failure = treeOfCbor(item(hex));
    assert.ok(failure instanceof CborFailure);
    assert.equal(failure.text, why);
  });
}

test("treeOfCbor() reads __proto__ as an ordinary key", () => {
  const key = Buffer.from("__proto__").toString("hex");
  const tree = treeOfCbor(item(`a1 49 ${key} a1 61 61 01`));
  assert.ok(!(tree instanceof CborFailure));
  const value = jsonFromTree(tree) as object;
  assert.deepEqual(Object.entries(value), [["__proto__", { a: 1 }]]);
  assert.equal((value as { a?: number }).a, undefined);
});

test("treeOfCbor() reads ten thousand levels", () => {
  assert.ok(!(treeOfCbor(item("81".repeat(10_000) + "01")) instanceof CborFailure));
  const failure = treeOfCbor(item("a16161".repeat(9_999) + "a10102"));
  assert.equal(failure instanceof CborFailure ? failure.text : "", "cbor: cannot unmarshal positive integer into Go value of type string");
});

test("objectOfCbor() accepts maps and null only", () => {
  const why = (hex: string) => {
    const tree = objectOfCbor(item(hex));
    return tree instanceof CborFailure ? tree.text : jsonFromTree(tree);
  };
  assert.deepEqual(why("d9d9f7 a1 61 61 01"), { a: 1 });
  assert.deepEqual(why("f6"), {});
  assert.equal(why("80"), "cbor: cannot unmarshal array into Go value of type map[string]interface {}");
  assert.equal(why("61 61"), "cbor: cannot unmarshal UTF-8 text string into Go value of type map[string]interface {}");
  assert.equal(why("61 ff"), "cbor: invalid UTF-8 string");
});
