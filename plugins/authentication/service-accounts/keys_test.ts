import assert from "node:assert/strict";
import { test } from "node:test";
import { keySet, newSigningKey, type SigningKey, signingKey, type VerifyingKey, verifyingKey } from "./keys.ts";
import { ecKey, testKey } from "../../../test/service-accounts/accounts.ts";

test("signingKey() derives the key id from the SHA-256 of the SubjectPublicKeyInfo, and publishes no private part", async () => {
  const bytes = await newSigningKey(), key = await signingKey(bytes);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes.spki));
  assert.equal(key.id, Buffer.from(digest).toString("base64url"));
  assert.deepEqual(Object.keys(key.published), ["use", "kty", "kid", "alg", "n", "e"]);
  const { n, ...rest } = key.published;
  assert.deepEqual(rest, { use: "sig", kty: "RSA", kid: key.id, alg: "RS256", e: "AQAB" });
  assert.equal(n?.length, 342);
});

test("signingKey() gives each curve its algorithm", async () => {
  for (const [curve, alg] of [["P-256", "ES256"], ["P-384", "ES384"], ["P-521", "ES512"]] as const) {
    const key = await ecKey(curve);
    assert.deepEqual([key.algorithm, Object.keys(key.published)], [alg, ["use", "kty", "kid", "crv", "alg", "x", "y"]]);
    assert.equal(key.published.crv, curve);
  }
});

test("signingKey() rejects public keys, short keys and keys of unsupported types", async () => {
  await assert.rejects(signingKey({ spki: (await newSigningKey()).spki }), /not a private key/);
  const short = await crypto.subtle.generateKey(
    { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256", modulusLength: 1024, publicExponent: Uint8Array.of(1, 0, 1) },
    true,
    ["sign", "verify"],
  );
  const spki = new Uint8Array(await crypto.subtle.exportKey("spki", short.publicKey));
  await assert.rejects(verifyingKey({ spki }), /the RSA key has 1024 bits, at least 2048 are required/);
  const ed = await crypto.subtle.generateKey({ name: "Ed25519" }, true, ["sign", "verify"]) as CryptoKeyPair;
  const other = new Uint8Array(await crypto.subtle.exportKey("spki", ed.publicKey));
  await assert.rejects(verifyingKey({ spki: other }), /unsupported type/);
  await assert.rejects(verifyingKey({ spki: Uint8Array.of(1, 2, 3) }), /unsupported type/);
});

test("keySet() has the signing key first, each key once, and no private key among the verifying ones", async () => {
  const key = await testKey, other = await ecKey("P-256");
  const { verifying: found } = keySet(key, [verifying(other), verifying(key), verifying(other)]);
  assert.deepEqual(found.map(({ id }) => id), [key.id, other.id]);
  assert.ok(!("privateKey" in found[0]!));
});

function verifying({ privateKey: _, ...key }: SigningKey): VerifyingKey {
  return key;
}
