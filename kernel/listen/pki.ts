import { createPrivateKey, X509Certificate } from "node:crypto";
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { isIP } from "node:net";
import { hostname, networkInterfaces } from "node:os";
import { dirname, join } from "node:path";
import type { Names } from "../../core/names.ts";
import { certificateFacts, type CertificateWish, issueCertificate, type KeyedCertificate, pemCertificates } from "./x509/certificate.ts";

/** The certificates of a server without configured ones: its authority, serving and administrator certificate. */
export interface Pki {
  /** Issuer of the other two; the bundle for `clientCa`. */
  readonly ca: KeyedCertificate;
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
 *    when they were created), were signed by another authority, lack a required name, or cannot be read. The authority is replaced only
 *    when it is about to expire or not valid yet. An authority that is unreadable or incomplete is an error, because clients may trust it.
 *
 * A running server calls this again with its present certificates, `before`: without a directory those are checked.
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

/** The certificates in a directory as they are; undefined if one of them is missing or lacks its key. */
export async function writtenPki(directory: string): Promise<Pki | undefined> {
  const [ca, serving, admin] = await Promise.all([
    readKeyed(directory, "ca"),
    readKeyed(directory, "serving"),
    readKeyed(directory, "admin"),
  ]);
  return ca === undefined || serving === undefined || admin === undefined ? undefined : { ca, serving, admin };
}

/** A self-contained kubeconfig for kubectl. */
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

/** The URL at which clients on this machine reach a server that is bound to `address`. */
export function serverUrl(address: string, port: number): string {
  const host = anyAddress(address) ? "127.0.0.1" : address;
  return `https://${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}

/** Writes a file that only its owner may read, atomically, unless it holds that text already. */
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

/** Creates all certificates; `replaced` is not called. */
function makePki({ replaced: _, ...options }: PkiOptions): Pki {
  const { now, names } = options;
  const ca = issueCertificate({
    usage: "ca",
    // Two authorities with one name and different keys confuse clients that have both.
    commonName: `${names.platform}-ca-${Math.floor(now / 1000)}`,
    pathLength: 0,
    notBefore: now - backdateMs,
    notAfter: now + lifeMs.ca,
  });
  return { ca, serving: leafOf("serving", options, ca), admin: leafOf("admin", options, ca) };
}

/** The kept certificate while it is valid, else a new one. */
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

/** Why a certificate must be replaced; undefined if it is valid. */
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
    // Another server was first, or the directory holds other files.
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

/** Undefined if a file is missing or the two are no pair. */
async function readKeyed(directory: string, name: string): Promise<KeyedCertificate | undefined> {
  const [cert, key] = await Promise.all([".crt", ".key"].map((end) => readFile(join(directory, name + end), "utf8").catch(absent)));
  if (cert === undefined || key === undefined) return undefined;
  try {
    factsOf({ cert, key });
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)) ? { cert, key } : undefined;
  } catch {
    return undefined; // neither runtime has an error code for invalid PEM; unreadable files are no key pair
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
