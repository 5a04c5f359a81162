/** Verifies the signature of one certificate with the key of another. MD5 and DSA are never accepted, SHA-1 only in certificate requests. */
import { constants, verify } from "node:crypto";
import { derTag } from "./der.ts";
import { DerReader, isPositive } from "./der-reader.ts";
import type { PublicKey } from "./public-key.ts";
import { bound } from "../../core/bound.ts";

/** Bits of the shortest RSA key whose signature counts (Go's crypto/rsa). */
const rsaKeyBitsMin = bound(1024);

/** The algorithm of a signature; undefined if it is not accepted. */
export interface SignatureAlgorithm {
  readonly key: "rsa" | "ecdsa" | "ed25519";
  readonly hash: Hash | "sha1" | "md5" | undefined;
  /** The length of the salt of RSA-PSS; undefined for PKCS #1 1.5. */
  readonly saltLength?: number;
}
type Hash = "sha256" | "sha384" | "sha512";

const plain: ReadonlyMap<string, SignatureAlgorithm> = new Map([
  ["1.2.840.113549.1.1.11", { key: "rsa", hash: "sha256" }],
  ["1.2.840.113549.1.1.12", { key: "rsa", hash: "sha384" }],
  ["1.2.840.113549.1.1.13", { key: "rsa", hash: "sha512" }],
  ["1.2.840.10045.4.3.2", { key: "ecdsa", hash: "sha256" }],
  ["1.2.840.10045.4.3.3", { key: "ecdsa", hash: "sha384" }],
  ["1.2.840.10045.4.3.4", { key: "ecdsa", hash: "sha512" }],
]);
/** Weak algorithms. Certificate requests may use SHA-1, because their signatures only prove that the sender has the key. */
const weak: ReadonlyMap<string, SignatureAlgorithm> = new Map([
  ["1.2.840.113549.1.1.4", { key: "rsa", hash: "md5" }],
  ["1.2.840.113549.1.1.5", { key: "rsa", hash: "sha1" }],
  ["1.3.14.3.2.29", { key: "rsa", hash: "sha1" }],
  ["1.2.840.10045.4.1", { key: "ecdsa", hash: "sha1" }],
]);
const pssOid = "1.2.840.113549.1.1.10";
const ed25519Oid = "1.3.101.112";
const mgf1Oid = "1.2.840.113549.1.1.8";
const hashes: ReadonlyMap<string, Hash> = new Map([
  ["2.16.840.1.101.3.4.2.1", "sha256"],
  ["2.16.840.1.101.3.4.2.2", "sha384"],
  ["2.16.840.1.101.3.4.2.3", "sha512"],
]);
const saltLengths: Readonly<Record<Hash, number>> = { sha256: 32, sha384: 48, sha512: 64 };

/** Reads the content of an AlgorithmIdentifier; throws if it is malformed. */
export function readSignatureAlgorithm(identifier: Uint8Array): SignatureAlgorithm | undefined {
  const fields = new DerReader(identifier);
  const oid = fields.oid();
  const parameters = fields.empty ? new Uint8Array() : fields.any().whole;
  if (oid === ed25519Oid) return parameters.length === 0 ? { key: "ed25519", hash: undefined } : undefined;
  return oid === pssOid ? pss(parameters) : plain.get(oid);
}

/** Returns the same for a certificate request, with the weak algorithms. */
export function readRequestAlgorithm(identifier: Uint8Array): SignatureAlgorithm | undefined {
  return readSignatureAlgorithm(identifier) ?? weak.get(new DerReader(identifier).oid());
}

/** RSA-PSS with one hash for message and mask, and a salt of its length (RFC 4055, 3.1). */
function pss(parameters: Uint8Array): SignatureAlgorithm | undefined {
  try {
    const parts = new DerReader(parameters).inside();
    const [hashOid, hashParameters] = algorithmOf(parts.inside(0xa0));
    const [maskOid, maskParameters] = algorithmOf(parts.inside(0xa1));
    const [maskHashOid, maskHashParameters] = algorithmOf(new DerReader(maskParameters));
    const salt = parts.inside(0xa2).count();
    const trailer = parts.tag === 0xa3 ? parts.inside(0xa3).count() : 1;
    const hash = hashes.get(hashOid);
    const sound = hash !== undefined && maskOid === mgf1Oid && maskHashOid === hashOid && isNull(hashParameters) &&
      isNull(maskHashParameters) && salt === saltLengths[hash] && trailer === 1;
    return sound ? { key: "rsa", hash, saltLength: saltLengths[hash] } : undefined;
  } catch {
    return undefined; // an algorithm that is not understood, not a malformed certificate: Go sees it so
  }
}
function algorithmOf(reader: DerReader): [oid: string, parameters: Uint8Array] {
  const fields = reader.inside();
  return [fields.oid(), fields.empty ? new Uint8Array() : fields.any().whole];
}
/** Absent or NULL. */
function isNull(parameters: Uint8Array): boolean {
  return parameters.length === 0 || (parameters.length === 2 && parameters[0] === derTag.null);
}

/** Whether `signature` over `signed` is by `key`. RSA keys must be of a size and exponent that Go accepts. */
export function isSignedBy(algorithm: SignatureAlgorithm | undefined, signed: Uint8Array, signature: Uint8Array, key: PublicKey): boolean {
  if (algorithm === undefined || algorithm.hash === "md5" || key.kind !== algorithm.key) return false;
  if (key.kind === "rsa" && !isStrongRsa(key)) return false;
  if (key.kind === "ecdsa" && !isEcdsaSignature(signature)) return false;
  try {
    const { saltLength } = algorithm;
    const options = saltLength === undefined ? {} : { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength };
    return verify(algorithm.hash ?? null, signed, { key: key.load(), ...options }, signature);
  } catch {
    return false; // a key that the runtime does not take
  }
}

/** Whether Go accepts signatures of such a key, in certificates and in handshakes. */
export function isStrongRsa({ bits, exponent, modulusIsOdd }: Extract<PublicKey, { kind: "rsa" }>): boolean {
  return bits >= rsaKeyBitsMin && modulusIsOdd && exponent >= 2n && exponent % 2n === 1n && exponent < 2n ** 31n;
}

/** Two positive numbers in strict DER, with nothing behind them. */
export function isEcdsaSignature(signature: Uint8Array): boolean {
  try {
    const outer = new DerReader(signature), pair = outer.inside();
    return isPositive(pair.integer()) && isPositive(pair.integer()) && pair.empty && outer.empty;
  } catch {
    return false;
  }
}
