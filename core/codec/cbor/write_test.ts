import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../../schema.ts";
import { cborEvent, cborListAround } from "./documents.ts";
import { CborWriter, compareKeys, writeJson } from "./write.ts";

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const written = (value: Json): string => {
  const to = new CborWriter();
  writeJson(value, to);
  return hex(to.finish());
};

for (
  const [value, bytes] of [
    [null, "f6"],
    [true, "f5"],
    [0, "00"],
    [23, "17"],
    [24, "1818"],
    [256, "190100"],
    [65536, "1a00010000"],
    [2 ** 32, "1b0000000100000000"],
    [9007199254740993n, "1b0020000000000001"],
    [-1, "20"],
    [-25, "3818"],
    [-9223372036854775808n, "3b7fffffffffffffff"],
    [1.5, "f93e00"],
    [-0, "f98000"],
    [2 ** -24, "f90001"],
    [2 ** -25, "fa33000000"],
    [65504.5, "fa477fe080"],
    [1e20, "fb4415af1d78b58c40"],
    [0.1, "fb3fb999999999999a"],
    ["ü", "42c3bc"],
    ["\ud800", "43efbfbd"],
    ["a".repeat(24), `5818${"61".repeat(24)}`],
    [[1, [], {}], "830180a0"],
    [{ bb: 1, a: 2, aa: 3, ü: 4 }, "a441610242616103426262014" + "2c3bc04"],
  ] as const
) {
  test(`writeJson() writes ${JSON.stringify(value, (_, part) => typeof part === "bigint" ? `${part}n` : part).slice(0, 40)}`, () =>
    assert.equal(written(value), bytes));
}

test("writeJson() writes __proto__ as an ordinary key, and values of any depth", () => {
  assert.equal(written(JSON.parse('{"__proto__":1}')), `a149${Buffer.from("__proto__").toString("hex")}01`);
  let deep: Json = 1;
  for (let level = 0; level < 10_000; level++) deep = [deep];
  assert.equal(written(deep), "81".repeat(10_000) + "01");
});

test("compareKeys() sorts shorter keys first, by length in bytes", () => {
  assert.deepEqual(["b", "aa", "é", "zz", ""].sort(compareKeys), ["", "b", "aa", "zz", "é"]);
  assert.deepEqual(["\u{10000}", "abcde", "\uffff\u0001"].sort(compareKeys), ["\uffff\u0001", "\u{10000}", "abcde"]);
});

test("cborListAround() and cborEvent() wrap encoded items", () => {
  const { head, tail } = cborListAround({ kind: "K", apiVersion: "v1" }, Uint8Array.of(0xa0), 2);
  assert.equal(hex(head), "d9d9f7a4" + "446b696e64414b" + "456974656d7382");
  assert.equal(hex(tail), "486d65746164617461a0" + "4a61706956657273696f6e427631");
  assert.ok(hex(cborListAround({ kind: "K", apiVersion: "v1" }, Uint8Array.of(0xa0), null).head).endsWith("456974656d73f6"));
  assert.equal(hex(cborEvent("ADDED", Uint8Array.of(0xa0))), "d9d9f7a2" + "4474797065454144444544" + "466f626a656374a0");
});
