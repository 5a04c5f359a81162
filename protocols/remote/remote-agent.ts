/** Connections to remote servers, and the verification of their certificates. */
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type { Duplex } from "node:stream";
import { connect, type ConnectionOptions, type TLSSocket } from "node:tls";
import { stopWhilePaused } from "../tls/stop-while-paused.ts";
import { trustIn } from "../tls/trust.ts";
import type { RemoteAccess } from "./remote-access.ts";
import { bound } from "../../core/bound.ts";

/** Connections to one webhook or cluster; further requests wait. */
const remoteConnectionsMax = bound(64);

/**
 * Returns the connections to one server. At most `connectionsMax` are open at a time. `keepAlive`: a connection serves several requests. `idleMs`: milliseconds
 * after which one without requests is closed.
 */
export function agentOf(access: RemoteAccess, connectionsMax: number = remoteConnectionsMax, keepAlive = true, idleMs?: number): HttpAgent {
  const { server, ca, cert, key, serverName, insecure } = access;
  const pool = { keepAlive, maxSockets: connectionsMax, ...(idleMs === undefined ? {} : { timeout: idleMs }) };
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
  return trust?.problem === undefined || insecure === true ? new PausingAgent(options) : new CheckingAgent(options, trust.problem);
}

/** A connection whose reader is behind is not read. */
class PausingAgent extends HttpsAgent {
  override createConnection(...args: Parameters<HttpsAgent["createConnection"]>): ReturnType<HttpsAgent["createConnection"]> {
    const socket = super.createConnection(...args);
    stopWhilePaused(socket as TLSSocket); // an agent of HTTPS makes no other
    return socket;
  }
}

/** A connection is used after its certificate has been checked here. */
class CheckingAgent extends HttpsAgent {
  readonly #problem: (socket: TLSSocket) => Error | undefined;

  constructor(options: ConstructorParameters<typeof HttpsAgent>[0], problem: (socket: TLSSocket) => Error | undefined) {
    super(options);
    this.#problem = problem;
  }
  override createConnection(options: ConnectionOptions, connected?: (error: Error | null, stream: Duplex) => void): undefined {
    const socket = connect({ ...options, rejectUnauthorized: false });
    stopWhilePaused(socket);
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
