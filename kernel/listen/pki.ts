import { createPrivateKey, X509Certificate } from "node:crypto";
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { isIP } from "node:net";
import { hostname, networkInterfaces } from "node:os";
import { dirname, join } from "node:path";
import type { Names } from "../../core/names.ts";
import { certificateFacts, type CertificateWish, issueCertificate, type KeyedCertificate, pemCertificates } from "./x509/certificate.ts";

/** What a server shows, and what its first client shows it. */
export interface Pki {
  /** Signs both others; the bundle for `clientCa`. */
  readonly ca: KeyedCertificate;
  readonly serving: KeyedCertificate;
  /** CN=admin, O=system:masters. */
  readonly admin: KeyedCertificate;
}

export interface PkiOptions {
  /** Where the files are kept; undefined: nowhere, all is made anew. */
  readonly directory: string | undefined;
  readonly bindAddress: string;
  readonly names: Names;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Called for each certificate that is made anew in place of another. */
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
/** A certificate with less than this to live is replaced. */
const renewMs = 30 * dayMs;
/** No clock is right that shows an earlier time: this program is younger. Such a clock is no reason to replace an authority. */
const earliestMs = Date.UTC(2026, 0, 1);
/** Clocks of clients may be behind ours. */
const backdateMs = 3_600_000;

/**
 * The certificates of a server that was given none: read from `directory`, made where missing.
 *
 * 1. First start: everything is written beside the directory and moved there in one step, so that of two servers that start
 *    together one uses what the other made. Directory 0700, files 0600.
 * 2. Later starts: read as they are.
 * 3. The serving and the admin certificate are made anew when they are about to expire, are not valid yet (the clock was wrong when
 *    they were made), were signed by another authority, lack a name that is wanted now, or cannot be read. The authority itself is
 *    only replaced when it is about to expire or not valid yet: one that cannot be read, or half of one, is an Error, because clients
 *    may trust it.
 *
 * A server that runs asks again with what it has, `before`: where nothing is kept in files, that is what is looked at.
 */
export async function openPki(options: PkiOptions, before?: Pki): Promise<Pki> {
  const { directory, now } = options;
  if (directory === undefined) return before === undefined ? makePki(options) : renewed(before, options);
  const ca = await readAuthority(directory);
  if (ca === undefined) return await firstStart(directory, options);
  const because = authorityReplaced(ca, now);
  if (because !== undefined) {
    const pki = makePki(options);
    await writePki(directory, pki);
    options.replaced?.({ name: "ca", because, before: ca.cert, after: pki.ca.cert });
    return pki;
  }
  const leaf = async (name: "serving" | "admin"): Promise<KeyedCertificate> => {
    const kept = await readKeyed(directory, name);
    const next = leafOf(name, options, ca, kept);
    if (next !== kept) await writeKeyed(directory, name, next);
    return next;
  };
  return { ca, serving: await leaf("serving"), admin: await leaf("admin") };
}

/** A kubeconfig with everything inside, for kubectl as it is. */
export function kubeconfig(server: string, authority: string, admin: KeyedCertificate, names: Names): string {
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const cluster = JSON.stringify(names.platform);
  return `apiVersion: v1
kind: Config
clusters:
- name: ${cluster}
  cluster:
    server: ${JSON.stringify(server)}
    certificate-authority-data: ${base64(authority)}
users:
- name: admin
  user:
    client-certificate-data: ${base64(admin.cert)}
    client-key-data: ${base64(admin.key)}
contexts:
- name: ${cluster}
  context:
    cluster: ${cluster}
    user: admin
current-context: ${cluster}
`;
}

/** Where clients on this machine find a server that is bound to `address`. */
export function serverUrl(address: string, port: number): string {
  const host = anyAddress(address) ? "127.0.0.1" : address;
  return `https://${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}

/** Writes a file that only its owner may read, in one step, unless it holds that text already. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  if (await readFile(path, "utf8").catch(absent) === text) return;
  const staging = `${path}.${process.pid}.tmp`;
  await rm(staging, { force: true });
  await writeFile(staging, text, { mode: 0o600, flag: "wx" });
  await rename(staging, path);
}

function renewed(pki: Pki, options: PkiOptions): Pki {
  const { ca } = pki;
  const because = authorityReplaced(ca, options.now);
  if (because !== undefined) {
    const made = makePki(options);
    options.replaced?.({ name: "ca", because, before: ca.cert, after: made.ca.cert });
    return made;
  }
  return { ca, serving: leafOf("serving", options, ca, pki.serving), admin: leafOf("admin", options, ca, pki.admin) };
}

/** All of it made anew, which is no replacement of single certificates. */
function makePki({ replaced: _, ...options }: PkiOptions): Pki {
  const { now, names } = options;
  const ca = issueCertificate({
    usage: "ca",
    // Two authorities of one name with different keys confuse clients that were given both.
    commonName: `${names.platform}-ca-${Math.floor(now / 1000)}`,
    pathLength: 0,
    notBefore: now - backdateMs,
    notAfter: now + lifeMs.ca,
  });
  return { ca, serving: leafOf("serving", options, ca), admin: leafOf("admin", options, ca) };
}

/** The one that is kept while it is good, else a new one. */
function leafOf(name: "serving" | "admin", options: PkiOptions, ca: KeyedCertificate, kept?: KeyedCertificate): KeyedCertificate {
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

/** Why a certificate is made anew; undefined where it is good. */
function leafReplaced(kept: KeyedCertificate, wish: CertificateWish, ca: KeyedCertificate, now: number): string | undefined {
  const [mine, theirs] = [new X509Certificate(kept.cert), new X509Certificate(ca.cert)];
  const { names } = factsOf(kept);
  const missing = (wish.names ?? []).filter((name) => !names.includes(name));
  if (missing.length > 0) return `it lacks the names ${missing.join(", ")}`;
  if (!mine.checkIssued(theirs) || !mine.verify(theirs.publicKey)) return "another authority has signed it";
  return untimely(kept, now);
}
function authorityReplaced(ca: KeyedCertificate, now: number): string | undefined {
  return now < earliestMs ? undefined : untimely(ca, now);
}
function untimely(one: KeyedCertificate, now: number): string | undefined {
  const { notBefore, notAfter } = factsOf(one);
  if (!(notAfter - now >= renewMs)) return "it ends within 30 days";
  return notBefore > now ? "it is not valid yet: the clock was wrong when it was made" : undefined;
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
    await writePki(staging, pki);
    await rename(staging, directory);
    return pki;
  } catch (error) {
    await rm(staging, { recursive: true, force: true });
    // Another server was quicker, or the directory holds other things.
    if (await readAuthority(directory) !== undefined) return await openPki(options);
    throw new Error(`Cannot keep certificates in "${directory}"`, { cause: error });
  }
}
async function writePki(directory: string, pki: Pki): Promise<void> {
  for (const name of ["ca", "serving", "admin"] as const) await writeKeyed(directory, name, pki[name]);
}
async function writeKeyed(directory: string, name: string, { cert, key }: KeyedCertificate): Promise<void> {
  await writePrivateFile(join(directory, `${name}.key`), key);
  await writePrivateFile(join(directory, `${name}.crt`), cert);
}

/** Undefined when a file is missing or the two do not belong together. */
async function readKeyed(directory: string, name: string): Promise<KeyedCertificate | undefined> {
  const [cert, key] = await Promise.all([".crt", ".key"].map((end) => readFile(join(directory, name + end), "utf8").catch(absent)));
  if (cert === undefined || key === undefined) return undefined;
  try {
    factsOf({ cert, key });
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)) ? { cert, key } : undefined;
  } catch {
    return undefined; // neither runtime has an error code for bad PEM: what does not parse is not a key pair
  }
}
async function readAuthority(directory: string): Promise<KeyedCertificate | undefined> {
  const ca = await readKeyed(directory, "ca");
  if (ca !== undefined) return ca;
  const there = await Promise.all(["ca.crt", "ca.key"].map((file) => readFile(join(directory, file)).catch(absent)));
  if (there.every((file) => file === undefined)) return undefined;
  throw new Error(`Cannot use the authority in "${directory}": "ca.crt" and "ca.key" do not make a pair; restore them, or remove both`);
}
function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
  throw error;
}
