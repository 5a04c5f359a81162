import assert from "node:assert/strict";
import { test } from "node:test";
import { diagnosticOf } from "./diagnostic.ts";
import { readCbor } from "./read.ts";

const bytesOf = (hex: string) => Uint8Array.from(Buffer.from(hex.replaceAll(" ", ""), "hex"));

for (
  const [hex, text] of [
    ["1864", "100"],
    ["1b ffffffffffffffff", "18446744073709551615"],
    ["3b ffffffffffffffff", "-18446744073709551616"],
    ["3863", "-100"],
    ["f4", "false"],
    ["f6", "null"],
    ["f7", "undefined"],
    ["f8ff", "simple(255)"],
    ["f93e00", "1.5"],
    ["f98000", "-0.0"],
    ["fa47c35000", "100000.0"],
    ["fb7e37e43c8800759c", "1.0e+300"],
    ["fbc010666666666666", "-4.1"],
    ["62225c", '"\\"\\\\"'],
    ["630a0927", '"\\n\\t\'"'],
    ["64f0908591", '"\\ud800\\udd51"'],
    ["617f", '"\\u007f"'],
    ["42 6127", "'a\\''"],
    ["41 ff", "h'ff'"],
    ["40", "h''"],
    ["80", "[]"],
    ["83 01 8202 03 8204 05", "[1, [2, 3], [4, 5]]"],
    ["a2 6161 01 6162 820203", '{"a": 1, "b": [2, 3]}'],
    ["a1 60 a0", '{"": {}}'],
    ["9f 01 8202 03 9f 04 05 ff ff", "[_ 1, [2, 3], [_ 4, 5]]"],
    ["bf 6346756e f5 63416d74 21 ff", '{_ "Fun": true, "Amt": -2}'],
    ["7f 65 7374726561 64 6d696e67 ff", '(_ "strea", "ming")'],
    ["7fff", '""_'],
    ["5fff", "''_"],
    ["c1 1a514b67b0", "1(1363896240)"],
    ["d9d9f7 a1 6161 c1 01", '55799({"a": 1(1)})'],
    ["81 61ff", undefined],
    ["81 63 efbfbd", undefined],
  ] as const
) {
  test(`diagnosticOf() writes ${hex} as ${text}`, () => {
    readCbor(bytesOf(hex));
    assert.equal(diagnosticOf(bytesOf(hex)), text);
  });
}

test("diagnosticOf() writes ten thousand levels", () => {
  const levels = 9_999;
  const bytes = new Uint8Array(levels + 1).fill(0x81);
  bytes[levels] = 0x01;
  assert.equal(diagnosticOf(bytes), `${"[".repeat(levels)}1${"]".repeat(levels)}`);
});
