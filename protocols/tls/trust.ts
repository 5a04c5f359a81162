/**
 * The verification of a server's certificate with a given bundle. As in Go, each certificate of the bundle is trusted for itself, also one that is
 * no authority (a partial chain): tools for tests give the serving certificate.
 */
import { checkServerIdentity, type ConnectionOptions, type TLSSocket } from "node:tls";
import { systemClock } from "../../core/async.ts";

export interface Trust {
  /** For the connection. */
  readonly options: Pick<ConnectionOptions, "ca" | "rejectUnauthorized"> & { readonly allowPartialTrustChain?: boolean };
  /** Must be called on the event `secureConnect`, before anything is sent or read: why the connection may not be used. Undefined: the runtime has verified it. */
  readonly problem: ((socket: TLSSocket) => Error | undefined) | undefined;
}

/** `name`: the server's name or address, which its certificate must have. */
export function trustIn(ca: string, name: string): Trust {
  if (!("Deno" in globalThis)) return { options: { ca, allowPartialTrustChain: true }, problem: undefined };
  // Deno has no option for partial chains. Its handshake is completed also with a certificate that it does not trust; that the server has the key is
  // verified in any case.
  const trusted = certificatesOf(ca);
  return {
    options: { ca, rejectUnauthorized: false },
    problem: (socket) => socket.authorized ? undefined : problemOf(socket, trusted, name),
  };
}

function problemOf(socket: TLSSocket, trusted: ReadonlySet<string>, name: string): Error | undefined {
  const peer = socket.getPeerCertificate(), now = systemClock.now();
  const known = trusted.has(Buffer.from(peer.raw ?? []).toString("base64"));
  const isInTime = now >= Date.parse(peer.valid_from) && now <= Date.parse(peer.valid_to);
  if (known && isInTime) return checkServerIdentity(name, peer);
  const code = known ? "CERT_HAS_EXPIRED" : String(socket.authorizationError);
  return Object.assign(new Error(known ? "certificate has expired" : `the certificate is not trusted: ${code}`), { code });
}

/** Returns the certificates of a PEM bundle, in base64. */
function certificatesOf(bundle: string): ReadonlySet<string> {
  const begin = "-----BEGIN CERTIFICATE-----", end = "-----END CERTIFICATE-----";
  return new Set(bundle.split(begin).slice(1).map((rest) => rest.slice(0, Math.max(0, rest.indexOf(end))).split(/\s/).join("")));
}
