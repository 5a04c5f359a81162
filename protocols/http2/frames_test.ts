import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { test } from "node:test";
import { flag, FrameReader, unpad } from "./frames.ts";

test("unpad() removes the padding and rejects more padding than bytes", () => {
  assert.equal(unpad(0, Buffer.from("abc")).toString(), "abc");
  assert.equal(unpad(flag.padded, Buffer.from("\x02abc\0\0")).toString(), "abc");
  assert.equal(unpad(flag.padded, Buffer.from("\0")).length, 0);
  const refusal = { name: "Error", message: "A frame has more padding than bytes" };
  for (const payload of ["", "\x01", "\x03ab"]) assert.throws(() => unpad(flag.padded, Buffer.from(payload)), refusal);
});

test("FrameReader reads the payload of the current frame, also of one that arrives in parts", () => {
  const reader = new FrameReader();
  const first = Buffer.from([0, 0, 4, 8, 0, 0, 0, 0, 1, 0, 1, 0, 2]), second = Buffer.from([0, 0, 2, 0, 1, 0, 0, 0, 3, 7, 9]);
  reader.add(Buffer.concat([first, second.subarray(0, 10)]));
  assert.ok(reader.next());
  assert.deepEqual([reader.type, reader.stream, reader.length, reader.uint32], [8, 1, 4, 65538]);
  assert.deepEqual([...reader.payload], [0, 1, 0, 2]);
  assert.ok(!reader.next());
  reader.add(second.subarray(10));
  assert.ok(reader.next());
  assert.deepEqual([reader.type, reader.flags, reader.stream, reader.length], [0, 1, 3, 2]);
  assert.deepEqual([...reader.payload], [7, 9]);
});
