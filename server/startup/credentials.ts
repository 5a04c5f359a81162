/** Certificates and keys of the settings: read from their files, and reloaded when the files change. */
import { join } from "node:path";
import { reasonOf } from "../../core/reason-of.ts";
import type { ClientTrust } from "../../core/authentication.ts";
import type { Config } from "../config/settings.ts";
import type { FollowedFiles } from "../../core/part.ts";
import { namesOf } from "../config/active-config.ts";
import { certificateFacts, type KeyedCertificate, pemCertificates } from "../../protocols/x509/certificate.ts";
import { openPki, type Pki, type Replacement, trustedPem, writtenPki } from "../listen/pki.ts";
import type { ListenerTls } from "../listen/tls-context.ts";
import { peerVerifier } from "../listen/verify-peer.ts";
import { isInMemory } from "./open-store.ts";
import type { Log } from "../../kernel/observe/log.ts";
import { FaultyFile } from "../../core/config/mistake.ts";
import { readKeyed, readText } from "../config/read-files.ts";
import type { CheckedSetting } from "./checked-setting.ts";
import type { InUse } from "./certificate-validity.ts";
import { valueText } from "../../core/value-text.ts";

/** The server's certificates. */
export interface Credentials {
  /** The server's own CA and certificates, created on the first start. */
  readonly pki: Pki;
  /**
   * The given serving certificate, else the server's own. The own CA is always a client CA as well: it signs the certificate in the
   * generated kubeconfig.
   */
  readonly tls: ListenerTls;
  /** PEM of the CA of the serving certificate, and of those that it has replaced; undefined if that certificate was given. */
  readonly ownCa: string | undefined;
  /**
   * Uses the CAs that the cluster in front publishes, except where flags name CAs. `secure` activates them. Throws for invalid certificates,
   * and where `secure` does; nothing has changed then.
   */
  withCluster(trust: ClientTrust, secure?: (tls: ListenerTls) => void): void;
  /** Every active certificate of the server. */
  inUse(): readonly InUse[];
  /** The files to follow; `secure` activates certificates, or throws. */
  followed(secure: (tls: ListenerTls) => void): readonly FollowedFiles[];
}

interface InForce {
  readonly pki: Pki;
  /** The given serving certificate. */
  readonly serving: KeyedCertificate | undefined;
  /** PEM of further client CAs. */
  readonly bundle: string;
  /** PEM of the front proxies' CAs. */
  readonly frontProxyCa: string | undefined;
  /** The trust that the cluster in front publishes. */
  readonly cluster: ClientTrust;
}

export interface CredentialsNeeds {
  /** Milliseconds since the epoch; renewals go by it. */
  readonly now: () => number;
  readonly log: Pick<Log, "info">;
  /** Whether this process creates and renews the server's own certificates. Others use the files that it writes. */
  readonly renewsOwn: boolean;
}

/** Rejects for files without the expected content. Logs each renewal of the server's own certificates. */
export async function openCredentials(config: Config, { now, log, renewsOwn }: CredentialsNeeds): Promise<Credentials> {
  const {
    "tls-cert-file": certPath,
    "tls-private-key-file": keyPath,
    "client-ca-file": caPath,
    "requestheader-client-ca-file": proxyPath,
  } = config;
  const directory = config["cert-dir"] !== "" ? config["cert-dir"] : isInMemory(config) ? undefined : join(config["data-dir"], "pki");
  const replaced = ({ name, because, before, after }: Replacement) =>
    log.info(`the server's own ${ownNames[name]} was replaced: ${because}`, {
      ...(directory === undefined ? {} : { file: join(directory, `${name}.crt`) }),
      ...datesOf(after),
      ...(before === undefined ? {} : { replaced: datesOf(before) }),
    });
  const readPki = async (before?: Pki) => {
    const written = renewsOwn || directory === undefined ? undefined : await writtenPki(directory) ?? before;
    return written ??
      await openPki({ directory, bindAddress: config["bind-address"], names: namesOf(config), now: now(), replaced }, before);
  };
  const readServing = async () => certPath === "" ? undefined : await readKeyed(certPath, keyPath, "serving certificate");
  const readBundle = async () => caPath === "" ? "" : await authorities("client authorities", caPath);
  const readProxies = async () => proxyPath === "" ? undefined : await authorities("authorities of front proxies", proxyPath);
  let inForce: InForce = {
    pki: await readPki(),
    serving: await readServing(),
    bundle: await readBundle(),
    frontProxyCa: await readProxies(),
    cluster: { clientCa: "", frontProxyCa: "" },
  };
  const tlsOf = ({ pki, serving, bundle, frontProxyCa, cluster }: InForce): ListenerTls => ({
    ...serving ?? pki.serving,
    clientCa: `${trustedPem(pki)}\n${caPath === "" ? cluster.clientCa : bundle}`,
    frontProxyCa: frontProxyCa ?? (cluster.frontProxyCa === "" ? undefined : cluster.frontProxyCa),
  });

  function filesToFollow(secure: (tls: ListenerTls) => void): readonly FollowedFiles[] {
    const take = (part: Partial<InForce>): boolean => {
      const next = { ...inForce, ...part };
      if (valueText(next) === valueText(inForce)) return false;
      secure(tlsOf(next));
      inForce = next;
      return true;
    };
    const own: FollowedFiles = {
      what: "server's own certificates",
      paths: directory === undefined ? [] : ["ca", "serving", "admin"].map((name) => join(directory, `${name}.crt`)),
      renew: async () => take({ pki: await readPki(inForce.pki) }) ? namesAndDates(inForce.pki.serving.cert) : undefined,
    };
    const given: FollowedFiles = {
      what: "serving certificate",
      paths: [certPath, keyPath],
      renew: async () => {
        const serving = await readServing();
        return serving !== undefined && take({ serving }) ? namesAndDates(serving.cert) : undefined;
      },
    };
    const bundle: FollowedFiles = {
      what: "bundle of client authorities",
      paths: [caPath],
      renew: async () => take({ bundle: await readBundle() }) ? { certificates: pemCertificates(inForce.bundle).length } : undefined,
    };
    const proxies: FollowedFiles = {
      what: "bundle of front proxies' authorities",
      paths: [proxyPath],
      renew: async () =>
        take({ frontProxyCa: await readProxies() }) ? { certificates: pemCertificates(inForce.frontProxyCa ?? "").length } : undefined,
    };
    return [own, ...(certPath === "" ? [] : [given]), ...(caPath === "" ? [] : [bundle]), ...(proxyPath === "" ? [] : [proxies])];
  }

  function inUse(): readonly InUse[] {
    const { pki, serving, bundle, frontProxyCa } = inForce;
    const own = (["ca", "serving", "admin"] as const).filter((name) => name !== "serving" || serving === undefined).map((name) => ({
      what: `server's own ${ownNames[name]}`,
      path: directory === undefined ? undefined : join(directory, `${name}.crt`),
      pem: pki[name].cert,
      anyWillDo: false,
    }));
    const given = (what: string, path: string, pem: string | undefined, anyWillDo: boolean): readonly InUse[] =>
      path === "" || pem === undefined ? [] : [{ what, path, pem, anyWillDo }];
    return [
      ...own,
      ...given("serving certificate", certPath, serving?.cert, false),
      ...given("bundle of client authorities", caPath, bundle, true),
      ...given("bundle of front proxies' authorities", proxyPath, frontProxyCa, true),
    ];
  }

  function withCluster({ clientCa, frontProxyCa }: InForce["cluster"], secure: (tls: ListenerTls) => void = () => {}): void {
    for (const bundle of [clientCa, frontProxyCa]) if (bundle !== "") peerVerifier(bundle);
    const next = { ...inForce, cluster: { clientCa, frontProxyCa } };
    secure(tlsOf(next));
    inForce = next;
  }

  return {
    inUse,
    withCluster,
    get pki() {
      return inForce.pki;
    },
    get tls() {
      return tlsOf(inForce);
    },
    get ownCa() {
      return inForce.serving === undefined ? trustedPem(inForce.pki) : undefined;
    },
    followed: filesToFollow,
  };
}

const ownNames = Object.freeze({ ca: "authority", serving: "serving certificate", admin: "administrator's certificate" });

/** Names and dates of a certificate, for the log. */
function namesAndDates(cert: string): { readonly names: readonly string[]; readonly notBefore: string; readonly notAfter: string } {
  return { names: certificateFacts(pemCertificates(cert)[0] ?? new Uint8Array()).names, ...datesOf(cert) };
}
function datesOf(cert: string): { readonly notBefore: string; readonly notAfter: string } {
  const { notBefore, notAfter } = certificateFacts(pemCertificates(cert)[0] ?? new Uint8Array());
  return { notBefore: new Date(notBefore).toISOString(), notAfter: new Date(notAfter).toISOString() };
}

/** Reads the given certificates and CAs without activating them. Each promise rejects for a file without the expected content. */
export function checkGivenCertificates(config: Config): readonly CheckedSetting[] {
  const { "tls-cert-file": certPath, "tls-private-key-file": keyPath } = config;
  const { "client-ca-file": caPath, "requestheader-client-ca-file": proxyPath } = config;
  return [
    ...(certPath === "" || keyPath === "" ? [] : [
      ["tls-private-key-file", readText(keyPath, "key of the serving certificate")] as const,
      ["tls-cert-file", readKeyed(certPath, keyPath, "serving certificate")] as const,
    ]),
    ...(caPath === "" ? [] : [["client-ca-file", authorities("client authorities", caPath)] as const]),
    ...(proxyPath === "" ? [] : [["requestheader-client-ca-file", authorities("authorities of front proxies", proxyPath)] as const]),
  ];
}

/** PEM of the CAs that are published in each namespace. Rejects for a file without certificates. */
export async function rootCertificatesOf(config: Config): Promise<string | undefined> {
  const path = config["root-ca-file"];
  return path === "" ? undefined : await authorities("root authorities", path);
}

async function authorities(what: string, path: string): Promise<string> {
  const text = await readText(path, what);
  try {
    peerVerifier(text);
  } catch (error) {
    throw new FaultyFile(path, `cannot use the ${what} in "${path}": ${reasonOf(error)}`, error);
  }
  return text;
}
