import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32 } from "node:zlib";
import { randomFrom } from "./testing/random.ts";
import { combine, shiftOf } from "./crc32.ts";

test("combine() is the CRC of concatenated bytes, for random bytes split anywhere", () => {
  const random = randomFrom(1);
  for (let round = 0; round < 300; round++) {
    const bytes = random.bytes(random.below(5_000));
    const at = random.below(bytes.length + 1);
    const before = bytes.subarray(0, at), after = bytes.subarray(at);
    assert.equal(combine(crc32(before), crc32(after), shiftOf(after.length)), crc32(bytes), `${bytes.length} bytes at ${at}`);
  }
});

test("combine() is associative, and no bytes change nothing", () => {
  const random = randomFrom(2);
  for (let round = 0; round < 100; round++) {
    const parts = Array.from({ length: random.below(20) }, () => random.bytes(random.below(200)));
    let crc = 0;
    for (const part of parts) crc = combine(crc, crc32(part), shiftOf(part.length));
    assert.equal(crc, crc32(Buffer.concat(parts)));
  }
  assert.equal(combine(0x12345678, 0, shiftOf(0)), 0x12345678);
  assert.equal(combine(0, 0xfedcba98, shiftOf(7)), 0xfedcba98);
});

test("shiftOf() of a sum is the shift by both, beyond 32 bits", () => {
  for (const [a, b] of [[1, 2 ** 31], [2 ** 32, 2 ** 33 + 5], [2 ** 40, 12_345]] as const) {
    assert.equal(combine(combine(0xcafebabe, 0, shiftOf(a)), 0, shiftOf(b)), combine(0xcafebabe, 0, shiftOf(a + b)));
  }
});
