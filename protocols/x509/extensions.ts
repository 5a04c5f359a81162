/** Reads the extensions of a certificate: all that Go's crypto/x509 reads, with the same refusals. */
import { type AlternativeNames, hasNames, readAlternativeNames } from "./alternative-names.ts";
import { derTag } from "./der.ts";
import { bigInteger, DerReader, isNegative } from "./der-reader.ts";
import { type NameConstraints, readNameConstraints } from "./name-constraints.ts";

/** The values of the extensions; a field is undefined if its extension is missing. */
export interface Extensions {
  /** Bits as they are written; bit 0 is the highest of the first byte. */
  keyUsage?: Uint8Array;
  basicConstraints?: { readonly isCa: boolean; readonly pathLength: number | undefined };
  alternativeNames?: AlternativeNames;
  /** The same as they are encoded. */
  alternativeNamesBytes?: Uint8Array;
  nameConstraints?: NameConstraints;
  /** Dotted object identifiers. */
  extendedKeyUsages?: readonly string[];
  subjectKeyId?: Uint8Array;
  authorityKeyId?: Uint8Array;
  /** After how many more certificates of a chain a certificate policy is required. */
  requiresPolicyAfter?: number;
  /** Maps to or from any policy, which is never valid. */
  mapsAnyPolicy?: boolean;
  /** Critical extensions that are not understood here: such a certificate must not be trusted (RFC 5280, 4.2). */
  readonly unknownCritical: string[];
}

interface Extension {
  readonly oid: string;
  readonly critical: boolean;
  readonly value: Uint8Array;
}

/** Whether a key usage allows to sign certificates; one that is missing or without any bit does. */
export function signsCertificates(usage: Uint8Array | undefined): boolean {
  const [first = 0, second = 0] = usage ?? [];
  return (first === 0 && (second & 0x80) === 0) || (first & 0x04) !== 0;
}

/** Of the content of the list of extensions. */
export function readExtensions(list: DerReader): Extensions {
  const seen = new Set<string>();
  const all: Extension[] = [];
  while (!list.empty) {
    const one = list.inside();
    const extension = {
      oid: one.oid(),
      critical: one.tag === derTag.boolean && one.boolean(),
      value: one.value(derTag.octetString).content,
    };
    if (seen.has(extension.oid)) throw new Error(`duplicate extension ${extension.oid}`);
    seen.add(extension.oid);
    all.push(extension);
  }
  const out: Extensions = { unknownCritical: [] };
  for (const extension of all) {
    const understood = readers.get(extension.oid)?.(out, extension) ?? false;
    if (extension.critical && !understood) out.unknownCritical.push(extension.oid);
  }
  return out;
}

/** Reads one extension; false if it has unknown contents. */
type Read = (out: Extensions, extension: Extension) => boolean;

const always = (read: (out: Extensions, value: DerReader) => void): Read => (out, { value }) => {
  read(out, new DerReader(value));
  return true;
};
/** RFC 5280 forbids these to be critical. */
const neverCritical = (read: (out: Extensions, value: DerReader) => void): Read => (out, extension) => {
  if (extension.critical) throw new Error(`extension ${extension.oid} must not be critical`);
  return always(read)(out, extension);
};

const readers: ReadonlyMap<string, Read> = new Map([
  ["2.5.29.14", neverCritical((out, value) => void (out.subjectKeyId = value.value(derTag.octetString).content))],
  ["2.5.29.15", always((out, value) => void (out.keyUsage = value.flags()))],
  ["2.5.29.17", (out, { value }) => {
    out.alternativeNames = readAlternativeNames(value);
    out.alternativeNamesBytes = value;
    return hasNames(out.alternativeNames);
  }],
  ["2.5.29.19", always(basicConstraints)],
  ["2.5.29.30", (out, { value }) => {
    out.nameConstraints = readNameConstraints(value);
    return !out.nameConstraints.unknownTypes;
  }],
  ["2.5.29.31", always((_out, value) => distributionPoints(value.inside()))],
  ["2.5.29.32", always((_out, value) => policies(value.inside()))],
  ["2.5.29.33", always(policyMappings)],
  ["2.5.29.35", neverCritical(authorityKeyIdentifier)],
  ["2.5.29.36", always(policyConstraints)],
  [
    "2.5.29.37",
    always((out, value) => {
      const usages: string[] = [];
      for (const list = value.inside(); !list.empty;) usages.push(list.oid());
      out.extendedKeyUsages = usages;
    }),
  ],
  [
    "2.5.29.54",
    always((_out, value) => {
      if (value.integer().length > 8) throw new Error("policy count is out of range");
    }),
  ],
  ["1.3.6.1.5.5.7.1.1", neverCritical(authorityInformation)],
]);

function basicConstraints(out: Extensions, value: DerReader): void {
  const parts = value.inside();
  const isCa = parts.tag === derTag.boolean && parts.boolean();
  out.basicConstraints = { isCa, pathLength: parts.tag === derTag.integer ? parts.count() : undefined };
}

function authorityKeyIdentifier(out: Extensions, value: DerReader): void {
  const id = value.inside().optional(0x80);
  if (id !== undefined) out.authorityKeyId = id.content;
}

function distributionPoints(list: DerReader): void {
  while (!list.empty) {
    const name = list.inside().optional(0xa0);
    if (name === undefined) continue;
    for (const names = new DerReader(name.content).inside(0xa0); names.tag === 0x86;) names.any();
  }
}

function policies(list: DerReader): void {
  const seen = new Set<string>();
  while (!list.empty) {
    const { content } = list.inside().value(derTag.oid);
    const key = Buffer.from(content).toString("latin1");
    if (seen.has(key) || !isWideOid(content)) throw new Error("malformed or repeated certificate policy");
    seen.add(key);
  }
}
/** Policies may have arcs of any size. */
function isWideOid(content: Uint8Array): boolean {
  const last = content.at(-1);
  return last !== undefined && last < 0x80 && content.every((byte, i) => byte !== 0x80 || (content[i - 1] ?? 0) >= 0x80);
}

const anyPolicy = "551d2000";
function policyMappings(out: Extensions, value: DerReader): void {
  for (const list = value.inside(); !list.empty;) {
    const pair = list.inside();
    const sides = [pair.value(derTag.oid).content, pair.value(derTag.oid).content];
    if (sides.some((side) => Buffer.from(side).toString("hex") === anyPolicy)) out.mapsAnyPolicy = true;
  }
}

function policyConstraints(out: Extensions, value: DerReader): void {
  const parts = value.inside();
  for (const tag of [0x80, 0x81]) {
    if (parts.tag !== tag) continue;
    const count = parts.integer(tag);
    if (count.length > 8) throw new Error("policy count is out of range");
    if (tag === 0x80 && !isNegative(count)) out.requiresPolicyAfter = Number(bigInteger(count));
  }
}

function authorityInformation(_out: Extensions, value: DerReader): void {
  for (const list = value.inside(); !list.empty;) {
    const access = list.inside();
    access.oid();
    if (access.tag === 0x86) access.any();
  }
}
