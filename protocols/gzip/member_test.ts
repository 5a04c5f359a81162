import { Buffer } from "node:buffer";
import assert from "node:assert/strict";
import { test } from "node:test";
import { gunzipSync, inflateRawSync } from "node:zlib";
import { deflate, type Deflated, storeBlocks } from "./deflate.ts";
import { gzipMember } from "./member.ts";
import { randomFrom } from "./testing/random.ts";
import { deflateBytesMax } from "../../kernel/cache/bounds.ts";

function memberOf(parts: readonly Deflated[]): Uint8Array {
  return Buffer.concat([...gzipMember(parts)]);
}
/** Decompresses the first member, and fails if others follow. */
function onlyMember(bytes: Uint8Array): Uint8Array {
  const content = gunzipSync(bytes);
  assert.deepEqual(new Uint8Array(inflateRawSync(bytes.subarray(10, -8))), new Uint8Array(content), "one member");
  return new Uint8Array(content);
}

test("gzipMember() of any sequence of compressed and stored parts is their concatenation", () => {
  const random = randomFrom(3);
  for (let round = 0; round < 60; round++) {
    const parts = Array.from({ length: random.below(12) }, () => random.bytes(random.below(50) === 0 ? 140_000 : random.below(3_000)));
    const member = memberOf(parts.map((part) => random.below(2) === 0 ? deflate(part) : storeBlocks(part)));
    assert.deepEqual(onlyMember(member), new Uint8Array(Buffer.concat(parts)), `round ${round}`);
  }
});

test("gzipMember() repeats and exchanges parts: none depends on the parts before it", () => {
  const text = (word: string) => deflate(new TextEncoder().encode(word.repeat(5_000)));
  const [a, b] = [text("abc"), text("bca")];
  const expected = "abc".repeat(5_000) + "bca".repeat(5_000) + "abc".repeat(5_000);
  assert.equal(new TextDecoder().decode(onlyMember(memberOf([a, b, a]))), expected);
});

test("gzipMember() without parts is an empty member", () => {
  assert.equal(onlyMember(memberOf([])).length, 0);
  assert.equal(onlyMember(memberOf([deflate(new Uint8Array()), storeBlocks(new Uint8Array())])).length, 0);
});

test("gzipMember() has the CRC and the length that decoders check", () => {
  const member = memberOf([deflate(new Uint8Array(1000).fill(7)), storeBlocks(new Uint8Array(10))]);
  for (const at of [member.length - 8, member.length - 4]) {
    const broken = member.slice();
    broken[at]! ^= 1;
    assert.throws(() => gunzipSync(broken), /incorrect/);
  }
});

test("storeBlocks() takes the bytes of one block, and compresses more", () => {
  for (const length of [0, 1, 0xffff, 0x10000]) {
    const part = storeBlocks(new Uint8Array(length).fill(1));
    assert.equal(part.blocks.length > length, length <= 0xffff, `${length}`);
    assert.deepEqual(onlyMember(memberOf([part])), new Uint8Array(length).fill(1));
  }
});

test("deflate() keeps no larger buffer than its bytes", () => {
  const { blocks } = deflate(new Uint8Array(deflateBytesMax));
  assert.equal(blocks.buffer.byteLength, blocks.length);
});
