/** Certificates and keys of the settings: read from their files, and reloaded when the files change. */
import { join } from "node:path";
import { systemClock } from "../../core/async.ts";
import { reasonOf } from "../../core/reason-of.ts";
import type { ClientTrust } from "../../core/authentication.ts";
import type { Config } from "../config/settings.ts";
import { type TlsBounds, tlsBounds } from "../config/tls-settings.ts";
import type { FollowedFiles } from "../../core/part.ts";
import { namesOf } from "../config/plugin-settings.ts";
import { certificateFacts, type KeyedCertificate, pemCertificates } from "../../protocols/x509/certificate.ts";
import { openPki, type Pki, type Replacement, trustedPem, writtenPki } from "../listen/pki.ts";
import type { ListenerTls, NamedCertificate } from "../listen/tls-context.ts";
import { type NamedPair, namedPairs } from "../config/named-certificates.ts";
import { peerVerifier } from "../listen/verify-peer.ts";
import { isInMemory } from "../config/in-memory.ts";
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
  /** Certificates by name. */
  readonly named: readonly NamedCertificate[];
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
export async function openCredentials(config: Config, needs: CredentialsNeeds): Promise<Credentials> {
  const files = new CredentialFiles(config, needs);
  const inForce = {
    pki: await files.pki(),
    serving: await files.serving(),
    named: await files.named(),
    bundle: await files.bundle(),
    frontProxyCa: await files.frontProxyCa(),
    cluster: { clientCa: "", frontProxyCa: "" },
  };
  return new CredentialsInForce(files, inForce);
}

/** The files of certificates that the settings name, and those of the server's own certificates. Each read rejects for unexpected content. */
class CredentialFiles {
  readonly paths: { readonly cert: string; readonly key: string; readonly clientCa: string; readonly frontProxyCa: string };
  readonly bounds: TlsBounds;
  readonly pairs: readonly NamedPair[];
  readonly #config: Config;
  readonly #needs: CredentialsNeeds;
  /** The folder of the server's own certificates; undefined if they are kept in memory. */
  readonly #directory: string | undefined;

  constructor(config: Config, needs: CredentialsNeeds) {
    this.paths = {
      cert: config["tls-cert-file"],
      key: config["tls-private-key-file"],
      clientCa: config["client-ca-file"],
      frontProxyCa: config["requestheader-client-ca-file"],
    };
    this.bounds = tlsBounds(config);
    this.pairs = namedPairs(config["tls-sni-cert-key"]).pairs;
    this.#config = config;
    this.#needs = needs;
    this.#directory = config["cert-dir"] !== "" ? config["cert-dir"] : isInMemory(config) ? undefined : join(config["data-dir"], "pki");
  }

  /** The file of one of the server's own certificates; undefined if it is kept in memory. */
  pathOf(name: OwnName): string | undefined {
    return this.#directory === undefined ? undefined : join(this.#directory, `${name}.crt`);
  }
  /** Reads the server's own certificates. Creates or renews them if this process does that. */
  async pki(before?: Pki): Promise<Pki> {
    const directory = this.#directory, { now, renewsOwn } = this.#needs;
    const written = renewsOwn || directory === undefined ? undefined : await writtenPki(directory) ?? before;
    if (written !== undefined) return written;
    const replaced = (replacement: Replacement) => this.#logReplaced(replacement);
    const { "bind-address": bindAddress } = this.#config;
    return await openPki({ directory, bindAddress, names: namesOf(this.#config), now: now(), replaced }, before);
  }
  async serving(): Promise<KeyedCertificate | undefined> {
    const { cert, key } = this.paths;
    return cert === "" ? undefined : await readKeyed(cert, key, "serving certificate");
  }
  async named(): Promise<readonly NamedCertificate[]> {
    return await Promise.all(this.pairs.map(readNamed));
  }
  async bundle(): Promise<string> {
    const { clientCa } = this.paths;
    return clientCa === "" ? "" : await authorities("client authorities", clientCa);
  }
  async frontProxyCa(): Promise<string | undefined> {
    const { frontProxyCa } = this.paths;
    return frontProxyCa === "" ? undefined : await authorities("authorities of front proxies", frontProxyCa);
  }

  #logReplaced({ name, because, before, after }: Replacement): void {
    const file = this.pathOf(name);
    this.#needs.log.info(`the server's own ${ownNames[name]} was replaced: ${because}`, {
      ...(file === undefined ? {} : { file }),
      ...datesOf(after),
      ...(before === undefined ? {} : { replaced: datesOf(before) }),
    });
  }
}

/** The certificates that the server uses at the moment. A change replaces them as a whole. */
class CredentialsInForce implements Credentials {
  readonly #files: CredentialFiles;
  #inForce: InForce;

  constructor(files: CredentialFiles, inForce: InForce) {
    this.#files = files;
    this.#inForce = inForce;
  }

  get pki(): Pki {
    return this.#inForce.pki;
  }
  get tls(): ListenerTls {
    return this.#tlsOf(this.#inForce);
  }
  get ownCa(): string | undefined {
    return this.#inForce.serving === undefined ? trustedPem(this.#inForce.pki) : undefined;
  }

  withCluster({ clientCa, frontProxyCa }: ClientTrust, secure: (tls: ListenerTls) => void = () => {}): void {
    for (const bundle of [clientCa, frontProxyCa]) if (bundle !== "") peerVerifier(bundle);
    const next = { ...this.#inForce, cluster: { clientCa, frontProxyCa } };
    secure(this.#tlsOf(next));
    this.#inForce = next;
  }

  inUse(): readonly InUse[] {
    const { pki, serving, named, bundle, frontProxyCa } = this.#inForce, { paths, pairs } = this.#files;
    const own = everyOwnName.filter((name) => name !== "serving" || serving === undefined).map((name) => ({
      what: `server's own ${ownNames[name]}`,
      path: this.#files.pathOf(name),
      pem: pki[name].cert,
      anyWillDo: false,
    }));
    const given = (what: string, path: string, pem: string | undefined, anyWillDo: boolean): readonly InUse[] =>
      path === "" || pem === undefined ? [] : [{ what, path, pem, anyWillDo }];
    return [
      ...own,
      ...given("serving certificate", paths.cert, serving?.cert, false),
      ...pairs.flatMap(({ cert }, index) => given("certificate of a name", cert, named[index]?.cert, false)),
      ...given("bundle of client authorities", paths.clientCa, bundle, true),
      ...given("bundle of front proxies' authorities", paths.frontProxyCa, frontProxyCa, true),
    ];
  }

  followed(secure: (tls: ListenerTls) => void): readonly FollowedFiles[] {
    const files = this.#files, { cert, key, clientCa, frontProxyCa } = files.paths;
    const take = (part: Partial<InForce>) => this.#take(part, secure);
    const own: FollowedFiles = {
      what: "server's own certificates",
      paths: everyOwnName.map((name) => files.pathOf(name)).filter((path) => path !== undefined),
      renew: async () => take({ pki: await files.pki(this.pki) }) ? namesAndDates(this.pki.serving.cert) : undefined,
    };
    const given: FollowedFiles = {
      what: "serving certificate",
      paths: [cert, key],
      renew: async () => {
        const serving = await files.serving();
        return serving !== undefined && take({ serving }) ? namesAndDates(serving.cert) : undefined;
      },
    };
    const named: FollowedFiles = {
      what: "certificates of names",
      paths: files.pairs.flatMap((pair) => [pair.cert, pair.key]),
      renew: async () => take({ named: await files.named() }) ? {} : undefined,
    };
    const bundle: FollowedFiles = {
      what: "bundle of client authorities",
      paths: [clientCa],
      renew: async () => take({ bundle: await files.bundle() }) ? countOf(this.#inForce.bundle) : undefined,
    };
    const proxies: FollowedFiles = {
      what: "bundle of front proxies' authorities",
      paths: [frontProxyCa],
      renew: async () => take({ frontProxyCa: await files.frontProxyCa() }) ? countOf(this.#inForce.frontProxyCa ?? "") : undefined,
    };
    return [
      own,
      ...(files.pairs.length === 0 ? [] : [named]),
      ...(cert === "" ? [] : [given]),
      ...(clientCa === "" ? [] : [bundle]),
      ...(frontProxyCa === "" ? [] : [proxies]),
    ];
  }

  /** Activates what was read. Returns false if nothing has changed. */
  #take(part: Partial<InForce>, secure: (tls: ListenerTls) => void): boolean {
    const next = { ...this.#inForce, ...part };
    if (valueText(next) === valueText(this.#inForce)) return false;
    secure(this.#tlsOf(next));
    this.#inForce = next;
    return true;
  }
  #tlsOf({ pki, serving, named, bundle, frontProxyCa, cluster }: InForce): ListenerTls {
    return {
      ...serving ?? pki.serving,
      ...this.#files.bounds,
      named,
      clientCa: `${trustedPem(pki)}\n${this.#files.paths.clientCa === "" ? cluster.clientCa : bundle}`,
      frontProxyCa: frontProxyCa ?? (cluster.frontProxyCa === "" ? undefined : cluster.frontProxyCa),
    };
  }
}

/** A certificate for names, by default those in it. */
async function readNamed({ cert: certPath, key: keyPath, names }: NamedPair): Promise<NamedCertificate> {
  const keyed = await readKeyed(certPath, keyPath, "certificate of a name");
  const own = () => certificateFacts(pemCertificates(keyed.cert)[0] ?? new Uint8Array()).names.map((name) => name.toLowerCase());
  return { ...keyed, names: names.length > 0 ? names : own() };
}

const ownNames = Object.freeze({ ca: "authority", serving: "serving certificate", admin: "administrator's certificate" });
type OwnName = keyof typeof ownNames;
const everyOwnName: readonly OwnName[] = ["ca", "serving", "admin"];

/** Number of certificates of a bundle, for the log. */
function countOf(bundle: string): { readonly certificates: number } {
  return { certificates: pemCertificates(bundle).length };
}

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
    ...namedPairs(config["tls-sni-cert-key"]).pairs.map((pair) => ["tls-sni-cert-key", readNamed(pair)] as const),
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

/** The CAs of clients and of front proxies that the settings name. Rejects for a file without certificates. */
export async function clientTrustOf(config: Config): Promise<ClientTrust> {
  const files = new CredentialFiles(config, noNeeds);
  return { clientCa: await files.bundle(), frontProxyCa: await files.frontProxyCa() ?? "" };
}
const noNeeds: CredentialsNeeds = Object.freeze({ now: systemClock.now, log: { info() {} }, renewsOwn: false });

async function authorities(what: string, path: string): Promise<string> {
  const text = await readText(path, what);
  try {
    peerVerifier(text);
  } catch (error) {
    throw new FaultyFile(path, `cannot use the ${what} in "${path}": ${reasonOf(error)}`, error);
  }
  return text;
}
