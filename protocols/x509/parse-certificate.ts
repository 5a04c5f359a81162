/** Parses a certificate (RFC 5280, section 4.1). The runtimes' parsers differ from each other and accept encodings that are not DER;
 *  this one accepts what Go's crypto/x509 does. */
import { derTag } from "./der.ts";
import { DerReader, isNegative } from "./der-reader.ts";
import { type Extensions, readExtensions } from "./extensions.ts";
import { type PublicKey, readPublicKey } from "./public-key.ts";
import { readName } from "./read-name.ts";
import { readSignatureAlgorithm, type SignatureAlgorithm } from "./signature.ts";

export interface Certificate {
  /** The whole certificate. */
  readonly bytes: Uint8Array;
  /** The signed bytes. */
  readonly signed: Uint8Array;
  readonly signature: Uint8Array;
  readonly signatureAlgorithm: SignatureAlgorithm | undefined;
  /** 1, 2 or 3; only version 3 has extensions. */
  readonly version: number;
  /** Encoded names: two names are equal if their bytes are. */
  readonly issuer: Uint8Array;
  readonly subject: Uint8Array;
  readonly subjectAttributes: readonly (readonly [oid: string, value: string])[];
  /** Milliseconds since the epoch. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** The encoded SubjectPublicKeyInfo. */
  readonly publicKeyInfo: Uint8Array;
  /** Undefined for an unknown algorithm. */
  readonly publicKey: PublicKey | undefined;
  readonly extensions: Extensions;
}

/** Throws for bytes that are not exactly one certificate. */
export function parseCertificate(bytes: Uint8Array): Certificate {
  const input = new DerReader(bytes);
  const outer = input.inside();
  if (!input.empty) throw new Error("trailing data after the certificate");
  const signed = outer.value(derTag.sequence);
  const tbs = new DerReader(signed.content);
  const version = readVersion(tbs);
  if (isNegative(tbs.integer())) throw new Error("negative serial number");
  const algorithm = tbs.value(derTag.sequence).content;
  if (Buffer.compare(algorithm, outer.value(derTag.sequence).content) !== 0) throw new Error("inner and outer signature algorithm differ");
  const signatureAlgorithm = readSignatureAlgorithm(algorithm);
  const issuer = tbs.value(derTag.sequence).whole;
  readName(issuer); // must be well-formed, too
  const validity = tbs.inside();
  const notBefore = validity.time(), notAfter = validity.time();
  const subject = tbs.value(derTag.sequence).whole;
  const subjectAttributes = readName(subject);
  const publicKeyInfo = tbs.value(derTag.sequence).whole;
  const publicKey = readPublicKey(publicKeyInfo);
  const extensions = extensionsOf(version, tbs);
  const signature = outer.bits();
  return {
    bytes,
    signed: signed.whole,
    signature,
    signatureAlgorithm,
    version,
    issuer,
    subject,
    subjectAttributes,
    notBefore,
    notAfter,
    publicKeyInfo,
    publicKey,
    extensions,
  };
}

function readVersion(tbs: DerReader): number {
  const field = tbs.optional(0xa0);
  if (field === undefined) return 1;
  const inner = new DerReader(field.content);
  const version = inner.count() + 1;
  if (!inner.empty || version > 3) throw new Error("unknown version");
  return version;
}

function extensionsOf(version: number, tbs: DerReader): Extensions {
  // The unique identifiers of issuer and subject are ignored.
  if (version > 1) { for (const tag of [0x81, 0x82]) tbs.optional(tag); }
  const block = version === 3 ? tbs.optional(0xa3) : undefined;
  return block === undefined ? { unknownCritical: [] } : readExtensions(new DerReader(block.content).inside());
}
