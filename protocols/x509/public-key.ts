/** Reads the public key of a certificate, with the checks of Go's crypto/x509. */
import { createPublicKey, type KeyObject } from "node:crypto";
import { der, derTag } from "./der.ts";
import { bigInteger, DerReader, isPositive } from "./der-reader.ts";

export type PublicKey =
  | { readonly kind: "rsa"; readonly bits: number; readonly exponent: bigint; readonly modulusIsOdd: boolean; load(): KeyObject }
  | { readonly kind: "ecdsa"; readonly curve: string; load(): KeyObject }
  | { readonly kind: "ed25519"; load(): KeyObject }
  /** Parsed, but no signature by it is accepted. */
  | { readonly kind: "dsa" };

const algorithms = Object.freeze({
  rsa: "1.2.840.113549.1.1.1",
  ecdsa: "1.2.840.10045.2.1",
  ed25519: "1.3.101.112",
  dsa: "1.2.840.10040.4.1",
});

/** Returns the key of a SubjectPublicKeyInfo; undefined for an unknown algorithm. Throws for a malformed key of a known one. */
export function readPublicKey(info: Uint8Array): PublicKey | undefined {
  const parts = new DerReader(info).inside();
  const algorithm = parts.value(derTag.sequence);
  const fields = new DerReader(algorithm.content);
  const oid = fields.oid();
  const parameters = fields.empty ? new Uint8Array() : fields.any().whole;
  const data = parts.bits();
  // Encoded again, so that every runtime reads the same bytes, without trailing data.
  let loaded: KeyObject | undefined;
  const load = () => {
    if (loaded !== undefined) return loaded;
    const clean = der(derTag.sequence, algorithm.whole, der(derTag.bitString, Uint8Array.of(0), data));
    return loaded = createPublicKey({ key: Buffer.from(clean), format: "der", type: "spki" });
  };
  if (oid === algorithms.rsa) return rsa(parameters, data, load);
  if (oid === algorithms.ecdsa) return ecdsa(parameters, data, load);
  if (oid === algorithms.ed25519) {
    if (parameters.length > 0 || data.length !== 32) throw new Error("malformed Ed25519 key");
    return { kind: "ed25519", load };
  }
  if (oid === algorithms.dsa) return dsa(parameters, data);
  return undefined;
}

function rsa(parameters: Uint8Array, data: Uint8Array, load: () => KeyObject): PublicKey {
  if (parameters.length !== 2 || parameters[0] !== derTag.null || parameters[1] !== 0) throw new Error("RSA key without NULL parameters");
  const parts = new DerReader(data).inside();
  const modulus = parts.integer(), exponent = parts.integer();
  if (!isPositive(modulus) || !isPositive(exponent) || exponent.length > 8) throw new Error("RSA key with a number out of range");
  const bits = bigInteger(modulus).toString(2).length;
  return { kind: "rsa", bits, exponent: bigInteger(exponent), modulusIsOdd: ((modulus.at(-1) ?? 0) & 1) === 1, load };
}

function dsa(parameters: Uint8Array, data: Uint8Array): PublicKey {
  const group = new DerReader(parameters).inside();
  const numbers = [new DerReader(data).integer(), group.integer(), group.integer(), group.integer()];
  if (!numbers.every(isPositive)) throw new Error("DSA key with a number out of range");
  return { kind: "dsa" };
}

interface Curve {
  /** Go's name. */
  readonly name: string;
  readonly bytes: number;
  readonly p: bigint;
  readonly b: bigint;
}
/** The curves of FIPS 186-4 over prime fields: y² = x³ - 3x + b modulo p. */
const curves: ReadonlyMap<string, Curve> = new Map([
  ["1.3.132.0.33", {
    name: "P-224",
    bytes: 28,
    p: 2n ** 224n - 2n ** 96n + 1n,
    b: 0xb4050a850c04b3abf54132565044b0b7d7bfd8ba270b39432355ffb4n,
  }],
  ["1.2.840.10045.3.1.7", {
    name: "P-256",
    bytes: 32,
    p: 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n,
    b: 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn,
  }],
  ["1.3.132.0.34", {
    name: "P-384",
    bytes: 48,
    p: 2n ** 384n - 2n ** 128n - 2n ** 96n + 2n ** 32n - 1n,
    b: 0xb3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aefn,
  }],
  ["1.3.132.0.35", {
    name: "P-521",
    bytes: 66,
    p: 2n ** 521n - 1n,
    b: 0x0051953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109e156193951ec7e937b1652c0bd3bb1bf073573df883d2c34f1ef451fd46b503f00n,
  }],
]);

/** Only named curves, and uncompressed points on them. */
function ecdsa(parameters: Uint8Array, data: Uint8Array, load: () => KeyObject): PublicKey {
  const curve = curves.get(new DerReader(parameters).oid());
  if (curve === undefined) throw new Error("unsupported elliptic curve");
  const { name, bytes, p, b } = curve;
  if (data.length !== 1 + 2 * bytes || data[0] !== 4) throw new Error("elliptic curve point that is not uncompressed");
  const x = bigInteger(data.subarray(1, 1 + bytes)), y = bigInteger(data.subarray(1 + bytes));
  if (x >= p || y >= p || (y * y - (x * x * x - 3n * x + b)) % p !== 0n) throw new Error("elliptic curve point that is not on its curve");
  return { kind: "ecdsa", curve: name, load };
}
