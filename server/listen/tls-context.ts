import { createPrivateKey, X509Certificate } from "node:crypto";
import { createSecureContext, type SecureContext, type SecureContextOptions, type TLSSocket } from "node:tls";
import { certificatePem, pemCertificates } from "../../protocols/x509/certificate.ts";
import { type PeerAnswer, peerReader } from "./peer-reader.ts";

/** The certificate that a listener presents, and the authorities that it trusts. */
export interface ListenerTls {
  /** PEM: the serving certificate with its chain, and its key. */
  readonly cert: string;
  readonly key: string;
  /** PEM bundle of the authorities of client certificates; without it clients are not asked for one. */
  readonly clientCa?: string | undefined;
  /** PEM bundle of the authorities of front proxies; used only if clients are asked for certificates. */
  readonly frontProxyCa?: string | undefined;
  /** Certificates for clients that ask for one of these names. */
  readonly named?: readonly NamedCertificate[];
  /** The oldest version of TLS. Default: 1.2. */
  readonly minVersion?: "TLSv1.2" | "TLSv1.3";
  /** Cipher suites with the names of OpenSSL. Deno ignores them. Default: those of the runtime. */
  readonly ciphers?: string | undefined;
}

/** A certificate with its key, for names of the server. */
export interface NamedCertificate {
  readonly cert: string;
  readonly key: string;
  /** Lower-case; `*.example.com` stands for one label. */
  readonly names: readonly string[];
}

/** The options of the runtime, and the reader of client certificates. */
export interface TlsContext {
  readonly context: SecureContextOptions;
  /** The context for a name; undefined for that of all others. */
  readonly contextOf: (name: string) => SecureContext | undefined;
  readonly readPeer: ((socket: TLSSocket, now: number) => PeerAnswer) | undefined;
}

/** Parses and checks everything first; throws if something cannot be read, or the key does not belong to the certificate. */
export function tlsContext({ cert, key, clientCa, frontProxyCa, minVersion = "TLSv1.2", ciphers, named = [] }: ListenerTls): TlsContext {
  checkKeyPair(cert, key);
  for (const each of named) checkKeyPair(each.cert, each.key);
  const context = { cert, key, minVersion, ...(ciphers === undefined ? {} : { ciphers }) } as const;
  if (clientCa === undefined) return { context, contextOf: contextsOf(context, named), readPeer: undefined };
  const known = `${clientCa}\n${frontProxyCa ?? ""}`; // the handshake names the accepted authorities to clients
  const clients = peerReader(clientCa), proxies = frontProxyCa === undefined ? undefined : peerReader(frontProxyCa);
  const asking = { ...context, ca: pemCertificates(known).map(certificatePem) };
  return {
    context: asking,
    contextOf: contextsOf(asking, named),
    readPeer(socket, now) {
      const answer = clients(socket, now), proxy = proxies?.(socket, now);
      return proxy?.peer === undefined ? answer : { ...answer, frontProxy: proxy.peer, until: Math.min(answer.until, proxy.until) };
    },
  };
}

function contextsOf(context: SecureContextOptions, named: readonly NamedCertificate[]): TlsContext["contextOf"] {
  const contexts = named.map(({ cert, key, names }) => ({ names, secure: createSecureContext({ ...context, cert, key }) }));
  return (name) => byName(name, contexts)?.secure;
}

/** The first that has this name, else the first with a wildcard for it. */
function byName<T extends { readonly names: readonly string[] }>(name: string, all: readonly T[]): T | undefined {
  const asked = name.toLowerCase(), dot = asked.indexOf("."), wildcard = dot < 0 ? undefined : `*${asked.slice(dot)}`;
  return all.find(({ names }) => names.includes(asked)) ??
    (wildcard === undefined ? undefined : all.find(({ names }) => names.includes(wildcard)));
}

/** Throws if one of the certificates or the key cannot be read, or the key does not belong to the first certificate. Runtimes differ in
 *  which of these they detect: some would listen, and fail every handshake. */
export function checkKeyPair(cert: string, key: string): void {
  const [leaf] = pemCertificates(cert).map((bytes, index) =>
    parsed(`certificate ${index + 1} of the chain`, () => new X509Certificate(bytes))
  );
  const privateKey = parsed("the key", () => createPrivateKey(key));
  if (leaf?.checkPrivateKey(privateKey) !== true) throw new Error("the key is not that of the certificate");
}

function parsed<T>(what: string, parse: () => T): T {
  try {
    return parse();
  } catch {
    // Without the parser's message, which may contain key material.
    throw new Error(`${what} cannot be read`);
  }
}
