import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { test } from "node:test";
import { flag, unpadded } from "./frames.ts";

test("unpadded() removes the padding and rejects more padding than bytes", () => {
  assert.equal(unpadded(0, Buffer.from("abc")).toString(), "abc");
  assert.equal(unpadded(flag.padded, Buffer.from("\x02abc\0\0")).toString(), "abc");
  assert.equal(unpadded(flag.padded, Buffer.from("\0")).length, 0);
  const refusal = { name: "Error", message: "A frame has more padding than bytes" };
  for (const payload of ["", "\x01", "\x03ab"]) assert.throws(() => unpadded(flag.padded, Buffer.from(payload)), refusal);
});
