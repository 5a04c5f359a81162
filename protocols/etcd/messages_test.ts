import assert from "node:assert/strict";
import { test } from "node:test";
import { Writer } from "protobufjs/minimal.js";
import { txn } from "./messages.ts";

/** The same request by a writer of the library. */
function written(key: Uint8Array, expect: number, value: Uint8Array): Uint8Array {
  const writer = Writer.create();
  const message = (field: number, write: () => void) => {
    writer.uint32(field << 3 | 2).fork();
    write();
    writer.ldelim();
  };
  const bytes = (field: number, content: Uint8Array) => writer.uint32(field << 3 | 2).bytes(content);
  message(1, () => {
    writer.uint32(2 << 3).uint32(2);
    bytes(3, key);
    writer.uint32(6 << 3).int64(expect);
  });
  message(2, () =>
    message(2, () => {
      bytes(1, key);
      bytes(2, value);
    }));
  message(3, () => message(1, () => void bytes(1, key)));
  return writer.finish();
}

test("txn.encode() writes a put as the library does, at every length of its numbers", () => {
  for (const keyLength of [1, 127, 128, 300]) {
    for (const valueLength of [0, 1, 127, 128, 1500, 16_383, 16_384, 2_100_000]) {
      for (const expect of [0, 1, 127, 128, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 40 + 5, Number.MAX_SAFE_INTEGER]) {
        const key = new Uint8Array(keyLength).fill(0x61), value = new Uint8Array(valueLength).fill(0x62);
        const encoded = txn.encode({ key, expect, value, lease: undefined });
        assert.ok(Buffer.from(encoded).equals(written(key, expect, value)), `${keyLength} ${valueLength} ${expect}`);
      }
    }
  }
});
