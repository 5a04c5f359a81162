/**
 * The ciphers of values in the store, in kube-apiserver's formats. A value is what follows its prefix (`k8s:enc:aescbc:v1:key1:`):
 *
 *     aescbc     initialization vector, 16 bytes; blocks, padded (PKCS #7)
 *     aesgcm     nonce, 12 bytes; ciphertext; tag. The key in the store is authenticated with it, so that a value has one place
 *     secretbox  nonce, 24 bytes; tag; ciphertext
 */
import { createCipheriv, createDecipheriv } from "node:crypto";
import { cbc, gcm } from "@noble/ciphers/aes.js";
import { xsalsa20poly1305 } from "@noble/ciphers/salsa.js";
import { bound } from "../../core/bound.ts";

/** Encrypts and decrypts with one key. */
export interface Cipher {
  /** `key`: of the value in the store. */
  seal(value: Uint8Array, key: string): Uint8Array;
  /** Throws an error for bytes that were not sealed with this key. */
  open(sealed: Uint8Array, key: string): Uint8Array;
}

export type LocalProvider = "aescbc" | "aesgcm" | "secretbox";

/** The lengths of the secrets of a provider, in bytes. */
export const secretBytes: Readonly<Record<LocalProvider, readonly number[]>> = Object.freeze({
  aescbc: [16, 24, 32],
  aesgcm: [16, 24, 32],
  secretbox: [32],
});

type Nonced = (secret: Uint8Array, nonce: Uint8Array, key: string) => {
  encrypt(value: Uint8Array): Uint8Array;
  decrypt(sealed: Uint8Array): Uint8Array;
};

const gcmTagBytes = 16;
export const gcmNonceBytes = 12;
const utf8 = new TextEncoder();

/**
 * AES-GCM of the runtime, which takes a twentieth of the time, for the lengths of keys that both runtimes have: Deno has none of 24 bytes
 * (docs/decisions/0046-ciphers-of-the-store.md).
 */
const aesGcm: Nonced = (secret, nonce, key) => {
  const authenticated = utf8.encode(key);
  if (secret.length === 24) return gcm(secret, nonce, authenticated);
  const name = gcmOf(secret);
  return {
    encrypt: (value) => sealGcm(secret, nonce, value, key).subarray(nonce.length),
    decrypt(sealed) {
      if (sealed.length < gcmTagBytes) throw new Error("the stored value is shorter than its tag");
      const end = sealed.length - gcmTagBytes, cipher = createDecipheriv(name, secret, nonce, { authTagLength: gcmTagBytes });
      cipher.setAAD(authenticated).setAuthTag(sealed.subarray(end));
      const first = cipher.update(sealed.subarray(0, end)), last = cipher.final(), value = new Uint8Array(first.length + last.length);
      value.set(first);
      value.set(last, first.length);
      return value;
    },
  };
};

function gcmOf({ length }: Uint8Array): "aes-256-gcm" | "aes-128-gcm" {
  return length === 32 ? "aes-256-gcm" : "aes-128-gcm";
}

/** AES-GCM of the runtime: `before`, whose last bytes are the nonce, the ciphertext and the tag. `secret` has 16 or 32 bytes. */
export function sealGcm(secret: Uint8Array, before: Uint8Array, value: Uint8Array, key: string): Uint8Array {
  const nonce = before.subarray(before.length - gcmNonceBytes);
  const cipher = createCipheriv(gcmOf(secret), secret, nonce, { authTagLength: gcmTagBytes }).setAAD(utf8.encode(key));
  const first = cipher.update(value), last = cipher.final(), end = before.length + first.length;
  const whole = new Uint8Array(end + last.length + gcmTagBytes);
  whole.set(before);
  whole.set(first, before.length);
  if (last.length > 0) whole.set(last, end);
  whole.set(cipher.getAuthTag(), end + last.length);
  return whole;
}

/** Bytes that one call for random bytes gets. A call takes as long as the encryption of a kilobyte. */
const randomBytesAtOnce = bound(4_096);

/** Random bytes for nonces, each given out once. */
export function randomSupply(): (bytes: number) => Uint8Array {
  let left: Uint8Array | undefined;
  return (bytes) => {
    if (left === undefined || left.length < bytes) left = crypto.getRandomValues(new Uint8Array(Math.max(bytes, randomBytesAtOnce)));
    const taken = left.subarray(0, bytes);
    left = left.subarray(bytes);
    return taken;
  };
}

const ciphers: Readonly<Record<LocalProvider, { readonly nonceBytes: number; readonly of: Nonced }>> = {
  aescbc: { nonceBytes: 16, of: (secret, nonce) => cbc(secret, nonce) },
  aesgcm: { nonceBytes: gcmNonceBytes, of: aesGcm },
  secretbox: { nonceBytes: 24, of: (secret, nonce) => xsalsa20poly1305(secret, nonce) },
};

/** The cipher of a provider. `secret` has one of the lengths of `secretBytes`. */
export function cipherOf(provider: LocalProvider, secret: Uint8Array): Cipher {
  const { nonceBytes, of } = ciphers[provider], random = randomSupply(), isRuntimes = provider === "aesgcm" && secret.length !== 24;
  return {
    seal(value, key) {
      if (isRuntimes) return sealGcm(secret, random(nonceBytes), value, key);
      // A copy: the cipher requires bytes that begin at a word.
      const nonce = random(nonceBytes).slice(), sealed = of(secret, nonce, key).encrypt(value);
      const whole = new Uint8Array(nonceBytes + sealed.length);
      whole.set(nonce);
      whole.set(sealed, nonceBytes);
      return whole;
    },
    open(sealed, key) {
      if (sealed.length < nonceBytes) throw new Error("the stored value is shorter than its nonce");
      // A copy: the cipher requires bytes that begin at a word.
      return of(secret, sealed.slice(0, nonceBytes), key).decrypt(sealed.slice(nonceBytes));
    },
  };
}
