import assert from "node:assert/strict";
import { test } from "node:test";
import { pack, unpack } from "./thread-message.ts";

test("unpack() restores the argument of pack(), with bytes in their places", () => {
  const data = { op: "x", list: [{ value: Uint8Array.of(1, 2), revision: 3 }, { value: undefined, revision: 4 }], none: null };
  const packed = pack(data);
  assert.ok(packed.list[0]?.value instanceof ArrayBuffer);
  assert.deepEqual(unpack(structuredClone(packed)), data);
});

test("pack() copies only the viewed part of a larger buffer", () => {
  const packed = pack(new Uint8Array(1000).fill(7).subarray(10, 12));
  assert.equal(packed.byteLength, 2);
  assert.deepEqual(unpack(packed), Uint8Array.of(7, 7));
});

test("pack() keeps empty bytes", () => {
  assert.deepEqual(unpack(pack({ value: new Uint8Array(0) })), { value: new Uint8Array(0) });
});
