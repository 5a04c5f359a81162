import { createSecureServer, type Http2SecureServer } from "node:http2";
import type { Socket } from "node:net";
import { Server as TlsServer, type TLSSocket } from "node:tls";
import { limits } from "../../core/limits.ts";
import { methodNotAllowedError } from "../../core/status-error.ts";
import type { Exchange, Reply } from "../request/exchange.ts";
import { Connections, type ConnectionTimes } from "./connections.ts";
import { exchangeOn, readHead } from "./unknown-method.ts";
import type { Response } from "./pump.ts";
import type { Request } from "./request.ts";
import { type ListenerTls, tlsContext } from "./tls-context.ts";
import { refuse, refuseWith, serve, type Serving, statusReply, take } from "./serve-request.ts";

export interface ListenOptions {
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  /** Other processes may listen on the same port (SO_REUSEPORT); the kernel spreads connections over them. */
  readonly sharesPort?: boolean;
  readonly tls: ListenerTls;
  /** Maximum open requests of one HTTP/2 connection; 0 is the bound of core/limits.ts. */
  readonly streamsMax?: number;
  /** Answers a request. A rejection is reported and answered with 500. */
  handle(exchange: Exchange): Promise<Reply>;
  /** Called for every internal error. */
  report(error: unknown): void;
  /** Called for every connection whose TLS handshake failed. */
  handshakeFailed?(): void;
  /** Overrides of the timeouts of core/limits.ts. */
  readonly times?: Partial<ConnectionTimes>;
}

/** A server on one address: HTTP/1.1 and HTTP/2 over TLS. */
export interface Listener {
  readonly address: string;
  readonly port: number;
  /** From now on HTTP/1.1 answers have `connection: close`; requests are still accepted. */
  beginShutdown(): void;
  /**
   * Replaces the certificates. New connections get them, and client certificates of open connections are verified again at the next
   * request. No connection is closed. Whether client certificates are requested at all does not change.
   *
   * @throws if the certificates are invalid; nothing has changed then
   */
  secure(tls: ListenerTls): void;
  /** Stops accepting, lets requests in progress finish and resolves when every connection is closed. Connections that remain after
   *  `graceMs` are destroyed. The caller must end endless answers (watches). */
  close(graceMs: number): Promise<void>;
}

/** Starts listening. Rejects if the address is in use or the certificates are not PEM. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const { context, readPeer } = tlsContext(options.tls);
  const connections = new Connections({
    handshakeMs: limits.handshakeMs,
    firstRequestMs: limits.firstRequestMs,
    idleMs: limits.idleMs,
    stalledMs: limits.stalledMs,
    sweepMs: 5_000,
    ...options.times,
  });
  const streamsMax = options.streamsMax || limits.streamsPerConnectionMax;
  const server = createSecureServer({
    allowHTTP1: true,
    ...context,
    requestCert: readPeer !== undefined,
    // A client certificate that is not trusted is answered with 401, not with a failed handshake.
    rejectUnauthorized: false,
    // Not less for few streams: a large list needs as much.
    maxSessionMemory: limits.streamMemoryMebibytes * Math.max(streamsMax, limits.streamsPerConnectionMax),
    // In HTTP/2 nghttp2 itself also bounds one header to 64 KiB after compression.
    maxHeaderListPairs: limits.headersMax,
    settings: { maxConcurrentStreams: streamsMax, maxHeaderListSize: limits.headerBytesMax },
  });
  Object.assign(server, http1Settings);
  const { handle, report } = options;
  const serving: Serving = { draining: false, connections, readPeer, handle, report };
  attach(server, serving, options.handshakeFailed);
  const { address, port } = await bound(server, options).catch((error: unknown) => {
    void connections.close(0);
    throw error;
  });
  return {
    address,
    port,
    beginShutdown: () => {
      serving.draining = true;
    },
    secure(tls) {
      const next = tlsContext(tls);
      server.setSecureContext(next.context);
      if (serving.readPeer === undefined) return;
      serving.readPeer = next.readPeer;
      connections.forgetPeers();
    },
    close: async (graceMs) => {
      serving.draining = true;
      // Not the http2 server's own close(), which closes all sessions at once.
      TlsServer.prototype.close.call(server);
      await connections.close(graceMs);
    },
  };
}

/** Node does not pass these options of an HTTP/2 server on to HTTP/1.1, but reads them from the server object. Its timeouts would
 *  work on some runtimes only; connections.ts implements them for all. */
const http1Settings = Object.freeze({
  maxHeaderSize: limits.headerBytesMax,
  // One more than the bound: the parser drops further headers, and the excess must be detected.
  maxHeadersCount: limits.headersMax + 1,
  // Checked in framing.ts, for the same answer on all runtimes.
  requireHostHeader: false,
  // Independent of the runtime's flags.
  insecureHTTPParser: false,
  headersTimeout: 0,
  requestTimeout: 0,
  keepAliveTimeout: 0,
});

/** Deno's TLS sockets encode text as UTF-8 regardless of the encoding; the heads of HTTP/1.1 answers are Latin-1. */
function keepLatin1(socket: TLSSocket): void {
  const write = socket.write.bind(socket) as (...args: readonly unknown[]) => boolean;
  socket.write = (chunk: unknown, encoding?: unknown, ...rest: readonly unknown[]) =>
    typeof chunk === "string" && encoding === "latin1" ? write(Buffer.from(chunk, "latin1"), ...rest) : write(chunk, encoding, ...rest);
}

function attach(server: Http2SecureServer, serving: Serving, handshakeFailed: (() => void) | undefined): void {
  const { connections } = serving;
  server.on("connection", (socket: Socket) => connections.accepted(socket));
  // Before the server's own listener, which creates the session.
  server.prependListener("secureConnection", (socket: TLSSocket) => {
    keepLatin1(socket);
    connections.handshakeCompleted(socket);
  });
  server.on("session", (session) => connections.began(session));
  server.on("tlsClientError", () => handshakeFailed?.());
  // Requests of a broken connection are notified by their own close event.
  server.on("sessionError", () => {});
  server.on("request", (request: Request, response: Response) => take(request, response, serving));
  server.on("checkExpectation", (request: Request, response: Response) => {
    const connection = "stream" in request ? undefined : connections.of(request.socket);
    if (connection === undefined) return take(request, response, serving);
    if (!connection.ended) refuse(connection, { status: "417 Expectation Failed" }, connections);
  });
  const failed = new WeakSet<Socket>();
  server.on("clientError", (error: ClientError, socket: Socket) => {
    if (failed.has(socket)) return; // a further error of the same socket
    failed.add(socket);
    onClientError(error, socket, serving);
  });
}

type ClientError = Error & { readonly code?: string; readonly rawPacket?: Uint8Array };

/** Handles bytes that node's HTTP/1.1 parser rejected. Nothing more is read of the connection. */
function onClientError(error: ClientError, socket: Socket, serving: Serving): void {
  const { connections } = serving;
  const connection = connections.of(socket);
  if (connection === undefined) return void socket.destroy();
  if (connection.ended) return;
  connection.input?.stop();
  // Complete requests are still answered; one with a broken body is not.
  if (connection.answers.size > 0) return connections.endAfterAnswers(connection);
  if (error.code === "HPE_HEADER_OVERFLOW") return refuse(connection, { status: "431 Request Header Fields Too Large" }, connections);
  if (error.code !== "HPE_INVALID_METHOD") return refuse(connection, { status: "400 Bad Request" }, connections);
  const head = readHead(error.rawPacket ?? new Uint8Array());
  if (head !== undefined) return void serve(...exchangeOn(socket, head, () => connections.hangUp(connection)), serving);
  const { headers, body } = statusReply(methodNotAllowedError());
  const lines = Object.entries({ ...headers, "content-length": body.length, connection: "close" }).map(([name, value]) =>
    `${name}: ${value}\r\n`
  );
  refuseWith(connection, `HTTP/1.1 405 Method Not Allowed\r\n${lines.join("")}\r\n${body}`, connections);
}

function bound(
  server: Http2SecureServer,
  { host, port, sharesPort = false }: Pick<ListenOptions, "host" | "port" | "sharesPort">,
): Promise<{ address: string; port: number }> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(new Error(`cannot listen on ${host}, port ${port}: ${error.message}`, { cause: error }));
    server.once("error", fail);
    server.listen({ port, host, reusePort: sharesPort }, () => {
      server.off("error", fail);
      const at = server.address();
      if (at === null || typeof at === "string") reject(new Error(`Cannot listen on ${host}: no port was given`));
      else resolve({ address: at.address, port: at.port });
    });
  });
}
