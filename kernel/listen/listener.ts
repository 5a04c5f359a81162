import { createSecureServer, type Http2SecureServer } from "node:http2";
import type { Socket } from "node:net";
import { Server as TlsServer, type TLSSocket } from "node:tls";
import { limits } from "../../core/limits.ts";
import { methodNotAllowedError } from "../../core/status-error.ts";
import type { Exchange, Reply } from "../request/exchange.ts";
import { Connections, type ConnectionTimes } from "./connections.ts";
import { exchangeOn, readHead } from "./odd-method.ts";
import type { Response } from "./pump.ts";
import type { Request } from "./request.ts";
import { type ListenerTls, secured } from "./secured.ts";
import { refuse, refuseWith, serve, type Serving, statusReply, take } from "./serve-request.ts";

export interface ListenOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly tls: ListenerTls;
  /** Requests that one HTTP/2 connection may have open; 0 is the bound of core/limits.ts. */
  readonly streamsMax?: number;
  /** Answers a request; it should not reject: that is reported and answered with 500. */
  handle(exchange: Exchange): Promise<Reply>;
  /** Called with every internal error. */
  report(error: unknown): void;
  /** Told of every connection that was dropped because TLS could not be agreed on. */
  handshakeFailed?(): void;
  /** Other times than those of core/limits.ts. */
  readonly times?: Partial<ConnectionTimes>;
}

/** A server on one address: HTTP/1.1 and HTTP/2 over TLS. */
export interface Listener {
  readonly address: string;
  readonly port: number;
  /** From now on HTTP/1.1 answers ask the client to reconnect; nothing is refused yet. */
  beginShutdown(): void;
  /** Takes other certificates into force: connections that come from now on are shown them, and what clients of open ones have shown is
   *  judged anew with their next requests. No connection ends for it. Throws, with nothing changed, where they are no good. Whether
   *  clients are asked for certificates at all stays as it was. */
  secure(tls: ListenerTls): void;
  /** Accepts nothing new, lets what is being answered finish and resolves when every connection is gone. After `graceMs` the rest
   *  is cut off, so it resolves whatever clients do. Answers that never end (watches) are the caller's to end. */
  close(graceMs: number): Promise<void>;
}

/** Listens; rejects when the address cannot be taken or the certificates are not PEM. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const { context, readPeer } = secured(options.tls);
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
    // A certificate that is not trusted is an answer (401), not a failed handshake.
    rejectUnauthorized: false,
    // Not less where few may be open: a large list is one of them.
    maxSessionMemory: limits.streamMemoryMebibytes * Math.max(streamsMax, limits.streamsPerConnectionMax),
    // In HTTP/2 one header also may not be over 64 KiB after compression: that is nghttp2's own bound.
    maxHeaderListPairs: limits.headersMax,
    settings: { maxConcurrentStreams: streamsMax, maxHeaderListSize: limits.headerBytesMax },
  });
  Object.assign(server, http1Settings);
  const { handle, report } = options;
  const serving: Serving = { draining: false, connections, readPeer, handle, report };
  attach(server, serving, options.handshakeFailed);
  const { address, port } = await bound(server, options.host, options.port).catch((error: unknown) => {
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
      const next = secured(tls);
      server.setSecureContext(next.context);
      if (serving.readPeer === undefined) return;
      serving.readPeer = next.readPeer;
      connections.forgetPeers();
    },
    close: async (graceMs) => {
      serving.draining = true;
      // Not the server's own close(): it says goodbye to all sessions at once.
      TlsServer.prototype.close.call(server);
      await connections.close(graceMs);
    },
  };
}

/** Of an HTTP/2 server's options node hands none of these on to HTTP/1.1, but it reads them from the server itself. The times it
 *  would keep on some runtimes only; connections.ts keeps them on all. */
const http1Settings = Object.freeze({
  maxHeaderSize: limits.headerBytesMax,
  // One more than are allowed: the parser drops further ones, and that there were more must be seen.
  maxHeadersCount: limits.headersMax + 1,
  // Left to framing.ts, for the same answer on all runtimes.
  requireHostHeader: false,
  // Whatever the flags of the runtime.
  insecureHTTPParser: false,
  headersTimeout: 0,
  requestTimeout: 0,
  keepAliveTimeout: 0,
});

/** Deno's TLS sockets write a text as UTF-8 whatever encoding is asked for; the heads of HTTP/1.1 answers are Latin-1. */
function writeLatin1AsSaid(socket: TLSSocket): void {
  const write = socket.write.bind(socket) as (...args: readonly unknown[]) => boolean;
  socket.write = (chunk: unknown, encoding?: unknown, ...rest: readonly unknown[]) =>
    typeof chunk === "string" && encoding === "latin1" ? write(Buffer.from(chunk, "latin1"), ...rest) : write(chunk, encoding, ...rest);
}

function attach(server: Http2SecureServer, serving: Serving, handshakeFailed: (() => void) | undefined): void {
  const { connections } = serving;
  server.on("connection", (socket: Socket) => connections.accepted(socket));
  // Before the server's own listener, which makes the session.
  server.prependListener("secureConnection", (socket: TLSSocket) => {
    writeLatin1AsSaid(socket);
    connections.secured(socket);
  });
  server.on("session", (session) => connections.began(session));
  server.on("tlsClientError", () => handshakeFailed?.());
  // Nothing to do for a connection that broke: its requests hear of it by their own close.
  server.on("sessionError", () => {});
  server.on("request", (request: Request, response: Response) => take(request, response, serving));
  server.on("checkExpectation", (request: Request, response: Response) => {
    const connection = "stream" in request ? undefined : connections.of(request.socket);
    if (connection === undefined) return take(request, response, serving);
    if (!connection.ended) refuse(connection, { status: "417 Expectation Failed" }, connections);
  });
  const failed = new WeakSet<Socket>();
  server.on("clientError", (error: ClientError, socket: Socket) => {
    if (failed.has(socket)) return; // what came behind it
    failed.add(socket);
    onClientError(error, socket, serving);
  });
}

type ClientError = Error & { readonly code?: string; readonly rawPacket?: Uint8Array };

/** Bytes that node's HTTP/1.1 parser refused. Nothing more is read of them. */
function onClientError(error: ClientError, socket: Socket, serving: Serving): void {
  const { connections } = serving;
  const connection = connections.of(socket);
  if (connection === undefined) return void socket.destroy();
  if (connection.ended) return;
  connection.input?.stop();
  // Requests that came whole are still answered; one whose body is broken is not.
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

function bound(server: Http2SecureServer, host: string, port: number): Promise<{ address: string; port: number }> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(new Error(`cannot listen on ${host}, port ${port}: ${error.message}`, { cause: error }));
    server.once("error", fail);
    server.listen(port, host, () => {
      server.off("error", fail);
      const at = server.address();
      if (at === null || typeof at === "string") reject(new Error(`Cannot listen on ${host}: no port was given`));
      else resolve({ address: at.address, port: at.port });
    });
  });
}
