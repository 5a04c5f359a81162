/** The servers of a listener: TLS, and HTTP/1.1 and HTTP/2 above it. */
import type { IncomingMessage } from "node:http";
import { createSecureServer, type Http2SecureServer } from "node:http2";
import type { Socket } from "node:net";
import type { Server as TlsServer, TlsOptions, TLSSocket } from "node:tls";
import { methodNotAllowedError } from "../../core/status-error.ts";
import { Slabs } from "../../protocols/http2/frame-writer.ts";
import { HeadEncoder } from "./http2/response-head.ts";
import { serveSession, type Sessions } from "./http2/serve-session.ts";
import type { Request, Response } from "./request.ts";
import { type Serving, statusReply } from "./reply/answer.ts";
import { refuse, refuseWith, serve, take } from "./serve-request.ts";
import { exchangeOn, readHead } from "./unknown-method.ts";
import { offersUpgrade } from "./websocket/handshake.ts";
import { serveUpgrade } from "./websocket/serve-websocket.ts";
import { bound } from "../../core/bound.ts";
import { headerBytesMax } from "../../kernel/access/authentication/token-chain.ts";
import { headersMax } from "../../protocols/http2/client/hpack.ts";
import { streamsPerConnectionMax } from "./bounds.ts";

/** Bytes of the buffers of unread frames of all HTTP/2 connections, above which the connection ends whose client has read nothing for the longest
 *  time. */
const http2UnreadBytesOfAllMax = bound(128 * 1024 * 1024);
/** Memory of Node for an HTTP/2 connection, in mebibytes per concurrent request. Node's default, 10 for the connection, is too small for a
 *  connection with many watches. */
const streamMemoryMebibytes = bound(1);

/** Node does not pass these options of an HTTP/2 server on to HTTP/1.1, but reads them from the server object. Its timeouts would
 *  work on some runtimes only; connections.ts implements them for all. */
const http1Settings = Object.freeze({
  maxHeaderSize: headerBytesMax,
  // One more than the bound: the parser drops further headers, and the excess must be detected.
  maxHeadersCount: headersMax + 1,
  // Checked in head-check.ts, for the same answer on all runtimes.
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

/** A server with our own implementation of HTTP/2. */
export function ownServer(secure: TlsOptions, streamsMax: number, serving: Serving): TlsServer {
  const { connections } = serving;
  // HTTP/1.1 is served as by the runtime's server of both protocols: with Deno's server of node:http, a client that still sends when it is
  // answered gets a reset in place of the answer.
  const server = createSecureServer({ allowHTTP1: true, ...secure });
  const runtimeListeners = server.listeners("secureConnection") as ((this: unknown, socket: TLSSocket) => void)[];
  server.removeAllListeners("secureConnection");
  const sessions: Sessions = {
    serving,
    slabs: new Slabs(http2UnreadBytesOfAllMax, () => connections.endSlowest()),
    encoder: new HeadEncoder(),
    streamsMax,
  };
  server.on("connection", (socket: Socket) => connections.accepted(socket));
  server.on("secureConnection", (socket: TLSSocket) => {
    connections.handshakeCompleted(socket);
    if (socket.alpnProtocol !== "h2") {
      keepLatin1(socket);
      for (const listener of runtimeListeners) listener.call(server, socket);
      return;
    }
    const connection = connections.of(socket);
    if (connection !== undefined && !socket.destroyed) serveSession(connection, sessions);
  });
  serveHttp1(server, serving);
  return server as unknown as TlsServer; // its class at run time; the types declare its events only
}

/** The server of node:http2. */
export function runtimeServer(secure: TlsOptions, streamsMax: number, serving: Serving): TlsServer {
  const { connections } = serving;
  const server = createSecureServer({
    allowHTTP1: true,
    ...secure,
    // Not less for few streams: a large list needs as much.
    maxSessionMemory: streamMemoryMebibytes * Math.max(streamsMax, streamsPerConnectionMax),
    // In HTTP/2 nghttp2 itself also bounds one header to 64 KiB after compression.
    maxHeaderListPairs: headersMax,
    settings: { maxConcurrentStreams: streamsMax, maxHeaderListSize: headerBytesMax },
  });
  server.on("connection", (socket: Socket) => connections.accepted(socket));
  // Before the server's own listener, which creates the session.
  server.prependListener("secureConnection", (socket: TLSSocket) => {
    keepLatin1(socket);
    connections.handshakeCompleted(socket);
  });
  server.on("session", (session) => connections.began(session));
  // Requests of a broken connection are notified by their own close event.
  server.on("sessionError", () => {});
  serveHttp1(server, serving);
  return server as unknown as TlsServer;
}

/** Serves the requests that the runtime reads: those of HTTP/1.1, and with its implementation those of HTTP/2. */
function serveHttp1(server: Http2SecureServer, serving: Serving): void {
  const { connections } = serving;
  Object.assign(server, http1Settings, { shouldUpgradeCallback: offersUpgrade });
  server.on("upgrade", (request: IncomingMessage, socket: Socket, early: Uint8Array) => serveUpgrade(request, socket, early, serving));
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
