import { createHash, createPrivateKey, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { isIP } from "node:net";
import { der, derOid, derTag, derTime, type DerValue, derValue, derValues, oidText, timeOf } from "./der.ts";

/** A certificate and its private key, both PEM. */
export interface KeyedCertificate {
  readonly cert: string;
  readonly key: string;
}

export interface CertificateWish {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  readonly uids?: readonly string[];
  /** Host names and IP addresses a server answers to. */
  readonly names?: readonly string[];
  readonly usage: "ca" | "server" | "client" | "unspecified";
  /** How many authorities may stand below a `ca`; any number when absent. */
  readonly pathLength?: number;
  /** Milliseconds since the epoch. */
  readonly notBefore: number;
  readonly notAfter: number;
}

/** What a certificate says, as far as we go by it. */
export interface CertificateFacts {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly uids: readonly string[];
  readonly names: readonly string[];
  /** May sign certificates: a CA by its basic constraints, and by its key usage where it states one. */
  readonly mayIssue: boolean;
  /** How many CA certificates may stand between this one and the last; undefined: any number. */
  readonly pathLength: number | undefined;
  /** Critical extensions that are not understood here: such a certificate must not be trusted (RFC 5280, 4.2). */
  readonly unknownCritical: readonly string[];
  /** Dotted object identifiers; undefined when the certificate does not limit its use. */
  readonly extendedKeyUsages: readonly string[] | undefined;
  /** Milliseconds since the epoch. */
  readonly notBefore: number;
  readonly notAfter: number;
}

export const keyUsageOid = Object.freeze({ server: "1.3.6.1.5.5.7.3.1", client: "1.3.6.1.5.5.7.3.2", any: "2.5.29.37.0" });
const oids = Object.freeze({
  commonName: "2.5.4.3",
  organization: "2.5.4.10",
  /** Kubernetes' own: the uid of the user. */
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

/** A new P-256 key and a certificate over it, signed by `issuer`, or by itself when none is given. */
export function issueCertificate(wish: CertificateWish, issuer?: KeyedCertificate): KeyedCertificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", {
    namedCurve: "P-256",
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "der" },
  });
  const spki = new Uint8Array(publicKey);
  const subject = derName(wish);
  const issuerParts = issuer === undefined ? undefined : tbsParts(pemBytes(issuer.cert));
  const signerKey = issuerParts?.spki.whole ?? spki;
  const algorithm = sequence(derOid(oids.ecdsaSha256));
  const tbs = sequence(
    der(explicit(0), integer(Uint8Array.of(2))),
    integer(serialNumber()),
    algorithm,
    issuerParts?.subject.whole ?? subject,
    sequence(derTime(wish.notBefore), derTime(wish.notAfter)),
    subject,
    spki,
    der(explicit(3), extensions(wish, spki, signerKey)),
  );
  const signature = sign("sha256", tbs, createPrivateKey(issuer?.key ?? privateKey));
  const whole = sequence(tbs, algorithm, bitString(signature));
  return { cert: certificatePem(whole), key: privateKey };
}

/** Reads a certificate's DER; an Error when it is not one. The name is read here, not by the runtimes: they print a subject as
 *  lines of text, in which a value with a line end could pass for another field. */
export function certificateFacts(bytes: Uint8Array): CertificateFacts {
  const { subject, validity, extensions } = tbsParts(bytes);
  const [notBefore, notAfter] = derValues(validity.content);
  if (notBefore === undefined || notAfter === undefined) throw new Error("certificate without validity");
  const names = nameValues(subject);
  const named = (oid: string) => names.filter(([each]) => each === oid).map(([, value]) => value);
  const extension = (oid: string) => extensions.find((one) => one.oid === oid)?.value;
  const usages = extension(oids.extendedKeyUsage);
  const altNames = extension(oids.subjectAltName);
  const [isCa, pathLength] = basicConstraints(extension(oids.basicConstraints));
  return {
    // Of several common names the last is taken, as Go's crypto/x509 does.
    commonName: named(oids.commonName).at(-1) ?? "",
    organizations: named(oids.organization),
    uids: named(oids.uid),
    names: altNames === undefined ? [] : altNamesOf(derValue(altNames, derTag.sequence)),
    mayIssue: isCa && signsCertificates(extension(oids.keyUsage)),
    pathLength,
    unknownCritical: extensions.filter((one) => one.critical && !understood.has(one.oid)).map((one) => one.oid),
    extendedKeyUsages: usages === undefined
      ? undefined
      : derValues(derValue(usages, derTag.sequence).content).map((v) => oidText(v.content)),
    notBefore: timeOf(notBefore),
    notAfter: timeOf(notAfter),
  };
}
const understood: ReadonlySet<string> = new Set(Object.values(oids));

function basicConstraints(value: Uint8Array | undefined): [isCa: boolean, pathLength: number | undefined] {
  if (value === undefined) return [false, undefined];
  const parts = derValues(derValue(value, derTag.sequence).content);
  const length = parts.find((part) => part.tag === derTag.integer)?.content;
  const isCa = parts.some((part) => part.tag === derTag.boolean && part.content[0] === 0xff);
  return [isCa, length === undefined ? undefined : length.reduce((sum, byte) => sum * 256 + byte, 0)];
}
/** Bit 5 of the key usage; a certificate without the extension may sign. */
function signsCertificates(value: Uint8Array | undefined): boolean {
  return value === undefined || ((derValue(value, derTag.bitString).content[1] ?? 0) & 0x04) !== 0;
}

/** The certificates of a PEM text in order, as DER. Text between them is passed over; an Error when there is none. */
export function pemCertificates(text: string): Uint8Array[] {
  const bodies = text.split("-----BEGIN CERTIFICATE-----").slice(1).map((part) => part.split("-----END CERTIFICATE-----", 2));
  const blocks = bodies.flatMap(([body = "", rest]) => rest !== undefined && /^[A-Za-z0-9+/=\s]*$/.test(body) ? [body] : []);
  if (blocks.length === 0) throw new Error("no PEM certificate found");
  return blocks.map((body) => new Uint8Array(Buffer.from(body, "base64")));
}

function pemBytes(text: string): Uint8Array {
  return pemCertificates(text)[0] ?? new Uint8Array();
}
/** A certificate as PEM. */
export function certificatePem(bytes: Uint8Array): string {
  return pem("CERTIFICATE", bytes);
}
function pem(label: string, bytes: Uint8Array): string {
  const lines = Buffer.from(bytes).toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}

interface TbsParts {
  readonly validity: DerValue;
  readonly subject: DerValue;
  readonly spki: DerValue;
  readonly extensions: readonly { readonly oid: string; readonly critical: boolean; readonly value: Uint8Array }[];
}
function tbsParts(bytes: Uint8Array): TbsParts {
  const [tbs] = derValues(derValue(bytes, derTag.sequence).content);
  if (tbs === undefined) throw new Error("empty certificate");
  const fields = derValues(tbs.content);
  // The version is left out by version 1 certificates.
  const [, , , validity, subject, spki, ...rest] = fields[0]?.tag === explicit(0) ? fields.slice(1) : fields;
  if (validity === undefined || subject === undefined || spki === undefined) throw new Error("certificate is cut short");
  const block = rest.find((field) => field.tag === explicit(3));
  const extensions = block === undefined ? [] : derValues(derValue(block.content, derTag.sequence).content).map((one) => {
    const parts = derValues(one.content);
    const [oid, value] = [parts[0], parts.at(-1)];
    if (oid === undefined || value === undefined) throw new Error("empty extension");
    const critical = parts.some((part) => part.tag === derTag.boolean && part.content[0] === 0xff);
    return { oid: oidText(oid.content), critical, value: value.content };
  });
  if (new Set(extensions.map((one) => one.oid)).size !== extensions.length) throw new Error("repeated extension");
  return { validity, subject, spki, extensions };
}

function nameValues(name: DerValue): [string, string][] {
  return derValues(name.content).flatMap((set) =>
    derValues(set.content).map((pair): [string, string] => {
      const [oid, value] = derValues(pair.content);
      if (oid === undefined || value === undefined) throw new Error("DER: empty name attribute");
      return [oidText(oid.content), stringOf(value)];
    })
  );
}
function stringOf(value: DerValue): string {
  // UTF8String, NumericString, PrintableString and IA5String are read alike; older encodings are not names that we give rights to.
  if (![0x0c, 0x12, 0x13, 0x16].includes(value.tag)) throw new Error(`DER: string of tag ${value.tag} in a name`);
  return new TextDecoder("utf-8", { fatal: true }).decode(value.content);
}

const dnsNameTag = 0x82;
const ipAddressTag = 0x87;
function altNamesOf(names: DerValue): string[] {
  return derValues(names.content).flatMap((name) => {
    if (name.tag === dnsNameTag) return [new TextDecoder().decode(name.content)];
    return name.tag === ipAddressTag ? [addressText(name.content)] : [];
  });
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
    // Key usage is a string of bits: certificate signing with CRL signing, or digital signature.
    extension(oids.keyUsage, der(derTag.bitString, isCa ? Uint8Array.of(1, 0x06) : Uint8Array.of(7, 0x80)), critical),
    extension(oids.basicConstraints, sequence(...(isCa ? [critical] : []), ...pathLength), critical),
    extension(oids.subjectKeyIdentifier, der(derTag.octetString, keyId(spki))),
    extension(oids.authorityKeyIdentifier, sequence(der(0x80, keyId(signerKey)))),
  ];
  if (wish.usage === "server" || wish.usage === "client") {
    list.push(extension(oids.extendedKeyUsage, sequence(derOid(keyUsageOid[wish.usage]))));
  }
  if (wish.names !== undefined && wish.names.length > 0) list.push(extension(oids.subjectAltName, sequence(...wish.names.map(altName))));
  return sequence(...list);
}
function altName(name: string): Uint8Array {
  return isIP(name) === 0 ? der(dnsNameTag, text(name)) : der(ipAddressTag, addressBytes(name));
}

/** Any identifier that tells keys apart serves; this is a hash over the whole public key. */
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

/** 4 or 16 bytes of an address. */
function addressBytes(address: string): Uint8Array {
  if (isIP(address) === 4) return Uint8Array.from(address.split(".").map(Number));
  // The URL parser writes an IPv4 tail in hexadecimal and compresses; what is left is to fill the gap.
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
