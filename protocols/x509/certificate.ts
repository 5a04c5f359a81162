import { createHash, createPrivateKey, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { isIP } from "node:net";
import { DerReader } from "./der-reader.ts";
import { der, derOid, derTag, derTime } from "./der.ts";
import { generalName, noAlternativeNames } from "./alternative-names.ts";
import { signsCertificates } from "./extensions.ts";
import { type Certificate, parseCertificate } from "./parse-certificate.ts";

/** A certificate and its private key, both PEM. */
export interface KeyedCertificate {
  readonly cert: string;
  readonly key: string;
}

export interface CertificateWish {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  readonly uids?: readonly string[];
  /** Host names and IP addresses of a server. */
  readonly names?: readonly string[];
  readonly usage: "ca" | "server" | "client" | "unspecified";
  /** Maximum depth of authorities below a `ca`; default: unlimited. */
  readonly pathLength?: number;
  /** Milliseconds since the epoch. */
  readonly notBefore: number;
  readonly notAfter: number;
}

/** The fields of a certificate that are used. */
export interface CertificateFacts {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly uids: readonly string[];
  readonly names: readonly string[];
  /** Whether it may sign certificates: a CA by its basic constraints, and by its key usage if present. */
  readonly mayIssue: boolean;
  /** Dotted object identifiers; undefined if the certificate does not restrict its use. */
  readonly extendedKeyUsages: readonly string[] | undefined;
  /** Milliseconds since the epoch. */
  readonly notBefore: number;
  readonly notAfter: number;
}

export const extendedKeyUsage = Object.freeze({ server: "1.3.6.1.5.5.7.3.1", client: "1.3.6.1.5.5.7.3.2", any: "2.5.29.37.0" });
const oids = Object.freeze({
  commonName: "2.5.4.3",
  organization: "2.5.4.10",
  /** Kubernetes' own attribute: the uid of the user. */
  uid: "1.3.6.1.4.1.57683.2",
  ecdsaSha256: "1.2.840.10045.4.3.2",
  subjectKeyIdentifier: "2.5.29.14",
  keyUsage: "2.5.29.15",
  subjectAltName: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  authorityKeyIdentifier: "2.5.29.35",
  extendedKeyUsage: "2.5.29.37",
});
const explicit = (number: number): number => 0xa0 | number;
const sequence = (...parts: Uint8Array[]): Uint8Array => der(derTag.sequence, ...parts);
const text = (value: string): Uint8Array => new TextEncoder().encode(value);

/** Returns a new P-256 key and a certificate for it, signed by `issuer`, or self-signed without one. */
export function issueCertificate(wish: CertificateWish, issuer?: KeyedCertificate): KeyedCertificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", {
    namedCurve: "P-256",
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "der" },
  });
  const spki = new Uint8Array(publicKey);
  const subject = derName(wish);
  const above = issuer === undefined ? undefined : parseCertificate(pemBytes(issuer.cert));
  const signerKey = above?.publicKeyInfo ?? spki;
  const algorithm = sequence(derOid(oids.ecdsaSha256));
  const tbs = sequence(
    der(explicit(0), integer(Uint8Array.of(2))),
    integer(serialNumber()),
    algorithm,
    above?.subject ?? subject,
    sequence(derTime(wish.notBefore), derTime(wish.notAfter)),
    subject,
    spki,
    der(explicit(3), extensions(wish, spki, signerKey)),
  );
  const signature = sign("sha256", tbs, createPrivateKey(issuer?.key ?? privateKey));
  const whole = sequence(tbs, algorithm, bitString(signature));
  return { cert: certificatePem(whole), key: privateKey };
}

/** A certificate for a key that another has: a request that was granted. */
export interface GrantedCertificate {
  /** The subject, as DER. */
  readonly subject: Uint8Array;
  /** The public key with its algorithm, as DER. */
  readonly publicKeyInfo: Uint8Array;
  /** The value of the extension of alternative names, as DER; undefined for none. */
  readonly alternativeNames?: Uint8Array | undefined;
  /** The numbers of the bits of the key usage (RFC 5280, 4.2.1.3). */
  readonly keyUsage: readonly number[];
  /** The extended key usages, dotted. */
  readonly extendedKeyUsages: readonly string[];
  readonly notBefore: number;
  readonly notAfter: number;
}

/** Returns the certificate as PEM, signed by the issuer, whose key is by P-256. It ends with that of the issuer at the latest. */
export function grantCertificate(granted: GrantedCertificate, issuer: KeyedCertificate): string {
  const { subject, publicKeyInfo, notBefore } = granted, above = parseCertificate(pemBytes(issuer.cert));
  const algorithm = sequence(derOid(oids.ecdsaSha256)), notAfter = Math.min(granted.notAfter, above.notAfter);
  const tbs = sequence(
    der(explicit(0), integer(Uint8Array.of(2))),
    integer(serialNumber()),
    algorithm,
    above.subject,
    sequence(derTime(notBefore), derTime(notAfter)),
    subject,
    publicKeyInfo,
    der(explicit(3), grantedExtensions(granted, above.publicKeyInfo)),
  );
  return certificatePem(sequence(tbs, algorithm, bitString(sign("sha256", tbs, createPrivateKey(issuer.key)))));
}

function grantedExtensions(granted: GrantedCertificate, signerKey: Uint8Array): Uint8Array {
  const { subject, alternativeNames, keyUsage, extendedKeyUsages } = granted, critical = der(derTag.boolean, Uint8Array.of(0xff));
  const extension = (oid: string, value: Uint8Array, flag: Uint8Array = new Uint8Array()) =>
    sequence(derOid(oid), flag, der(derTag.octetString, value));
  const hasSubject = new DerReader(subject).inside().empty === false;
  return sequence(
    ...(keyUsage.length === 0 ? [] : [extension(oids.keyUsage, der(derTag.bitString, bitsOf(keyUsage)), critical)]),
    ...(extendedKeyUsages.length === 0 ? [] : [extension(oids.extendedKeyUsage, sequence(...extendedKeyUsages.map(derOid)))]),
    extension(oids.basicConstraints, sequence(), critical),
    extension(oids.authorityKeyIdentifier, sequence(der(0x80, keyId(signerKey)))),
    ...(alternativeNames === undefined ? [] : [extension(oids.subjectAltName, alternativeNames, hasSubject ? undefined : critical)]),
  );
}

/** The content of a bit string in which these bits are set: the number of unused bits, and the bytes without zeros at their end. */
function bitsOf(bits: readonly number[]): Uint8Array {
  const last = bits.reduce((most, bit) => Math.max(most, bit), 0), content = new Uint8Array((last >> 3) + 2);
  content[0] = 7 - (last & 7);
  for (const bit of bits) content[(bit >> 3) + 1]! |= 0x80 >> (bit & 7);
  return content;
}

/** Reads a certificate's DER; throws if it is malformed. Names are not read by the runtimes: they print a subject as lines of text, in
 *  which a value with a line end could pass for another field. */
export function certificateFacts(bytes: Uint8Array): CertificateFacts {
  return factsOf(parseCertificate(bytes));
}
export function factsOf({ subjectAttributes, extensions, notBefore, notAfter }: Certificate): CertificateFacts {
  const named = (oid: string) => subjectAttributes.filter(([each]) => each === oid).map(([, value]) => value);
  const { dns, addresses } = extensions.alternativeNames ?? noAlternativeNames;
  return {
    // Of several common names the last one is used, as in Go's crypto/x509.
    commonName: named(oids.commonName).at(-1) ?? "",
    organizations: named(oids.organization),
    uids: named(oids.uid),
    names: [...dns, ...addresses.map(addressText)],
    mayIssue: extensions.basicConstraints?.isCa === true && signsCertificates(extensions.keyUsage),
    extendedKeyUsages: extensions.extendedKeyUsages,
    notBefore,
    notAfter,
  };
}

/** Returns the certificates of a PEM text in order, as DER. Text between them is ignored; throws if there is none. */
export function pemCertificates(text: string): Uint8Array[] {
  const bodies = text.split("-----BEGIN CERTIFICATE-----").slice(1).map((part) => part.split("-----END CERTIFICATE-----", 2));
  const blocks = bodies.flatMap(([body = "", rest]) => rest !== undefined && /^[A-Za-z0-9+/=\s]*$/.test(body) ? [body] : []);
  if (blocks.length === 0) throw new Error("no PEM certificate found");
  return blocks.map((body) => new Uint8Array(Buffer.from(body, "base64")));
}

function pemBytes(text: string): Uint8Array {
  return pemCertificates(text)[0] ?? new Uint8Array();
}
/** Returns a certificate as PEM. */
export function certificatePem(bytes: Uint8Array): string {
  return pem("CERTIFICATE", bytes);
}
function pem(label: string, bytes: Uint8Array): string {
  const lines = Buffer.from(bytes).toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}

function derName(wish: CertificateWish): Uint8Array {
  const attribute = (oid: string, value: string) => der(derTag.set, sequence(derOid(oid), der(derTag.utf8String, text(value))));
  return sequence(
    ...(wish.organizations ?? []).map((one) => attribute(oids.organization, one)),
    ...(wish.uids ?? []).map((one) => attribute(oids.uid, one)),
    attribute(oids.commonName, wish.commonName),
  );
}

function extensions(wish: CertificateWish, spki: Uint8Array, signerKey: Uint8Array): Uint8Array {
  const isCa = wish.usage === "ca";
  const critical = der(derTag.boolean, Uint8Array.of(0xff));
  const pathLength = wish.pathLength === undefined ? [] : [integer(Uint8Array.of(wish.pathLength))];
  const extension = (oid: string, value: Uint8Array, flag: Uint8Array = new Uint8Array()) =>
    sequence(derOid(oid), flag, der(derTag.octetString, value));
  const list = [
    // Key usage is a bit string: certificate and CRL signing, or digital signature.
    extension(oids.keyUsage, der(derTag.bitString, isCa ? Uint8Array.of(1, 0x06) : Uint8Array.of(7, 0x80)), critical),
    extension(oids.basicConstraints, sequence(...(isCa ? [critical] : []), ...pathLength), critical),
    extension(oids.subjectKeyIdentifier, der(derTag.octetString, keyId(spki))),
    extension(oids.authorityKeyIdentifier, sequence(der(0x80, keyId(signerKey)))),
  ];
  if (wish.usage === "server" || wish.usage === "client") {
    list.push(extension(oids.extendedKeyUsage, sequence(derOid(extendedKeyUsage[wish.usage]))));
  }
  if (wish.names !== undefined && wish.names.length > 0) list.push(extension(oids.subjectAltName, sequence(...wish.names.map(altName))));
  return sequence(...list);
}
function altName(name: string): Uint8Array {
  return isIP(name) === 0 ? der(generalName.dns, text(name)) : der(generalName.address, addressBytes(name));
}

/** The identifier must be unique for each key: a hash of the whole public key. */
function keyId(spki: Uint8Array): Uint8Array {
  return new Uint8Array(createHash("sha1").update(spki).digest());
}
function serialNumber(): Uint8Array {
  const bytes = new Uint8Array(randomBytes(16));
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40; // positive, and never a leading zero
  return bytes;
}
function integer(bytes: Uint8Array): Uint8Array {
  return der(derTag.integer, bytes);
}
function bitString(bytes: Uint8Array): Uint8Array {
  return der(derTag.bitString, Uint8Array.of(0), bytes);
}

/** Returns the 4 or 16 bytes of an address. */
function addressBytes(address: string): Uint8Array {
  if (isIP(address) === 4) return Uint8Array.from(address.split(".").map(Number));
  // The URL parser writes an IPv4 tail in hexadecimal and compresses zeros; the code below expands them.
  const [head = "", tail] = new URL(`http://[${address.split("%", 1)[0]}]/`).hostname.slice(1, -1).split("::");
  const words = (part: string) => (part === "" ? [] : part.split(":").map((word) => Number.parseInt(word, 16)));
  const [first, last] = [words(head), words(tail ?? "")];
  const all = [...first, ...new Array<number>(8 - first.length - last.length).fill(0), ...last];
  return Uint8Array.from(all.flatMap((word) => [word >> 8, word & 0xff]));
}
function addressText(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join(".");
  const words: string[] = [];
  for (let i = 0; i < bytes.length; i += 2) words.push((((bytes[i] ?? 0) << 8) | (bytes[i + 1] ?? 0)).toString(16));
  return new URL(`http://[${words.join(":")}]/`).hostname.slice(1, -1);
}
