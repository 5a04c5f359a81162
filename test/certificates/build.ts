/** Builds certificates from descriptions, malformed ones too: each part may be given as bytes. */
import { createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";
import { der, derOid, derTag, derTime } from "../../protocols/x509/der.ts";

/** The time of verification of the corpus. */
export const now = Date.UTC(2026, 0, 1);

export const text = (value: string): Uint8Array => new TextEncoder().encode(value);
export const hex = (digits: string): Uint8Array => new Uint8Array(Buffer.from(digits.replaceAll(" ", ""), "hex"));
export const seq = (...parts: Uint8Array[]): Uint8Array => der(derTag.sequence, ...parts);
export const oid = derOid;
export const integer = (...bytes: number[]): Uint8Array => der(derTag.integer, Uint8Array.from(bytes));
export const bits = (bytes: Uint8Array, unused = 0): Uint8Array => der(derTag.bitString, Uint8Array.of(unused), bytes);
export const octets = (...parts: Uint8Array[]): Uint8Array => der(derTag.octetString, ...parts);
export const yes: Uint8Array = hex("0101ff");
export const nothing: Uint8Array = new Uint8Array();
export const nullValue: Uint8Array = hex("0500");

/** One attribute in a set of its own. */
export const attribute = (type: string, value: Uint8Array): Uint8Array => der(derTag.set, seq(oid(type), value));
export const utf8 = (value: string): Uint8Array => der(derTag.utf8String, text(value));
export const name = (commonName: string, ...organizations: string[]): Uint8Array =>
  seq(...organizations.map((one) => attribute("2.5.4.10", utf8(one))), attribute("2.5.4.3", utf8(commonName)));

export const extension = (type: string, value: Uint8Array, critical: Uint8Array = nothing): Uint8Array =>
  seq(oid(type), critical, octets(value));
export const basicConstraints = (isCa: boolean, pathLength?: number): Uint8Array =>
  extension("2.5.29.19", seq(isCa ? yes : nothing, pathLength === undefined ? nothing : integer(pathLength)), yes);
export const keyUsage = (...bytes: number[]): Uint8Array => extension("2.5.29.15", der(derTag.bitString, Uint8Array.from(bytes)), yes);
export const extendedKeyUsage = (...usages: string[]): Uint8Array => extension("2.5.29.37", seq(...usages.map(oid)));
export const alternativeNames = (...names: Uint8Array[]): Uint8Array => extension("2.5.29.17", seq(...names));
export const usage = Object.freeze({
  client: "1.3.6.1.5.5.7.3.2",
  server: "1.3.6.1.5.5.7.3.1",
  any: "2.5.29.37.0",
  email: "1.3.6.1.5.5.7.3.4",
});
export const generalName = (tag: number, value: string | Uint8Array): Uint8Array =>
  der(0x80 | tag, typeof value === "string" ? text(value) : value);
/** A list of GeneralNames as permitted or excluded subtrees. */
export const constraints = (permitted: Uint8Array[], excluded: Uint8Array[] = []): Uint8Array => {
  const list = (tag: number, names: Uint8Array[]) => names.length === 0 ? nothing : der(tag, ...names.map((one) => seq(one)));
  return extension("2.5.29.30", seq(list(0xa0, permitted), list(0xa1, excluded)), yes);
};

export interface Algorithm {
  readonly identifier: Uint8Array;
  readonly hash: string | undefined;
  readonly saltLength?: number;
}
const rsaWith = (arc: number, hash: string): Algorithm => ({ identifier: seq(oid(`1.2.840.113549.1.1.${arc}`), nullValue), hash });
const ecdsaWith = (arcs: string, hash: string): Algorithm => ({ identifier: seq(oid(`1.2.840.10045.4.${arcs}`)), hash });
const hashIdentifier = (arc: number, parameters: Uint8Array): Uint8Array => seq(oid(`2.16.840.1.101.3.4.2.${arc}`), parameters);
export const pss = (
  { hash = 1, mask = hash, salt = 32, saltLength = salt, parameters = nullValue, digest = "sha256" }: {
    hash?: number;
    mask?: number;
    salt?: number;
    saltLength?: number;
    parameters?: Uint8Array;
    digest?: string;
  } = {},
): Algorithm => ({
  identifier: seq(
    oid("1.2.840.113549.1.1.10"),
    seq(
      der(0xa0, hashIdentifier(hash, parameters)),
      der(0xa1, seq(oid("1.2.840.113549.1.1.8"), hashIdentifier(mask, parameters))),
      der(0xa2, integer(salt)),
    ),
  ),
  hash: digest,
  saltLength,
});
export const algorithms = Object.freeze({
  ed25519: { identifier: seq(oid("1.3.101.112")), hash: undefined } as Algorithm,
  md5WithRsa: rsaWith(4, "md5"),
  sha1WithRsa: rsaWith(5, "sha1"),
  sha256WithRsa: rsaWith(11, "sha256"),
  sha384WithRsa: rsaWith(12, "sha384"),
  sha512WithRsa: rsaWith(13, "sha512"),
  ecdsaWithSha1: ecdsaWith("1", "sha1"),
  ecdsaWithSha256: ecdsaWith("3.2", "sha256"),
  ecdsaWithSha384: ecdsaWith("3.3", "sha384"),
  ecdsaWithSha512: ecdsaWith("3.4", "sha512"),
});

export class Key {
  readonly private: KeyObject;
  /** SubjectPublicKeyInfo. */
  readonly info: Uint8Array;
  readonly algorithm: Algorithm;
  constructor(pem: string) {
    this.private = createPrivateKey(pem);
    this.info = new Uint8Array(createPublicKey(pem).export({ type: "spki", format: "der" }));
    const type = this.private.asymmetricKeyType;
    this.algorithm = type === "rsa" ? algorithms.sha256WithRsa : type === "ec" ? algorithms.ecdsaWithSha256 : algorithms.ed25519;
  }
  sign(algorithm: Algorithm, bytes: Uint8Array): Uint8Array {
    const key = algorithm.saltLength === undefined
      ? this.private
      : { key: this.private, padding: 6, /* RSA_PKCS1_PSS_PADDING */ saltLength: algorithm.saltLength };
    return new Uint8Array(sign(algorithm.hash ?? null, bytes, key));
  }
}

/** The parts of a certificate. Every part has a valid default. */
export interface Description {
  readonly subject: Uint8Array;
  readonly issuer: Uint8Array;
  readonly key: Key;
  readonly signer: Key;
  readonly version?: Uint8Array;
  readonly serial?: Uint8Array;
  readonly algorithm?: Algorithm;
  /** The algorithm in the signed part, if it differs. */
  readonly inner?: Uint8Array;
  readonly outer?: Uint8Array;
  readonly validity?: Uint8Array;
  readonly info?: Uint8Array;
  readonly uniqueIds?: Uint8Array;
  readonly extensions?: readonly Uint8Array[];
  /** The whole field of extensions. */
  readonly block?: Uint8Array;
  /** After the extensions, and after the signature. */
  readonly tbsTail?: Uint8Array;
  readonly tail?: Uint8Array;
  readonly changeTbs?: (tbs: Uint8Array) => Uint8Array;
  readonly changeSignature?: (signature: Uint8Array) => Uint8Array;
  /** The whole signature field. */
  readonly signature?: (signature: Uint8Array) => Uint8Array;
}
export const version = (number: number): Uint8Array => der(0xa0, integer(number));
export const dates = (notBefore: number, notAfter: number): Uint8Array => seq(derTime(notBefore), derTime(notAfter));
export const always: Uint8Array = dates(Date.UTC(2020, 0, 1), Date.UTC(2040, 0, 1));

export function build(one: Description): Uint8Array {
  const algorithm = one.algorithm ?? one.signer.algorithm;
  const extensions = one.extensions ?? [];
  const plain = seq(
    one.version ?? version(2),
    one.serial ?? integer(1),
    one.inner ?? algorithm.identifier,
    one.issuer,
    one.validity ?? always,
    one.subject,
    one.info ?? one.key.info,
    one.uniqueIds ?? nothing,
    one.block ?? (extensions.length === 0 ? nothing : der(0xa3, seq(...extensions))),
    one.tbsTail ?? nothing,
  );
  const tbs = one.changeTbs?.(plain) ?? plain;
  const signature = one.signer.sign(algorithm, tbs);
  const field = one.signature?.(signature) ?? bits(one.changeSignature?.(signature) ?? signature);
  return seq(tbs, one.outer ?? algorithm.identifier, field, one.tail ?? nothing);
}
