/**
 * Checks that a certificate and a private key match. The texts are those of Go's `tls.X509KeyPair`, which upstream returns as warning.
 * The public keys of both files are compared, not computed: an EC private key without its public key (OpenSSL always writes it) and
 * an Ed25519 key are accepted unchecked.
 */
import { type Base64, bytesOf, parseBase64 } from "../../toolbox.ts";
import { Unreadable } from "../../core/scalars/unreadable.ts";
import { childrenOf, type Der, derTags, readDer } from "./der.ts";

/** The reason why the pair is unusable, in Go's text; undefined if it is usable. Both arguments are base64 of PEM. */
export function keyPairProblem(certificate: Base64, key: Base64): string | undefined {
  const blocks = pemBlocks(latin1(certificate));
  const first = blocks.find(({ type }) => type === "CERTIFICATE");
  if (first === undefined) return noCertificate(blocks.map(({ type }) => type));
  const keyBlocks = pemBlocks(latin1(key));
  const at = keyBlocks.findIndex(({ type }) => type === "PRIVATE KEY" || type.endsWith(" PRIVATE KEY"));
  if (at < 0) return noKey(keyBlocks.map(({ type }) => type));
  const ofCertificate = publicKeyOf(first.bytes);
  if (ofCertificate === undefined) return "x509: malformed certificate";
  const ofKey = publicPartOf(keyBlocks[at]!.bytes);
  if (ofKey === undefined) return "tls: failed to parse private key";
  if (ofCertificate.algorithm === "unknown") return "tls: unknown public key algorithm";
  if (ofKey.algorithm === "unknown") return "tls: found unknown private key type in PKCS#8 wrapping";
  if (ofKey.algorithm !== ofCertificate.algorithm) return "tls: private key type does not match public key type";
  if (ofKey.value !== undefined && ofKey.value !== ofCertificate.value) return "tls: private key does not match public key";
  return undefined;
}

function noCertificate(types: readonly string[]): string {
  if (types.length === 0) return "tls: failed to find any PEM data in certificate input";
  if (types.length === 1 && types[0]!.endsWith("PRIVATE KEY")) {
    return "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched";
  }
  const skipped = types.join(" ");
  return `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [${skipped}]`;
}
function noKey(types: readonly string[]): string {
  if (types.length === 0) return "tls: failed to find any PEM data in key input";
  if (types.length === 1 && types[0] === "CERTIFICATE") return "tls: found a certificate rather than a key in the PEM for the private key";
  const skipped = types.join(" ");
  return `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [${skipped}]`;
}

interface Block {
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** Reads the PEM blocks of a text in one pass. Invalid blocks are skipped. */
function pemBlocks(text: string): readonly Block[] {
  const blocks: Block[] = [];
  let end = -1;
  for (let begin = text.indexOf(beginMark); begin >= 0; begin = text.indexOf(beginMark, begin + 1)) {
    if (begin > 0 && text[begin - 1] !== "\n") continue;
    const typeStart = begin + beginMark.length;
    const typeEnd = text.indexOf(dashes, typeStart);
    const type = typeEnd < 0 ? "" : text.slice(typeStart, typeEnd);
    if (end < typeEnd) end = text.indexOf(endMark, typeEnd);
    if (typeEnd < 0 || end < 0) break;
    if (type.includes("\n") || !text.startsWith(`${type}${dashes}`, end + endMark.length)) continue;
    const lines = text.slice(typeEnd + dashes.length, end).split("\n");
    const base64 = parseBase64(lines.filter((line) => !line.includes(":")).map((line) => line.trim()).join(""));
    if (!(base64 instanceof Unreadable)) blocks.push({ type, bytes: bytesOf(base64) });
    begin = end;
  }
  return blocks;
}
const dashes = "-----", beginMark = "-----BEGIN ", endMark = "\n-----END ";

function latin1(base64: Base64): string {
  return new TextDecoder("latin1").decode(bytesOf(base64));
}

type Algorithm = "rsa" | "ec" | "ed25519" | "unknown";
interface PublicKey {
  readonly algorithm: Algorithm;
  /** RSA modulus or EC point, in hexadecimal; undefined if the file does not contain it. */
  readonly value: string | undefined;
}

const algorithms: ReadonlyMap<string, Algorithm> = new Map([["2a864886f70d010101", "rsa"], ["2a8648ce3d0201", "ec"], [
  "2b6570",
  "ed25519",
]]);

function publicKeyOf(certificate: Uint8Array): PublicKey | undefined {
  const fields = childrenOf(childrenOf(readDer(certificate)?.[0], derTags.sequence)[0], derTags.sequence);
  // The fields before the key: version (optional), serial number, signature, issuer, validity, subject.
  const [algorithm, key] = childrenOf(fields[fields[0]?.tag === derTags.first ? 6 : 5], derTags.sequence);
  const kind = algorithmOf(algorithm);
  if (kind === undefined || key?.tag !== derTags.bitString) return undefined;
  const bits = key.content.subarray(1);
  return { algorithm: kind, value: kind === "rsa" ? numberText(childrenOf(readDer(bits)?.[0], derTags.sequence)[0]) : hex(bits) };
}

/** The public key that a private key in PKCS #8, PKCS #1 or SEC 1 contains. */
function publicPartOf(key: Uint8Array): PublicKey | undefined {
  const [version, second, third] = childrenOf(readDer(key)?.[0], derTags.sequence);
  const algorithm = version?.tag === derTags.integer ? algorithmOf(second) : undefined;
  if (algorithm === undefined) return unwrappedPublicPartOf(key);
  if (third?.tag !== derTags.octetString) return undefined;
  if (algorithm !== "rsa" && algorithm !== "ec") return { algorithm, value: undefined };
  const inner = unwrappedPublicPartOf(third.content);
  return inner?.algorithm === algorithm ? inner : undefined;
}
/** Returns the public part of a key in PKCS #1 or SEC 1. The value after the version distinguishes the two. */
function unwrappedPublicPartOf(key: Uint8Array): PublicKey | undefined {
  const [version, second, ...more] = childrenOf(readDer(key)?.[0], derTags.sequence);
  if (version?.tag !== derTags.integer) return undefined;
  if (second?.tag === derTags.integer) return { algorithm: "rsa", value: numberText(second) };
  if (second?.tag !== derTags.octetString) return undefined;
  const [bits] = childrenOf(more.find((each) => each.tag === derTags.second), derTags.second);
  return { algorithm: "ec", value: bits?.tag === derTags.bitString ? hex(bits.content.subarray(1)) : undefined };
}

function algorithmOf(value: Der | undefined): Algorithm | undefined {
  const [oid] = childrenOf(value, derTags.sequence);
  return oid?.tag === derTags.oid ? algorithms.get(hex(oid.content)) ?? "unknown" : undefined;
}
function numberText(value: Der | undefined): string | undefined {
  return value?.tag === derTags.integer ? hex(value.content).replace(/^(00)+/, "") : undefined;
}
function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
