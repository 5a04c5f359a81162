/** Keys that sign and verify tokens of service accounts. */
import type { PartKey } from "../../../core/part.ts";
import { base64Of } from "../../../core/scalars/base64.ts";

/** Each key has exactly one algorithm, determined by its type: a token's header cannot select another. */
export type TokenAlgorithm = "RS256" | "ES256" | "ES384" | "ES512";

/** A public key in the form of the server's key set (RFC 7517). Members are in upstream's order. */
export interface PublishedKey {
  readonly use: "sig";
  readonly kty: string;
  readonly kid: string;
  readonly crv?: string;
  readonly alg: TokenAlgorithm;
  readonly x?: string;
  readonly y?: string;
  readonly n?: string;
  readonly e?: string;
}

export interface VerifyingKey {
  /** The `kid` of tokens: SHA-256 of the SubjectPublicKeyInfo, in base64url, as upstream. */
  readonly id: string;
  readonly algorithm: TokenAlgorithm;
  readonly key: CryptoKey;
  readonly published: PublishedKey;
}
export interface SigningKey extends VerifyingKey {
  readonly privateKey: CryptoKey;
}

/** The active keys. */
export interface KeySet {
  readonly signing: SigningKey;
  /** Keys that verify tokens, including that of `signing`, without duplicates. */
  readonly verifying: readonly VerifyingKey[];
}

/** Bits below which an RSA key is rejected (RFC 7518, 3.3). */
const rsaBitsMin = 2048;

type Parameters = RsaHashedImportParams | EcKeyImportParams;
const kinds: readonly (readonly [TokenAlgorithm, Parameters])[] = [
  ["RS256", { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" }],
  ["ES256", { name: "ECDSA", namedCurve: "P-256" }],
  ["ES384", { name: "ECDSA", namedCurve: "P-384" }],
  ["ES512", { name: "ECDSA", namedCurve: "P-521" }],
];

/** Rejects for a key of an unsupported type, or a short key. */
export async function verifyingKey({ spki }: PartKey): Promise<VerifyingKey> {
  const { algorithm, key } = await imported("spki", spki, "verify");
  return await described(spki, algorithm, key);
}

/** Rejects like `verifyingKey`, and for a private key that does not belong to the public one. */
export async function signingKey({ spki, pkcs8 }: PartKey): Promise<SigningKey> {
  if (pkcs8 === undefined) throw new Error("the key is not a private key");
  const verifying = await verifyingKey({ spki });
  const { key: privateKey } = await imported("pkcs8", pkcs8, "sign");
  return { ...verifying, privateKey };
}

/** A new key for RS256, which every client supports, with 2048 bits as upstream's tools generate. */
export async function newSigningKey(): Promise<Required<PartKey>> {
  const parameters = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256", modulusLength: rsaBitsMin, publicExponent: Uint8Array.of(1, 0, 1) };
  const { privateKey, publicKey } = await crypto.subtle.generateKey(parameters, true, ["sign", "verify"]);
  const [pkcs8, spki] = await Promise.all([crypto.subtle.exportKey("pkcs8", privateKey), crypto.subtle.exportKey("spki", publicKey)]);
  return { pkcs8: new Uint8Array(pkcs8), spki: new Uint8Array(spki) };
}

/** The keys without duplicates. The signing key is always among those that verify. */
export function keySet(signing: SigningKey, others: readonly VerifyingKey[]): KeySet {
  const { privateKey: _, ...own } = signing;
  const all = [own, ...others];
  return { signing, verifying: all.filter(({ id }, at) => all.findIndex((each) => each.id === id) === at) };
}

async function imported(
  format: "spki" | "pkcs8",
  bytes: Uint8Array<ArrayBuffer>,
  usage: "sign" | "verify",
): Promise<{ readonly algorithm: TokenAlgorithm; readonly key: CryptoKey }> {
  for (const [algorithm, parameters] of kinds) {
    const key = await crypto.subtle.importKey(format, bytes, parameters, true, [usage]).catch(() => undefined); // Of another type.
    if (key === undefined) continue;
    const { modulusLength = rsaBitsMin } = key.algorithm as Partial<RsaHashedKeyAlgorithm>; // Only RSA keys have it.
    if (modulusLength < rsaBitsMin) throw new Error(`the RSA key has ${modulusLength} bits, at least ${rsaBitsMin} are required`);
    return { algorithm, key };
  }
  throw new Error("the key is of an unsupported type: RSA keys and ECDSA keys on the curves P-256, P-384 and P-521 are supported");
}

async function described(spki: Uint8Array<ArrayBuffer>, algorithm: TokenAlgorithm, key: CryptoKey): Promise<VerifyingKey> {
  const id = base64url(new Uint8Array(await crypto.subtle.digest("SHA-256", spki)));
  const { kty = "", crv, x, y, n, e } = await crypto.subtle.exportKey("jwk", key);
  const members = Object.entries({ use: "sig", kty, kid: id, crv, alg: algorithm, x, y, n, e }).filter(([, value]) => value !== undefined);
  return { id, algorithm, key, published: Object.fromEntries(members) as unknown as PublishedKey }; // Members with a value.
}

function base64url(bytes: Uint8Array): string {
  return base64Of(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
