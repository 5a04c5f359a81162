/**
 * The cipher of a data key, as upstream's KMS v2 derives it. A seed is never used itself: each value has 32 random bytes before it, and the key
 * HKDF-Expand(SHA-256, seed, random bytes), of 32 bytes, encrypts that value alone with AES-GCM.
 */
import { createHmac } from "node:crypto";
import { type Cipher, cipherOf, gcmNonceBytes, randomSupply, sealGcm, secretBytes } from "../ciphers.ts";
import { sourceType } from "./messages.ts";

/** Bytes of a seed, of the random bytes before each value and of a derived key. */
export const seedBytes = 32;

/** The number of the first block of HKDF-Expand. */
const one = Uint8Array.of(1);

/** The cipher of the plaintext that the plugin has given. Throws an error, without the plaintext, for one of a wrong length. */
export function dataCipher(type: number, plaintext: Uint8Array): Cipher {
  if (type === sourceType.seed) return derivedCipher(plaintext);
  if (!secretBytes.aesgcm.includes(plaintext.length)) throw new Error(`a data key has ${plaintext.length} bytes`);
  return cipherOf("aesgcm", plaintext);
}

function derivedCipher(seed: Uint8Array): Cipher {
  if (seed.length < seedBytes) throw new Error(`a seed has ${seed.length} bytes, less than ${seedBytes}`);
  // The first block of HKDF-Expand (RFC 5869, section 2.3) is all of the key.
  const keyFor = (info: Uint8Array) => createHmac("sha256", seed).update(info).update(one).digest(), random = randomSupply();
  return {
    seal(value, key) {
      const before = random(seedBytes + gcmNonceBytes);
      return sealGcm(keyFor(before.subarray(0, seedBytes)), before, value, key);
    },
    open(sealed, key) {
      if (sealed.length < seedBytes) throw new Error("the stored value is shorter than what its key is derived from");
      return cipherOf("aesgcm", keyFor(sealed.subarray(0, seedBytes))).open(sealed.subarray(seedBytes), key);
    },
  };
}
