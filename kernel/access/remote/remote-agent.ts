/** Connections to remote servers, and the verification of their certificates. */
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type { Duplex } from "node:stream";
import { checkServerIdentity, connect, type ConnectionOptions, type TLSSocket } from "node:tls";
import { limits } from "../../../core/limits.ts";
import type { RemoteAccess } from "./kubeconfig.ts";

/**
 * The connections to one server. As in Go, each certificate of a given bundle is trusted for itself, also one that is no authority: tools for tests
 * give the serving certificate.
 */
export function agentOf({ server, ca, cert, key, serverName, insecure }: RemoteAccess): HttpAgent {
  const pool = { keepAlive: true, maxSockets: limits.remoteConnectionsMax };
  if (server.protocol === "http:") return new HttpAgent(pool);
  const options = {
    ...pool,
    ...(ca === undefined ? {} : { ca, allowPartialTrustChain: true }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(serverName === undefined ? {} : { servername: serverName }),
    ...(insecure === true ? { rejectUnauthorized: false } : {}),
  };
  if (!isDeno || ca === undefined || insecure === true) return new HttpsAgent(options);
  return new BundleAgent(options, ca, serverName ?? server.hostname.replace(/^\[|\]$/g, ""));
}

const isDeno = "Deno" in globalThis;

/**
 * Deno has no option for partial chains. Its handshake is completed also with a certificate that it does not trust; that the server has the key is
 * verified in any case. A connection is used after this class has compared the certificate with those of the bundle.
 */
class BundleAgent extends HttpsAgent {
  readonly #trusted: ReadonlySet<string>;
  readonly #name: string;

  constructor(options: ConstructorParameters<typeof HttpsAgent>[0], ca: string, name: string) {
    super({ ...options, rejectUnauthorized: false });
    this.#trusted = new Set(certificatesOf(ca));
    this.#name = name;
  }
  override createConnection(options: ConnectionOptions, connected?: (error: Error | null, stream: Duplex) => void): undefined {
    const socket = connect({ ...options, rejectUnauthorized: false });
    const fail = (error: Error) => connected?.(error, socket);
    socket.once("error", fail);
    socket.once("close", closed);
    socket.once("secureConnect", () => {
      socket.off("error", fail).off("close", closed);
      const problem = socket.authorized ? undefined : this.#problem(socket);
      if (problem === undefined) return connected?.(null, socket);
      socket.on("error", () => {});
      socket.destroy();
      fail(problem);
    });
    function closed(): void {
      fail(Object.assign(new Error("the connection was closed during the handshake"), { code: "ECONNRESET" }));
    }
  }

  #problem(socket: TLSSocket): Error | undefined {
    const peer = socket.getPeerCertificate(), now = Date.now();
    const known = this.#trusted.has(Buffer.from(peer.raw ?? []).toString("base64"));
    const isInTime = now >= Date.parse(peer.valid_from) && now <= Date.parse(peer.valid_to);
    if (known && isInTime) return checkServerIdentity(this.#name, peer);
    const code = known ? "CERT_HAS_EXPIRED" : String(socket.authorizationError);
    return Object.assign(new Error(known ? "certificate has expired" : `the certificate is not trusted: ${code}`), { code });
  }
}

/** The certificates of a PEM bundle, in base64. */
function certificatesOf(bundle: string): readonly string[] {
  const begin = "-----BEGIN CERTIFICATE-----", end = "-----END CERTIFICATE-----";
  return bundle.split(begin).slice(1).map((rest) => rest.slice(0, Math.max(0, rest.indexOf(end))).split(/\s/).join(""));
}
