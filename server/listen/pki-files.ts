/** The files of the server's own certificates: `NAME.crt` and `NAME.key`. */
import { createHash, createPrivateKey, X509Certificate } from "node:crypto";
import { readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readWhole, readWholeText } from "../../protocols/files/bounded-files.ts";
import { certificateFacts, type KeyedCertificate, pemCertificates } from "../../protocols/x509/certificate.ts";

/** Writes a file that only its owner may read, atomically, unless it holds that text already. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  if (await readWholeText(path).catch(absent) === text) return;
  const staging = `${path}.${process.pid}.tmp`;
  await rm(staging, { force: true });
  await writeFile(staging, text, { mode: 0o600, flag: "wx" });
  await rename(staging, path);
}

export async function writeKeyed(directory: string, name: string, { cert, key }: KeyedCertificate): Promise<void> {
  await writePrivateFile(join(directory, `${name}.key`), key);
  await writePrivateFile(join(directory, `${name}.crt`), cert);
}

/** A certificate with its key. Undefined if a file is missing or the two are no pair. */
export async function readKeyed(directory: string, name: string): Promise<KeyedCertificate | undefined> {
  const [cert, key] = await Promise.all([".crt", ".key"].map((end) => readWholeText(join(directory, name + end)).catch(absent)));
  if (cert === undefined || key === undefined) return undefined;
  try {
    certificateFacts(pemCertificates(cert)[0] ?? new Uint8Array());
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)) ? { cert, key } : undefined;
  } catch {
    return undefined; // neither runtime has an error code for invalid PEM; unreadable files are no key pair
  }
}
export async function readAuthority(directory: string): Promise<KeyedCertificate | undefined> {
  const ca = await readKeyed(directory, "ca");
  if (ca !== undefined) return ca;
  const there = await Promise.all(["ca.crt", "ca.key"].map((file) => readWhole(join(directory, file)).catch(absent)));
  if (there.every((file) => file === undefined)) return undefined;
  throw new Error(`Cannot use the authority in "${directory}": "ca.crt" and "ca.key" do not make a pair; restore them, or remove both`);
}
function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
  throw error;
}

/** Name of the files of an authority that another one has replaced: `ca-` and the beginning of its hash. */
function formerName({ cert }: KeyedCertificate): string {
  return `ca-${createHash("sha256").update(cert).digest("hex").slice(0, 16)}`;
}

/** Keeps an authority that is about to be replaced. */
export async function writeFormer(directory: string, ca: KeyedCertificate): Promise<void> {
  await writeKeyed(directory, formerName(ca), ca);
}

/** The authorities that others have replaced, except `ca`. Unreadable ones are left out. */
export async function readFormer(directory: string, ca: KeyedCertificate): Promise<KeyedCertificate[]> {
  const names = (await readdir(directory)).flatMap((name) => /^ca-[0-9a-f]{16}\.crt$/.test(name) ? [name.slice(0, -".crt".length)] : []);
  const pairs = await Promise.all(names.sort().map((name) => readKeyed(directory, name)));
  return pairs.flatMap((pair) => pair === undefined || pair.cert === ca.cert ? [] : [pair]);
}
