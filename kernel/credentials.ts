/** What settings say of certificates, keys and tokens, read from their files. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Authenticator, clientCertificates, tokenFile } from "./authentication/mod.ts";
import type { Config } from "./config.ts";
import { namesOf } from "./generation.ts";
import { openPki, type Pki } from "./listen/pki.ts";
import { isInMemory } from "./open-store.ts";

/** The server's own authority and certificates, made on the first start. */
export function pkiOf(config: Config): Promise<Pki> {
  const folder = config["cert-dir"] !== "" ? config["cert-dir"] : isInMemory(config) ? undefined : join(config["data-dir"], "pki");
  return openPki({ directory: folder, bindAddress: config["bind-address"], names: namesOf(config), now: Date.now() });
}

/** PEM of the serving certificate and its key: the given ones, else the server's own. Rejects for files that hold neither. */
export async function servingCertificate(config: Config, pki: Pki): Promise<{ readonly cert: string; readonly key: string }> {
  return config["tls-cert-file"] === "" ? pki.serving : await keyed(config["tls-cert-file"], config["tls-private-key-file"]);
}

async function keyed(certPath: string, keyPath: string): Promise<{ cert: string; key: string }> {
  const [cert, key] = await Promise.all([readFile(certPath, "utf8"), readFile(keyPath, "utf8")]);
  // Not every runtime says so by itself: it would listen, and fail every handshake.
  if (!cert.includes("-----BEGIN CERTIFICATE-----")) throw new Error(`the file "${certPath}" holds no PEM certificate`);
  if (!key.includes("PRIVATE KEY-----")) throw new Error(`the file "${keyPath}" holds no PEM key`);
  return { cert, key };
}

/** PEM of who may sign client certificates. The server's own authority is always among them: the kubeconfig that it writes must do. */
export async function clientAuthorities({ "client-ca-file": path }: Config, pki: Pki): Promise<string> {
  return path === "" ? pki.ca.cert : `${pki.ca.cert}\n${await readFile(path, "utf8")}`;
}

/** Who a request may be from: by its certificate, then by its token. */
export async function authenticatorsOf(config: Config): Promise<readonly Authenticator[]> {
  const path = config["token-auth-file"];
  return path === "" ? [clientCertificates] : [clientCertificates, tokenFile(await readFile(path, "utf8"))];
}
