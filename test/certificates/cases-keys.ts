/** Certificates that differ in their keys and signatures. */
import { type Algorithm, algorithms, bits, hex, integer, nullValue, oid, pss, seq } from "./build.ts";
import { authority, type Case, key, leaf, one } from "./describe.ts";
import { der } from "../../protocols/x509/der.ts";

/** A leaf that an authority of this key signed. */
const signedBy = (name: string, of: string, algorithm?: Algorithm, change?: (signature: Uint8Array) => Uint8Array): Case => ({
  name,
  roots: [authority({ key: key(of) })],
  chain: [
    leaf({
      signer: key(of),
      ...(algorithm === undefined ? {} : { algorithm }),
      ...(change === undefined ? {} : { changeSignature: change }),
    }),
  ],
});
/** An RSA key from its numbers, given as the bytes of integers. */
const rsaInfo = (modulus: Uint8Array, exponent: Uint8Array, parameters = nullValue): Uint8Array =>
  seq(seq(oid("1.2.840.113549.1.1.1"), parameters), bits(seq(der(2, modulus), der(2, exponent))));
const ecInfo = (curve: Uint8Array, point: Uint8Array): Uint8Array => seq(seq(oid("1.2.840.10045.2.1"), curve), bits(point));
const p256 = oid("1.2.840.10045.3.1.7");
const point = key("p256").info.slice(-65);
const modulus = Uint8Array.from([0, 0xc1, ...new Array<number>(254).fill(7), 1]);

/** Two numbers in the form of an ECDSA signature, with its parts written in another way. */
const respell = (change: (r: Uint8Array, s: Uint8Array) => Uint8Array) => (signature: Uint8Array): Uint8Array => {
  const r = signature.subarray(4, 4 + signature[3]!), s = signature.subarray(6 + signature[3]!);
  return change(r, s);
};

export const keyCases: readonly Case[] = [
  signedBy("signature: RSA 2048 with SHA-256", "rsa2048"),
  signedBy("signature: RSA 2048 with SHA-384", "rsa2048", algorithms.sha384WithRsa),
  signedBy("signature: RSA 2048 with SHA-512", "rsa2048", algorithms.sha512WithRsa),
  signedBy("signature: RSA 2048 with SHA-1", "rsa2048", algorithms.sha1WithRsa),
  signedBy("signature: RSA 2048 with MD5", "rsa2048", algorithms.md5WithRsa),
  signedBy("signature: RSA 2048 with SHA-1 by ISO", "rsa2048", { identifier: seq(oid("1.3.14.3.2.29"), nullValue), hash: "sha1" }),
  signedBy("signature: RSA 2048 with SHA-224", "rsa2048", { identifier: seq(oid("1.2.840.113549.1.1.14"), nullValue), hash: "sha224" }),
  signedBy("signature: RSA without parameters", "rsa2048", { identifier: seq(oid("1.2.840.113549.1.1.11")), hash: "sha256" }),
  signedBy("signature: RSA with other parameters", "rsa2048", {
    identifier: seq(oid("1.2.840.113549.1.1.11"), integer(1)),
    hash: "sha256",
  }),
  signedBy("signature: RSA 512", "rsa512"),
  signedBy("signature: RSA 1016", "rsa1016"),
  signedBy("signature: RSA 1024", "rsa1024"),
  signedBy("signature: RSA 1024 with exponent 3", "rsa1024e3"),
  signedBy("signature: RSA 3072", "rsa3072"),
  signedBy("signature: RSA-PSS with SHA-256", "rsa2048", pss()),
  signedBy("signature: RSA-PSS with SHA-384", "rsa2048", pss({ hash: 2, salt: 48, digest: "sha384" })),
  signedBy("signature: RSA-PSS with SHA-512", "rsa2048", pss({ hash: 3, salt: 64, digest: "sha512" })),
  signedBy("signature: RSA-PSS without parameters of hashes", "rsa2048", pss({ parameters: hex("") })),
  signedBy("signature: RSA-PSS with another mask hash", "rsa2048", pss({ mask: 2 })),
  signedBy("signature: RSA-PSS with a short salt", "rsa2048", pss({ salt: 20 })),
  signedBy("signature: RSA-PSS with another salt than stated", "rsa2048", pss({ salt: 32, saltLength: 20 })),
  signedBy("signature: RSA-PSS without parameters", "rsa2048", { ...pss(), identifier: seq(oid("1.2.840.113549.1.1.10")) }),
  signedBy("signature: RSA by a key for another algorithm", "root", {
    ...algorithms.ed25519,
    identifier: algorithms.sha256WithRsa.identifier,
  }),
  signedBy("signature: P-224 with SHA-256", "p224"),
  signedBy("signature: P-256 with SHA-256", "p256"),
  signedBy("signature: P-256 with SHA-384", "p256", algorithms.ecdsaWithSha384),
  signedBy("signature: P-256 with SHA-512", "p256", algorithms.ecdsaWithSha512),
  signedBy("signature: P-256 with SHA-1", "p256", algorithms.ecdsaWithSha1),
  signedBy("signature: P-384 with SHA-384", "p384", algorithms.ecdsaWithSha384),
  signedBy("signature: P-384 with SHA-256", "p384"),
  signedBy("signature: P-521 with SHA-512", "p521", algorithms.ecdsaWithSha512),
  signedBy("signature: P-521 with SHA-384", "p521", algorithms.ecdsaWithSha384),
  signedBy("signature: P-521 with SHA-256", "p521"),
  signedBy("signature: ECDSA with NULL parameters", "p256", { identifier: seq(oid("1.2.840.10045.4.3.2"), nullValue), hash: "sha256" }),
  signedBy(
    "signature: ECDSA with a number that is not minimal",
    "p256",
    undefined,
    respell((r, s) => seq(der(2, hex("00"), r), der(2, s))),
  ),
  signedBy("signature: ECDSA with a third number", "p256", undefined, respell((r, s) => seq(der(2, r), der(2, s), integer(1)))),
  signedBy("signature: ECDSA with trailing data", "p256", undefined, (bytes) => Uint8Array.from([...bytes, 0])),
  signedBy("signature: ECDSA of zeros", "p256", undefined, () => seq(integer(0), integer(0))),
  signedBy(
    "signature: ECDSA with a length that is not minimal",
    "p256",
    undefined,
    respell((r, s) => {
      const content = Uint8Array.from([...der(2, r), ...der(2, s)]);
      return Uint8Array.from([0x30, 0x81, content.length, ...content]);
    }),
  ),
  signedBy("signature: Ed25519", "root"),

  ...["rsa512", "rsa1016", "rsa1024", "rsa1024e3", "rsa2048", "rsa8200", "p224", "p256", "p384", "p521", "ed448"].map((of) =>
    one(`key: ${of}`, { key: key(of) })
  ),
  one("key: secp256k1", { info: key("secp256k1").info }),
  one("key: RSA without parameters", { info: rsaInfo(modulus, hex("010001"), hex("")) }),
  one("key: RSA with other parameters", { info: rsaInfo(modulus, hex("010001"), integer(1)) }),
  one("key: RSA with a negative modulus", { info: rsaInfo(modulus.slice(1), hex("010001")) }),
  one("key: RSA with a modulus that is not minimal", { info: rsaInfo(Uint8Array.from([0, ...modulus]), hex("010001")) }),
  one("key: RSA with exponent 0", { info: rsaInfo(modulus, hex("00")) }),
  one("key: RSA with a negative exponent", { info: rsaInfo(modulus, hex("ff")) }),
  one("key: RSA with exponent 1", { info: rsaInfo(modulus, hex("01")) }),
  one("key: RSA with an even exponent", { info: rsaInfo(modulus, hex("010000")) }),
  one("key: RSA with an exponent of 31 bits", { info: rsaInfo(modulus, hex("7fffffff")) }),
  one("key: RSA with an exponent of 32 bits", { info: rsaInfo(modulus, hex("0080000001")) }),
  one("key: RSA with an exponent of 9 bytes", { info: rsaInfo(modulus, hex("010000000000000001")) }),
  one("key: RSA with an even modulus", { info: rsaInfo(Uint8Array.from([...modulus.slice(0, -1), 2]), hex("010001")) }),
  one("key: P-256, compressed", { info: ecInfo(p256, Uint8Array.from([2 | (point[64]! & 1), ...point.subarray(1, 33)])) }),
  one("key: P-256, at infinity", { info: ecInfo(p256, hex("00")) }),
  one("key: P-256, off the curve", { info: ecInfo(p256, Uint8Array.from([...point.subarray(0, 64), point[64]! ^ 1])) }),
  one("key: P-256, hybrid", { info: ecInfo(p256, Uint8Array.from([6 | (point[64]! & 1), ...point.subarray(1)])) }),
  one("key: P-256 without a curve", { info: ecInfo(hex(""), point) }),
  one("key: P-256 with an implicit curve", { info: ecInfo(nullValue, point) }),
  one("key: P-384 named, P-256 given", { info: ecInfo(oid("1.3.132.0.34"), point) }),
  one("key: Ed25519 with NULL parameters", { info: seq(seq(oid("1.3.101.112"), nullValue), bits(hex("11".repeat(32)))) }),
  one("key: Ed25519 of 31 bytes", { info: seq(seq(oid("1.3.101.112")), bits(hex("11".repeat(31)))) }),
  one("key: X25519", { info: seq(seq(oid("1.3.101.110")), bits(hex("11".repeat(32)))) }),
  one("key: unknown algorithm", { info: seq(seq(oid("1.2.3.4")), bits(hex("11"))) }),
  one("key: DSA", { info: seq(seq(oid("1.2.840.10040.4.1"), seq(integer(7), integer(3), integer(2))), bits(integer(4))) }),
  one("key: DSA with a zero", { info: seq(seq(oid("1.2.840.10040.4.1"), seq(integer(7), integer(3), integer(0))), bits(integer(4))) }),
  one("key: trailing data in the info", { info: seq(seq(oid("1.3.101.112")), bits(hex("11".repeat(32))), nullValue) }),
  { name: "authority: unknown key", roots: [authority({ info: seq(seq(oid("1.2.3.4")), bits(hex("11"))) })], chain: [leaf()] },
];
