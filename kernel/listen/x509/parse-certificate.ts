/** Reads a certificate (RFC 5280, 4.1) from its bytes. The runtimes' own parsers differ from each other and accept encodings that are
 *  not DER; this one accepts what Go's crypto/x509 does. */
import { derTag } from "../der.ts";
import { DerReader, isNegative } from "./der-reader.ts";
import { type Extensions, readExtensions } from "./extensions.ts";
import { type PublicKey, readPublicKey } from "./public-key.ts";
import { readName } from "./read-name.ts";
import { readSignatureAlgorithm, type SignatureAlgorithm } from "./signature.ts";

export interface Certificate {
  /** The whole of it. */
  readonly bytes: Uint8Array;
  /** The bytes that are signed. */
  readonly signed: Uint8Array;
  readonly signature: Uint8Array;
  readonly signatureAlgorithm: SignatureAlgorithm | undefined;
  /** 1, 2 or 3; only version 3 has extensions. */
  readonly version: number;
  /** Names as they are encoded: two names are equal when their bytes are. */
  readonly issuer: Uint8Array;
  readonly subject: Uint8Array;
  readonly subjectAttributes: readonly (readonly [oid: string, value: string])[];
  /** Milliseconds since the epoch. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** SubjectPublicKeyInfo as it is encoded. */
  readonly publicKeyInfo: Uint8Array;
  /** Undefined where its algorithm is not understood. */
  readonly publicKey: PublicKey | undefined;
  readonly extensions: Extensions;
}

/** An Error for bytes that are no certificate, or not only one. */
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
  readName(issuer); // must be well formed, too
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
  // Unique identifiers of issuer and subject are passed over.
  if (version > 1) { for (const tag of [0x81, 0x82]) tbs.optional(tag); }
  const block = version === 3 ? tbs.optional(0xa3) : undefined;
  return block === undefined ? { unknownCritical: [] } : readExtensions(new DerReader(block.content).inside());
}
