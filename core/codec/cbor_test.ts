import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonFromTree } from "../tree/values.ts";
import { isCbor, readCbor } from "./cbor.ts";

const described = (hex: string) => Uint8Array.from(Buffer.from(`d9d9f7${hex.replaceAll(" ", "")}`, "hex"));
const read = (hex: string) => jsonFromTree(readCbor(described(hex)));

test("isCbor() goes by the self-described tag", () => {
  assert.equal(isCbor(described("a0")), true);
  assert.equal(isCbor(new TextEncoder().encode("{}")), false);
  assert.equal(isCbor(new Uint8Array([0xd9, 0xd9])), false);
});

test("readCbor() takes strings as bytes of UTF-8 or as text, for keys and values", () => {
  assert.deepEqual(read("a2 41 61 42 c3bc 61 62 61 63"), { a: "ü", b: "c" });
  assert.deepEqual(Object.entries(read("a1 49 5f5f70726f746f5f5f 01") as object), [["__proto__", 1]]);
});

test("readCbor() keeps every digit of 64-bit integers, both ends of them, and floats", () => {
  const numbers = read("83 1b 7fffffffffffffff 3b 7fffffffffffffff fb 3ff8000000000000");
  assert.deepEqual(numbers, [9223372036854775807n, -9223372036854775808n, 1.5]);
});

test("readCbor() writes bytes that are marked for it as base64, as JSON has them", () => {
  assert.deepEqual(read("a1 41 61 d6 43 010203"), { a: "AQID" });
});

test("readCbor() takes null, booleans and lists", () => {
  assert.deepEqual(read("84 f6 f5 f4 80"), [null, true, false, []]);
});

for (
  const [what, hex] of [
    ["indefinite lengths", "bf ff"],
    ["duplicate keys, also in both kinds of strings", "a2 41 61 01 61 61 02"],
    ["keys that are no strings", "a1 01 02"],
    ["undefined", "f7"],
    ["numbers that are not finite", "f9 7c00"],
    ["numbers that are none", "f9 7e00"],
    ["unknown tags", "c5 82 01 02"],
    ["bytes that are no UTF-8", "41 ff"],
    ["what is cut off", "82 01"],
    ["what follows the item", "01 02"],
    ["nothing", ""],
    ["the tag for base64 before a text", "d6 61 61"],
  ] as const
) {
  test(`readCbor() refuses ${what}`, () => {
    assert.throws(() => read(hex), Error);
  });
}

test("readCbor() refuses a hundred thousand levels in order", () => {
  assert.throws(() => readCbor(described("81".repeat(100_000) + "01")), Error);
});
