import assert from "node:assert/strict";
import { test } from "node:test";
import { base64Of } from "../../../core/scalars/base64.ts";
import { TokenRefusal } from "../../../core/token-authenticator.ts";
import { boundPayload, legacyIssuer } from "./claims.ts";
import { keySet, newSigningKey, signingKey } from "./keys.ts";
import {
  account,
  ecKey,
  isCertificate,
  issuer,
  namespace,
  segment,
  signedToken,
  testKey,
  testKeys,
} from "../../../test/service-accounts/accounts.ts";
import { tokenVerifier, type VerifyToken } from "./verify.ts";
import { tokenHeaderLengthMax, tokenLengthMax } from "./untrusted.ts";

const seconds = 1_767_323_045;
const payload = (more: object = {}) => ({
  ...boundPayload({
    issuer,
    audiences: ["a"],
    namespace,
    account,
    bound: undefined,
    id: "j",
    now: seconds,
    seconds: 600,
    warnAfterSeconds: undefined,
  }),
  ...more,
});
const hash = (token: string) => token;
const verifier = (): VerifyToken => tokenVerifier({ keys: () => testKeys, issuers: () => [issuer], hash, isCertificate });

async function outcome(token: string, verify = verifier()): Promise<string> {
  try {
    return await verify(token) === undefined ? "none" : "good";
  } catch (error) {
    assert.ok(error instanceof TokenRefusal, String(error));
    for (const part of token.split(".")) {
      assert.ok(part.length < 8 || !error.message.includes(part), "a refusal shows no part of the token");
    }
    return error.message;
  }
}
const bad = "go-jose/go-jose: error in cryptographic primitive";

test("tokenVerifier() accepts tokens of its keys and issuers", async () => {
  const key = await testKey;
  assert.equal(await outcome(await signedToken(payload(), key)), "good");
  assert.equal(await outcome(await signedToken(payload({ iss: legacyIssuer }), key)), "good");
  const { kid: _, ...bare } = { alg: key.algorithm, kid: key.id };
  assert.equal(
    await outcome(await signedToken(payload(), key, { ...bare, kid: undefined })),
    "good",
    "a token without a key id tries every key",
  );
  for (const curve of ["P-256", "P-384", "P-521"]) {
    const ec = await ecKey(curve);
    const verify = tokenVerifier({ keys: async () => keySet(key, [ec]), issuers: () => [issuer], hash, isCertificate });
    assert.equal(await outcome(await signedToken(payload(), ec), verify), "good", curve);
  }
});

test("tokenVerifier() returns undefined for text of other issuers and text that is not a token", async () => {
  const key = await testKey, token = await signedToken(payload(), key);
  const [header = "", body = "", signature = ""] = token.split(".");
  const others = [
    "",
    "secret",
    "a.b.c",
    "..",
    `${token}.x`,
    `x${token}`,
    `${header}.${body}`,
    `${header}.${body}.${signature}=`,
    ` ${token}`,
    `${header}.${body}\n.${signature}`,
    await signedToken(payload({ iss: "https://elsewhere.example.com" }), key),
    await signedToken(payload({ iss: [issuer] }), key),
    `${segment("no json")}.${body}.${signature}`,
    `${segment([])}.${body}.${signature}`,
    `${segment({ alg: 1 })}.${body}.${signature}`,
    `${segment({ alg: "RS256", kid: 1 })}.${body}.${signature}`,
    `${header}.${segment("null")}.${signature}`,
  ];
  for (const other of others) assert.equal(await outcome(other), "none", other.slice(0, 60));
});

test("tokenVerifier() rejects a changed, shortened or foreign signature", async () => {
  const key = await testKey, token = await signedToken(payload(), key);
  const [header = "", body = "", signature = ""] = token.split(".");
  assert.equal(await outcome(`${token}x`), bad, "a recorded answer: unused bits of a signature are a wrong signature");
  assert.equal(await outcome(`${header}.${body}.`), bad);
  assert.equal(await outcome(`${header}.${body}.${signature.slice(0, -6)}`), bad);
  assert.equal(await outcome(`${header}.${segment(payload({ sub: "system:admin" }))}.${signature}`), bad);
  const stranger = await signingKey(await newSigningKey());
  assert.equal(await outcome(await signedToken(payload(), stranger)), "invalid signature, no keys found");
  assert.equal(await outcome(await signedToken(payload(), stranger, { kid: key.id })), bad, "a key id proves nothing");
});

test("tokenVerifier() uses the algorithm of the key only: no none, no HMAC of a public key, no other hash or padding", async () => {
  const key = await testKey, body = segment(payload());
  const spki = new Uint8Array(await crypto.subtle.exportKey("spki", key.key));
  const pem = `-----BEGIN PUBLIC KEY-----\n${base64Of(spki).replace(/(.{64})/g, "$1\n")}\n-----END PUBLIC KEY-----\n`;
  for (const alg of ["none", "None", "NONE", "nOnE", ""]) {
    assert.equal(await outcome(`${segment({ alg, kid: key.id })}.${body}.`), bad, alg);
  }
  for (const secret of [spki, new TextEncoder().encode(pem), new TextEncoder().encode(JSON.stringify(key.published))]) {
    const mac = await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
    const input = `${segment({ alg: "HS256", kid: key.id })}.${body}`;
    const bytes = new Uint8Array(await crypto.subtle.sign("HMAC", mac, new TextEncoder().encode(input)));
    const signature = base64Of(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
    assert.equal(await outcome(`${input}.${signature}`), bad);
  }
  const pkcs8 = await crypto.subtle.exportKey("pkcs8", key.privateKey);
  for (
    const [alg, name, digest] of [["PS256", "RSA-PSS", "SHA-256"], ["RS384", "RSASSA-PKCS1-v1_5", "SHA-384"], [
      "RS512",
      "RSASSA-PKCS1-v1_5",
      "SHA-512",
    ]] as const
  ) {
    const privateKey = await crypto.subtle.importKey("pkcs8", pkcs8, { name, hash: digest }, false, ["sign"]);
    const token = await signedToken(payload(), { ...key, privateKey }, { alg });
    assert.equal(await outcome(token), bad, alg);
  }
});

test("tokenVerifier() uses no key, address or file in a header, and rejects unknown extensions", async () => {
  const key = await testKey, stranger = await signingKey(await newSigningKey());
  const own = { kty: stranger.published.kty, n: stranger.published.n, e: stranger.published.e };
  const headers = [
    { jwk: own },
    { jwk: own, kid: key.id },
    { jku: "https://attacker.example.com/jwks", kid: key.id },
    { x5u: "https://attacker.example.com/chain", kid: key.id },
    { x5c: ["MIIB"], kid: key.id },
  ];
  for (const header of headers) {
    assert.notEqual(await outcome(await signedToken(payload(), stranger, header)), "good", JSON.stringify(header));
  }
  const ids = [
    "../../etc/passwd",
    "' OR 1=1 --",
    "__proto__",
    "constructor",
    "\u0000",
    "/dev/null",
    "a".repeat(3000),
    "http://169.254.169.254/",
  ];
  for (const kid of ids) {
    assert.equal(await outcome(await signedToken(payload(), stranger, { kid })), "invalid signature, no keys found", kid);
  }
  // Signed by the server's key, with an unknown critical extension: rejected, as RFC 7515 requires.
  const input = `${segment({ alg: "RS256", kid: key.id, crit: ["exp"], exp: 1 })}.${segment(payload())}`;
  const bytes = new Uint8Array(await crypto.subtle.sign("RSASSA-PKCS1-v1_5", key.privateKey, new TextEncoder().encode(input)));
  const signature = base64Of(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  assert.equal(await outcome(`${input}.${signature}`), bad);
});

test("tokenVerifier() reads no more of a token than its bounds: long tokens and headers, deep payloads", async () => {
  const key = await testKey, filler = (length: number) => "x".repeat(length);
  assert.equal(await outcome(await signedToken(payload({ filler: filler(tokenLengthMax) }), key)), "none");
  assert.equal(await outcome(await signedToken(payload({ filler: filler(tokenLengthMax / 2) }), key)), "good");
  assert.equal(await outcome(await signedToken(payload(), key, { filler: filler(tokenHeaderLengthMax) })), "none");
  assert.equal(await outcome(await signedToken(payload(), key, { filler: filler(tokenHeaderLengthMax / 2) })), "good");
  const deep = `{"iss":${JSON.stringify(issuer)},"a":${"[".repeat(20_000)}${"]".repeat(20_000)}}`;
  assert.equal(await outcome(`${segment({ alg: "RS256", kid: key.id })}.${segment(deep)}.eA`), "none");
  const many = await signedToken(payload({ aud: Array.from({ length: 5_000 }, (_, at) => `audience-${at}`) }), key);
  assert.ok((await verifier()(many))?.audiences.length === 5_000);
});

test("tokenVerifier() rejects signed text that two readers could read differently", async () => {
  const key = await testKey, whole = JSON.stringify(payload()), members = whole.slice(1, -1);
  const signed = async (text: string, header = JSON.stringify({ alg: "RS256", kid: key.id })) => {
    const input = `${segment(header)}.${segment(text)}`;
    const bytes = new Uint8Array(await crypto.subtle.sign("RSASSA-PKCS1-v1_5", key.privateKey, new TextEncoder().encode(input)));
    return `${input}.${base64Of(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
  };
  assert.equal(await outcome(await signed(whole)), "good");
  for (
    const text of [
      `\ufeff${whole}`,
      `{${members},"sub":"x"}`,
      `{${members},"x":{"a":1,"a":1}}`,
      `{${members},"exp":1e400}`,
      `{${members},"Exp":1}`,
    ]
  ) {
    assert.notEqual(await outcome(await signed(text)), "good", text);
  }
  for (const head of [`{"alg":"none","alg":"RS256","kid":"${key.id}"}`, `\ufeff{"alg":"RS256","kid":"${key.id}"}`]) {
    assert.notEqual(await outcome(await signed(whole, head)), "good", head);
  }
});

test("tokenVerifier() rejects signed claims of other types than it writes", async () => {
  const key = await testKey;
  const wrong = [{ sub: 1 }, { aud: [1] }, { aud: null }, { aud: {} }, { exp: "1" }, { nbf: true }, { jti: [] }, { "kubernetes.io": [] }, {
    "kubernetes.io": { serviceaccount: { name: {} } },
  }];
  for (const more of wrong) {
    assert.equal(await outcome(await signedToken(payload(more), key)), "service account token claims could not be validated");
  }
});

test("tokenVerifier() caches valid tokens by their hash, a bounded number of them, and none of removed keys", async () => {
  const key = await testKey, token = await signedToken(payload(), key), seen: string[] = [];
  let keys = keySet(key, []);
  const verify = tokenVerifier({
    keys: async () => keys,
    issuers: () => [issuer],
    hash: (text) => `${seen.push(text)}`.slice(0, 0) + "h",
    isCertificate,
  });
  const first = await verify(token);
  assert.equal(await verify(token), first, "the same hash gives the same claims");
  keys = keySet(await signingKey(await newSigningKey()), []);
  assert.equal(await outcome(token, verify), "invalid signature, no keys found");
  keys = keySet(key, []);
  assert.notEqual(await verify(token), first);
  assert.equal(seen.length, 4);
});
