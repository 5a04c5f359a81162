/** Connections to remote servers, and the verification of their certificates. */
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type { Duplex } from "node:stream";
import { connect, type ConnectionOptions, type TLSSocket } from "node:tls";
import { stopWhilePaused } from "../tls/stop-while-paused.ts";
import { trustIn } from "../tls/trust.ts";
import { remoteKeepAliveMs } from "./begin-request.ts";
import type { RemoteAccess } from "./remote-access.ts";
import { bound } from "../../core/bound.ts";

/** Connections to one webhook or cluster; further requests wait. */
const remoteConnectionsMax = bound(64);

/** Milliseconds for the TLS handshake of a connection that is there (Go's http.Transport). */
const remoteHandshakeMs = bound(10_000);
/** The error of a server that does not finish the handshake, in Go's words. */
export const handshakeTimeout = "net/http: TLS handshake timeout";

/** How a server is connected with. */
export interface Connecting {
  /** Connections that are open at a time. */
  readonly connectionsMax?: number;
  /** Whether a connection serves several requests. Default: it does. */
  readonly keepAlive?: boolean;
  /** Milliseconds after which a connection without requests is closed. */
  readonly idleMs?: number;
  /** Milliseconds for the TLS handshake. */
  readonly handshakeMs?: number;
}

/** Returns the connections to one server. */
export function agentOf(
  access: RemoteAccess,
  { connectionsMax = remoteConnectionsMax, keepAlive = true, idleMs, handshakeMs = remoteHandshakeMs }: Connecting = {},
): HttpAgent {
  const { server, ca, cert, key, serverName, insecure } = access;
  // The runtime sets the time again for each request: another one would take two calls of the system each time.
  const pool = {
    keepAlive,
    keepAliveMsecs: remoteKeepAliveMs,
    maxSockets: connectionsMax,
    ...(idleMs === undefined ? {} : { timeout: idleMs }),
  };
  if (server.protocol === "http:") return new HttpAgent(pool);
  const trust = ca === undefined ? undefined : trustIn(ca, serverName ?? server.hostname.replace(/^\[|\]$/g, ""));
  const options = {
    ...pool,
    ...trust?.options,
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(serverName === undefined ? {} : { servername: serverName }),
    ...(insecure === true ? { rejectUnauthorized: false } : {}),
  };
  return trust?.problem === undefined || insecure === true
    ? new PausingAgent(options, handshakeMs)
    : new CheckingAgent(options, handshakeMs, trust.problem);
}

/** Connections to one server with the same credentials: the runtime's name of a connection has all their texts. */
class ServerAgent extends HttpsAgent {
  override getName(
    { host = "", port = "", servername = "" }: Parameters<HttpsAgent["getName"]>[0] & { readonly servername?: string } = {},
  ): string {
    return `${host}:${port}:${servername}`;
  }
}

/** A connection whose reader is behind is not read. */
class PausingAgent extends ServerAgent {
  readonly #handshakeMs: number;

  constructor(options: ConstructorParameters<typeof HttpsAgent>[0], handshakeMs: number) {
    super(options);
    this.#handshakeMs = handshakeMs;
  }
  override createConnection(...args: Parameters<HttpsAgent["createConnection"]>): ReturnType<HttpsAgent["createConnection"]> {
    const socket = super.createConnection(...args);
    prepare(socket as TLSSocket, this.#handshakeMs); // an agent of HTTPS makes no other
    return socket;
  }
}

/** A connection is used after its certificate has been checked here. */
class CheckingAgent extends ServerAgent {
  readonly #handshakeMs: number;
  readonly #problem: (socket: TLSSocket) => Error | undefined;

  constructor(
    options: ConstructorParameters<typeof HttpsAgent>[0],
    handshakeMs: number,
    problem: (socket: TLSSocket) => Error | undefined,
  ) {
    super(options);
    this.#handshakeMs = handshakeMs;
    this.#problem = problem;
  }
  override createConnection(options: ConnectionOptions, connected?: (error: Error | null, stream: Duplex) => void): undefined {
    const socket = connect({ ...options, rejectUnauthorized: false });
    prepare(socket, this.#handshakeMs);
    const fail = (error: Error) => connected?.(error, socket);
    socket.once("error", fail);
    socket.once("close", closed);
    socket.once("secureConnect", () => {
      socket.off("error", fail).off("close", closed);
      const problem = this.#problem(socket);
      if (problem === undefined) return connected?.(null, socket);
      socket.on("error", () => {});
      socket.destroy();
      fail(problem);
    });
    function closed(): void {
      fail(Object.assign(new Error("the connection was closed during the handshake"), { code: "ECONNRESET" }));
    }
  }
}

/** Bounds the handshake of a connection, and its input while it is paused. */
function prepare(socket: TLSSocket, handshakeMs: number): void {
  stopWhilePaused(socket);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = (): void => clearTimeout(timer);
  const connected = (): void => {
    timer = setTimeout(() => socket.destroy(new Error(handshakeTimeout)), handshakeMs);
  };
  socket.once("connect", connected).once("secureConnect", over).once("close", over);
}
