import { createPrivateKey, X509Certificate } from "node:crypto";
import { chmod, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { isIP } from "node:net";
import { hostname, networkInterfaces } from "node:os";
import { dirname } from "node:path";
import type { Names } from "../../core/names.ts";
import { readAuthority, readFormer, readKeyed, writeFormer, writeKeyed } from "./pki-files.ts";
import {
  certificateFacts,
  type CertificateWish,
  issueCertificate,
  type KeyedCertificate,
  pemCertificates,
} from "../../protocols/x509/certificate.ts";
import { valueText } from "../../core/value-text.ts";

/** The certificates of a server without configured ones: its authority, serving and administrator certificate. */
export interface Pki {
  /** Issuer of the other two. */
  readonly ca: KeyedCertificate;
  /** Authorities that `ca` has replaced. They are trusted until they end, and one of them may still be the issuer of `serving`. */
  readonly former: readonly KeyedCertificate[];
  readonly serving: KeyedCertificate;
  /** CN=admin, O=system:masters. */
  readonly admin: KeyedCertificate;
}

export interface PkiOptions {
  /** Directory of the files; undefined keeps all in memory. */
  readonly directory: string | undefined;
  readonly bindAddress: string;
  readonly names: Names;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Called for each certificate that replaces another. */
  readonly replaced?: (replacement: Replacement) => void;
}

export interface Replacement {
  readonly name: "ca" | "serving" | "admin";
  /** `it ends within 30 days`. */
  readonly because: string;
  readonly before: string | undefined;
  readonly after: string;
}

const dayMs = 86_400_000;
const lifeMs = Object.freeze({ ca: 3650 * dayMs, leaf: 365 * dayMs });
/** Milliseconds before its expiry at which a certificate is replaced. */
const renewMs = 30 * dayMs;
/** Milliseconds before its end at which an authority no longer issues the serving certificate, if another has replaced it. */
const handOverMs = dayMs;
/** Milliseconds in the future at which the begin of an authority is no reason to replace it: the clock may be wrong now. */
const earlyMs = dayMs;
/** A clock before this time is wrong, because this program is newer; it is no reason to replace an authority. */
const earliestMs = Date.UTC(2026, 0, 1);
/** Milliseconds before now at which validity begins: clocks of clients may be behind. */
const backdateMs = 3_600_000;

/**
 * The certificates of a server without configured ones: read from `directory`, created if missing.
 *
 * 1. First start: everything is written to a temporary directory, which is renamed in one step. Of two servers that start together one
 *    uses the files of the other. Directory mode 0700, files 0600.
 * 2. Later starts: the files are read.
 * 3. The serving and the administrator certificate are replaced when they are about to expire, are not valid yet (the clock was wrong
 *    when they were created), were signed by another authority, lack a required name, or cannot be read.
 * 4. The authority is replaced only at a start, when it is about to expire or not valid yet; by a former one if that is valid. An authority that is
 *    unreadable or incomplete is an error, because clients may trust it.
 * 5. A replaced authority is kept and trusted until it ends. Until a day before that it stays the issuer of the serving certificate, for clients
 *    that know only the former authority:
 *
 *      start      ca 1 ends in 20 days     ca 2 issues admin;   ca 1 issues serving;   kubeconfigs trust ca 2 and ca 1
 *      19 days    ca 1 ends in 1 day                            ca 2 issues serving
 *
 * A running server calls this again with its present certificates, `before`: it replaces no authority, whatever its clock shows. Files that were replaced
 * are used.
 *
 * @throws if the files of the authority of a running server were removed
 */
export async function openPki(options: PkiOptions, before?: Pki): Promise<Pki> {
  const { directory } = options;
  if (directory === undefined) return before === undefined ? makePki(options) : { ...before, ...leavesOf(options, before, before) };
  const ca = await readAuthority(directory);
  if (ca === undefined) {
    if (before !== undefined) throw new Error(`the authority in "${directory}" was removed; a restart creates another one`);
    return await firstStart(directory, options);
  }
  const known = { ca, former: await readFormer(directory, ca) };
  const authorities = before === undefined ? await atStart(directory, options, known) : known;
  const kept = { serving: await readKeyed(directory, "serving"), admin: await readKeyed(directory, "admin") };
  const leaves = leavesOf(options, authorities, kept);
  for (const name of ["serving", "admin"] as const) if (leaves[name] !== kept[name]) await writeKeyed(directory, name, leaves[name]);
  return { ...authorities, ...leaves };
}

type Authorities = Pick<Pki, "ca" | "former">;

/** Replaces the authority if necessary. The former one is written first. */
async function atStart(directory: string, options: PkiOptions, { ca, former }: Authorities): Promise<Authorities> {
  const because = authorityReplaced(ca, options.now);
  if (because === undefined) return { ca, former };
  const next = former.find((each) => authorityReplaced(each, options.now) === undefined) ?? makeAuthority(options);
  await writeFormer(directory, ca);
  await writeKeyed(directory, "ca", next);
  options.replaced?.({ name: "ca", because, before: ca.cert, after: next.cert });
  return { ca: next, former: [ca, ...former.filter((each) => each !== next)] };
}

/** The certificates in a directory as they are; undefined if one of them is missing or lacks its key. */
export async function writtenPki(directory: string): Promise<Pki | undefined> {
  const [ca, serving, admin] = await Promise.all([
    readKeyed(directory, "ca"),
    readKeyed(directory, "serving"),
    readKeyed(directory, "admin"),
  ]);
  if (ca === undefined || serving === undefined || admin === undefined) return undefined;
  return { ca, former: await readFormer(directory, ca), serving, admin };
}

/** A self-contained kubeconfig for kubectl. */
export function kubeconfig(server: string, authority: string, admin: KeyedCertificate, names: Names): string {
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const cluster = valueText(names.platform);
  return `apiVersion: v1
kind: Config
clusters:
- name: ${cluster}
  cluster:
    server: ${valueText(server)}
    certificate-authority-data: ${base64(authority)}
users:
- name: admin
  user:
    client-certificate-data: ${base64(admin.cert)}
    client-key-data: ${base64(widelyRead(admin.key))}
contexts:
- name: ${cluster}
  context:
    cluster: ${cluster}
    user: admin
current-context: ${cluster}
`;
}

/** The key in the form that every client reads: Java's fabric8 knows keys of elliptic curves as SEC 1 only (RFC 5915). Older folders have them as PKCS #8. */
function widelyRead(key: string): string {
  const parsed = createPrivateKey(key);
  return parsed.asymmetricKeyType === "ec" ? String(parsed.export({ type: "sec1", format: "pem" })) : key;
}

/** The URL at which clients on this machine reach a server that is bound to `address`. */
export function serverUrl(address: string, port: number): string {
  const host = anyAddress(address) ? "127.0.0.1" : address;
  return `https://${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}

/** PEM of the authorities that clients and servers trust. */
export function trustedPem({ ca, former }: Authorities): string {
  return [ca, ...former].map(({ cert }) => cert).join("");
}

/** Creates all certificates; `replaced` is not called. */
function makePki({ replaced: _, ...options }: PkiOptions): Pki {
  const authorities = { ca: makeAuthority(options), former: [] };
  return { ...authorities, ...leavesOf(options, authorities, {}) };
}

function makeAuthority({ now, names }: PkiOptions): KeyedCertificate {
  return issueCertificate({
    usage: "ca",
    // Two authorities with one name and different keys confuse clients that have both.
    commonName: `${names.platform}-ca-${Math.floor(now / 1000)}`,
    pathLength: 0,
    notBefore: now - backdateMs,
    notAfter: now + lifeMs.ca,
  });
}

type Leaves = Pick<Pki, "serving" | "admin">;

function leavesOf(
  options: PkiOptions,
  { ca, former }: Authorities,
  kept: { readonly [Name in keyof Leaves]?: Leaves[Name] | undefined },
): Leaves {
  const { now } = options;
  const handsOver = (each: KeyedCertificate) => factsOf(each).notAfter - now >= handOverMs && factsOf(each).notBefore <= now;
  const issuer = former.find((each) => kept.serving !== undefined && isIssuer(each, kept.serving) && handsOver(each)) ?? ca;
  return { serving: leafOf("serving", options, issuer, kept.serving), admin: leafOf("admin", options, ca, kept.admin) };
}

/** The kept certificate while it is valid, else a new one. */
function leafOf(name: keyof Leaves, options: PkiOptions, ca: KeyedCertificate, kept?: KeyedCertificate): KeyedCertificate {
  const wish = leafWish(name, options, ca);
  const because = kept === undefined ? "it is missing, or cannot be read" : leafReplaced(kept, wish, ca, options.now);
  if (kept !== undefined && because === undefined) return kept;
  const made = issueCertificate(wish, ca);
  options.replaced?.({ name, because: because ?? "", before: kept?.cert, after: made.cert });
  return made;
}

function leafWish(name: "serving" | "admin", options: PkiOptions, ca: KeyedCertificate): CertificateWish {
  const { now } = options;
  const dates = { notBefore: now - backdateMs, notAfter: Math.min(now + lifeMs.leaf, factsOf(ca).notAfter) };
  if (name === "admin") return { usage: "client", commonName: "admin", organizations: ["system:masters"], ...dates };
  return { usage: "server", commonName: `${options.names.platform}-apiserver`, names: servingNames(options), ...dates };
}

function servingNames({ bindAddress, names: { platform } }: PkiOptions): string[] {
  const local = anyAddress(bindAddress)
    ? [hostname(), ...Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map((one) => one.address.split("%", 1)[0]!))]
    : [bindAddress];
  const service = [platform, `${platform}.default`, `${platform}.default.svc`, `${platform}.default.svc.cluster.local`];
  return [...new Set(["localhost", ...service, "127.0.0.1", "::1", ...local])];
}
function anyAddress(address: string): boolean {
  return address === "0.0.0.0" || address === "::";
}

/** Why a certificate must be replaced; undefined if it is valid. */
function leafReplaced(kept: KeyedCertificate, wish: CertificateWish, ca: KeyedCertificate, now: number): string | undefined {
  const { names, notAfter } = factsOf(kept);
  const missing = (wish.names ?? []).filter((name) => !names.includes(name));
  if (missing.length > 0) return `it lacks the names ${missing.join(", ")}`;
  if (!isIssuer(ca, kept)) return "another authority has signed it";
  const authority = factsOf(ca);
  // What an authority signs outside of its time is worth nothing, and the present certificate may become valid again.
  if (now < authority.notBefore || now > authority.notAfter) return undefined;
  // The end of its authority is its own.
  return notAfter >= wish.notAfter && notAfter - now < renewMs ? undefined : untimely(kept, now, 0);
}
function isIssuer(ca: KeyedCertificate, of: KeyedCertificate): boolean {
  const [mine, theirs] = [new X509Certificate(of.cert), new X509Certificate(ca.cert)];
  return mine.checkIssued(theirs) && mine.verify(theirs.publicKey);
}
function authorityReplaced(ca: KeyedCertificate, now: number): string | undefined {
  return now < earliestMs ? undefined : untimely(ca, now, earlyMs);
}
function untimely(one: KeyedCertificate, now: number, early: number): string | undefined {
  const { notBefore, notAfter } = factsOf(one);
  if (!(notAfter - now >= renewMs)) return "it ends within 30 days";
  return notBefore > now + early ? "it is not valid yet: the clock was wrong when it was made" : undefined;
}
function factsOf(one: KeyedCertificate): ReturnType<typeof certificateFacts> {
  return certificateFacts(pemCertificates(one.cert)[0] ?? new Uint8Array());
}

async function firstStart(directory: string, options: PkiOptions): Promise<Pki> {
  await mkdir(dirname(directory), { recursive: true });
  const staging = await mkdtemp(`${directory}.`);
  try {
    await chmod(staging, 0o700);
    const pki = makePki(options);
    for (const name of ["ca", "serving", "admin"] as const) await writeKeyed(staging, name, pki[name]);
    await rename(staging, directory);
    return pki;
  } catch (error) {
    await rm(staging, { recursive: true, force: true });
    // Another server was first, or the directory holds other files.
    if (await readAuthority(directory) !== undefined) return await openPki(options);
    throw new Error(`Cannot keep certificates in "${directory}"`, { cause: error });
  }
}
