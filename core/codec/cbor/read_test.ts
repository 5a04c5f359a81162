import assert from "node:assert/strict";
import { test } from "node:test";
import { CborBytes, CborFloat, CborInvalidText, type CborItem, CborMap, CborSimple, CborTag, memberOf } from "./item.ts";
import { CborError, isCbor, readCbor } from "./read.ts";
import { documentDepthMax } from "../../bounds.ts";

const bytesOf = (hex: string) => Uint8Array.from(Buffer.from(hex.replaceAll(" ", ""), "hex"));
const read = (hex: string) => readCbor(bytesOf(hex));

/** Items as plain values, for assertions. */
function shown(item: CborItem): unknown {
  if (Array.isArray(item)) return item.map(shown);
  if (item instanceof CborBytes) return { bytes: item.text };
  if (item instanceof CborFloat) return { float: item.value };
  if (item instanceof CborSimple) return { simple: item.value };
  if (item instanceof CborInvalidText) return "not UTF-8";
  if (item instanceof CborMap) return { map: item.entries.map(shown) };
  return item instanceof CborTag ? { tag: item.number, content: shown(item.content) } : item;
}

test("isCbor() recognises CBOR by the self-described tag", () => {
  assert.equal(isCbor(bytesOf("d9d9f7 a0")), true);
  assert.equal(isCbor(bytesOf("d9d9")), false);
  assert.equal(isCbor(new TextEncoder().encode("{}")), false);
});

for (
  const [hex, item] of [
    ["00", 0],
    ["1818", 24],
    ["1b 0020000000000001", 9007199254740993n],
    ["1b ffffffffffffffff", 18446744073709551615n],
    ["20", -1],
    ["3b 001fffffffffffff", -9007199254740992n],
    ["3b ffffffffffffffff", -18446744073709551616n],
    ["62 c3bc", "ü"],
    ["61 ff", "not UTF-8"],
    ["63 efbbbf", "\ufeff"],
    ["41 61", { bytes: "a" }],
    ["7f 61 61 60 61 62 ff", "ab"],
    ["7f 61 c3 61 bc ff", "not UTF-8"],
    ["5f 41 61 40 41 62 ff", { bytes: "ab" }],
    ["f9 3c00", { float: 1 }],
    ["f9 0001", { float: 2 ** -24 }],
    ["f9 fbff", { float: -65504 }],
    ["fa 3fc00000", { float: 1.5 }],
    ["fb 7fefffffffffffff", { float: Number.MAX_VALUE }],
    ["82 f4 f5", [false, true]],
    ["9f f6 80 ff", [null, []]],
    ["a2 01 02 41 61 a0", { map: [1, 2, { bytes: "a" }, { map: [] }] }],
    ["bf 61 61 01 ff", { map: ["a", 1] }],
    ["f7", { simple: 23 }],
    ["f8 ff", { simple: 255 }],
    ["d9d9f7 c0 60", { tag: 55799, content: { tag: 0, content: "" } }],
    ["d6 81 41 00", { tag: 22, content: [{ bytes: "\0" }] }],
  ] as const
) {
  test(`readCbor() reads ${hex}`, () => assert.deepEqual(shown(read(hex)), item));
}

for (
  const [hex, error] of [
    ["", "EOF"],
    ["18", "unexpected EOF"],
    ["62 61", "unexpected EOF"],
    ["82 01", "unexpected EOF"],
    ["a1 01", "unexpected EOF"],
    ["9f 01", "unexpected EOF"],
    ["7f 61 61", "unexpected EOF"],
    ["c0", "unexpected EOF"],
    ["01 02 03", "cbor: 2 bytes of extraneous data starting at index 1"],
    ["1c", "cbor: invalid additional information 28 for type positive integer"],
    ["1f", "cbor: invalid additional information 31 for type positive integer"],
    ["3f", "cbor: invalid additional information 31 for type negative integer"],
    ["df", "cbor: invalid additional information 31 for type tag"],
    ["5e", "cbor: invalid additional information 30 for type byte string"],
    ["ff", 'cbor: unexpected "break" code'],
    ["81 ff", 'cbor: unexpected "break" code'],
    ["bf 01 ff", 'cbor: unexpected "break" code'],
    ["f8 1f", "cbor: invalid simple value 31 for type primitives"],
    ["5f 61 61 ff", "cbor: wrong element type UTF-8 text string for indefinite-length byte string"],
    ["7f 7f ff ff", "cbor: indefinite-length UTF-8 text string chunk is not definite-length"],
    ["f9 7e00", "cbor: data item of cbor type primitives is not accepted by protocol: floating-point NaN"],
    ["fb fff0000000000000", "cbor: data item of cbor type primitives is not accepted by protocol: floating-point infinity"],
    ["c2 41 01", "cbor: data item of cbor type tag is not accepted by protocol: bignum"],
    ["d6 c3 41 01", "cbor: data item of cbor type tag is not accepted by protocol: bignum"],
    ["5b ffffffffffffffff", "cbor: byte string length 18446744073709551615 is too large, causing integer overflow"],
    ["9b 8000000000000000", "cbor: array length 9223372036854775808 is too large, it would cause integer overflow"],
    ["5b 7fffffffffffffff", "unexpected EOF"],
    ["9a 7fffffff", "unexpected EOF"],
    ["9a 80000000", "cbor: exceeded max number of elements 2147483647 for CBOR array"],
    ["ba 00200000", "unexpected EOF"],
    ["ba 00200001", "cbor: exceeded max number of key-value pairs 2097152 for CBOR map"],
    ["bb 7fffffffffffffff", "cbor: exceeded max number of key-value pairs 2097152 for CBOR map"],
  ] as const
) {
  test(`readCbor() rejects ${hex || "no bytes"} with upstream's message`, () => assert.throws(() => read(hex), new CborError(error)));
}

test("readCbor() reads lists, maps and tags up to the maximum depth and rejects one level more", () => {
  const max = documentDepthMax;
  const tooDeep = new CborError(`cbor: exceeded max nested level ${max}`);
  for (const level of ["81", "9f", "a101", "bf01"]) {
    const close = (count: number) => level.startsWith("9f") || level.startsWith("bf") ? "ff".repeat(count) : "";
    read(level.repeat(max) + "01" + close(max));
    assert.throws(() => read(level.repeat(max + 1) + "01" + close(max + 1)), tooDeep);
  }
  // The first of several tags is not counted.
  read("d8".concat("64").repeat(max + 1) + "01");
  assert.throws(() => read("d864".repeat(max + 2) + "01"), tooDeep);
});

test("memberOf() finds the first member of a name in byte and text strings, below tags", () => {
  const item = read("d9d9f7 a3 01 02 41 61 03 61 61 04");
  assert.equal(memberOf(item, "a"), 3);
  assert.equal(memberOf(item, "b"), undefined);
  assert.equal(memberOf(read("81 61 61"), "a"), undefined);
});
