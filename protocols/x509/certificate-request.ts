/** Parses a certificate request (PKCS #10, RFC 2986) with the checks of Go's crypto/x509, and verifies its signature. */
import { type AlternativeNames, readAlternativeNames } from "./alternative-names.ts";
import { derTag } from "./der.ts";
import { DerReader } from "./der-reader.ts";
import { type PublicKey, readPublicKey } from "./public-key.ts";
import { readName } from "./read-name.ts";
import { isSignedBy, readRequestAlgorithm, type SignatureAlgorithm } from "./signature.ts";

export interface CertificateRequest {
  /** The signed bytes. */
  readonly signed: Uint8Array;
  readonly signature: Uint8Array;
  readonly signatureAlgorithm: SignatureAlgorithm | undefined;
  /** Dotted type and text of each attribute of the subject. */
  readonly subjectAttributes: readonly (readonly [oid: string, value: string])[];
  /** Undefined for an unknown algorithm. */
  readonly publicKey: PublicKey | undefined;
  /** The subject, as DER. */
  readonly subject: Uint8Array;
  /** The public key with its algorithm, as DER. */
  readonly publicKeyInfo: Uint8Array;
  /** The requested alternative names, and the value of their extension, as DER. Undefined if none are requested. */
  readonly alternative: { readonly names: AlternativeNames; readonly bytes: Uint8Array } | undefined;
}

const extensionRequest = "1.2.840.113549.1.9.14", alternativeNames = "2.5.29.17";
/** The tag of the attributes, which may be empty but not absent. */
const attributesTag = 0xa0;

/** Throws for bytes that are not exactly one request. */
export function parseCertificateRequest(bytes: Uint8Array): CertificateRequest {
  const input = new DerReader(bytes), outer = input.inside();
  if (!input.empty) throw new Error("asn1: syntax error: trailing data");
  const signed = outer.value(derTag.sequence), parts = new DerReader(signed.content);
  parts.integer();
  const subject = parts.value(derTag.sequence).whole;
  const publicKeyInfo = parts.value(derTag.sequence).whole, publicKey = readPublicKey(publicKeyInfo);
  const attributes = parts.inside(attributesTag);
  const algorithm = outer.value(derTag.sequence).content, signature = outer.bits();
  const subjectAttributes = readName(subject, "ignored");
  const alternative = readExtensions(attributes), signatureAlgorithm = readRequestAlgorithm(algorithm);
  return { signed: signed.whole, signature, signatureAlgorithm, subjectAttributes, publicKey, subject, publicKeyInfo, alternative };
}

/** Reads the requested extensions: none may be there twice, and alternative names must be well-formed. Other attributes are ignored. */
function readExtensions(attributes: DerReader): CertificateRequest["alternative"] {
  const seen = new Set<string>();
  let alternative: CertificateRequest["alternative"];
  while (!attributes.empty) {
    const requested = extensionsOf(attributes.any().whole);
    if (requested === undefined) continue;
    for (const list = new DerReader(requested).inside(); !list.empty;) {
      const one = list.inside(), oid = one.oid();
      if (one.tag === derTag.boolean) one.boolean();
      const value = one.value(derTag.octetString).content;
      if (seen.has(oid)) throw new Error("x509: certificate request contains duplicate requested extensions");
      seen.add(oid);
      if (oid === alternativeNames) alternative = { names: readAlternativeNames(value), bytes: value };
    }
  }
  return alternative;
}

/** Returns the first value of an attribute of extensions; undefined for other and for malformed attributes. */
function extensionsOf(attribute: Uint8Array): Uint8Array | undefined {
  try {
    const parts = new DerReader(attribute).inside();
    return parts.oid() === extensionRequest ? parts.inside(derTag.set).any().whole : undefined;
  } catch {
    return undefined;
  }
}

/** Why the signature of a request is not by its own key, in Go's words; undefined if it is. */
export function signatureProblem(request: CertificateRequest): string | undefined {
  const { publicKey: key, signatureAlgorithm: algorithm, signed, signature } = request;
  const unsupported = "x509: cannot verify signature: algorithm unimplemented";
  if (algorithm === undefined) return unsupported;
  if (algorithm.hash === "md5") return "x509: cannot verify signature: insecure algorithm MD5-RSA";
  if (key === undefined || key.kind === "dsa") return unsupported;
  if (key.kind !== algorithm.key) {
    const article = algorithm.key === "rsa" ? "an RSA" : `an ${goNames[algorithm.key]}`;
    return `x509: signature algorithm specifies ${article} public key, but have public key of type ${goTypes[key.kind]}`;
  }
  if (isSignedBy(algorithm, signed, signature, key)) return undefined;
  return key.kind === "rsa" ? "crypto/rsa: verification error" : `x509: ${goNames[key.kind]} verification failure`;
}
const goNames = Object.freeze({ rsa: "RSA", ecdsa: "ECDSA", ed25519: "Ed25519" });
const goTypes = Object.freeze({ rsa: "*rsa.PublicKey", ecdsa: "*ecdsa.PublicKey", ed25519: "ed25519.PublicKey" });
