import assert from "node:assert/strict";
import { test } from "node:test";
import { cipherOf, gcmNonceBytes, randomSupply, sealGcm } from "./ciphers.ts";

test("randomSupply() gives out each byte once, also for more than it gets at once", () => {
  const random = randomSupply(), taken = Array.from({ length: 600 }, () => random(44));
  assert.ok(taken.every(({ length }) => length === 44));
  assert.equal(new Set(taken.map((bytes) => bytes.join())).size, taken.length);
  assert.equal(random(10_000).length, 10_000);
  // Parts of one supply lie behind each other.
  const [first, second] = [randomSupply()].flatMap((supply) => [supply(8), supply(8)]);
  assert.deepEqual([first!.buffer === second!.buffer, second!.byteOffset - first!.byteOffset], [true, 8]);
});

test("sealGcm() writes what AES-GCM opens, behind bytes that end with the nonce", () => {
  for (const length of [16, 32]) {
    const secret = new Uint8Array(length).fill(7), value = new TextEncoder().encode("hidden");
    const before = randomSupply()(32 + gcmNonceBytes), sealed = sealGcm(secret, before, value, "/registry/a");
    assert.deepEqual(sealed.subarray(0, before.length), before);
    const cipher = cipherOf("aesgcm", secret);
    assert.deepEqual(cipher.open(sealed.subarray(32), "/registry/a"), value);
    assert.throws(() => cipher.open(sealed.subarray(32), "/registry/b"));
    assert.deepEqual(cipher.open(cipher.seal(value, "/registry/a"), "/registry/a"), value);
  }
});
