import { createSecureServer, type Http2SecureServer } from "node:http2";
import type { Socket } from "node:net";
import { Server as TlsServer, type TLSSocket } from "node:tls";
import { limits } from "../../core/limits.ts";
import { internalError, methodNotAllowedError, type StatusError, statusOf } from "../../core/status-error.ts";
import type { Exchange, Reply } from "../exchange.ts";
import { discardRest } from "./body.ts";
import { type Connection, Connections, type ConnectionTimes, letIn } from "./connections.ts";
import { exchangeOn, readHead } from "./odd-method.ts";
import type { Response } from "./pump.ts";
import { type Caller, type Request, RequestExchange } from "./request.ts";
import { type ListenerTls, type Secured, secured } from "./secured.ts";
import { breakOff, notWanted, send } from "./send.ts";

export interface ListenOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly tls: ListenerTls;
  /** Requests that one HTTP/2 connection may have open; 0 is the bound of core/limits.ts. */
  readonly streamsMax?: number;
  /** Answers a request; it should not reject: that is reported and answered with 500. */
  handle(exchange: Exchange): Promise<Reply>;
  /** Told of every failure that is nobody's fault but ours. */
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
  const state: State = { draining: false, connections, readPeer, options };
  attach(server, state);
  const { address, port } = await bound(server, options.host, options.port).catch((error: unknown) => {
    void connections.close(0);
    throw error;
  });
  return {
    address,
    port,
    beginShutdown: () => {
      state.draining = true;
    },
    secure(tls) {
      const next = secured(tls);
      server.setSecureContext(next.context);
      if (state.readPeer === undefined) return;
      state.readPeer = next.readPeer;
      connections.forgetPeers();
    },
    close: async (graceMs) => {
      state.draining = true;
      // Not the server's own close(): it says goodbye to all sessions at once.
      TlsServer.prototype.close.call(server);
      await connections.close(graceMs);
    },
  };
}

/** Of an HTTP/2 server's options node hands none of these on to HTTP/1.1, but it reads them from the server itself. The times it
 *  would keep on some runtimes only; connections.ts keeps them on all. */
const http1Settings = Object.freeze({ maxHeaderSize: limits.headerBytesMax, headersTimeout: 0, requestTimeout: 0, keepAliveTimeout: 0 });

/** Deno's TLS sockets write a text as UTF-8 whatever encoding is asked for; the heads of HTTP/1.1 answers are Latin-1. */
function writeLatin1AsSaid(socket: TLSSocket): void {
  const write = socket.write.bind(socket) as (...args: readonly unknown[]) => boolean;
  socket.write = (chunk: unknown, encoding?: unknown, ...rest: readonly unknown[]) =>
    typeof chunk === "string" && encoding === "latin1" ? write(Buffer.from(chunk, "latin1"), ...rest) : write(chunk, encoding, ...rest);
}

interface State {
  draining: boolean;
  readonly connections: Connections;
  readPeer: Secured["readPeer"];
  readonly options: ListenOptions;
}

function attach(server: Http2SecureServer, state: State): void {
  const { connections } = state;
  const answered = new WeakSet<Socket>();
  server.on("connection", (socket: Socket) => connections.accepted(socket));
  server.on("secureConnection", (socket: TLSSocket) => {
    writeLatin1AsSaid(socket);
    connections.secured(socket);
  });
  server.on("session", (session) => connections.began(session));
  server.on("tlsClientError", () => state.options.handshakeFailed?.());
  // Nothing to do for a connection that broke: its requests hear of it by their own close.
  server.on("sessionError", () => {});
  server.on("request", (request: Request, response: Response) => void serve(request, response, state));
  server.on("clientError", (error: ClientError, socket: Socket) => {
    if (answered.has(socket)) return; // more of what was not understood
    answered.add(socket);
    onClientError(error, socket, state);
  });
}

async function serve(request: Request, response: Response, state: State): Promise<void> {
  const { connections, options } = state;
  const connection = connections.of("stream" in request ? (request.stream.session ?? request) : request.socket);
  if (connection === undefined || (connection.session === undefined && connection.answers.size >= limits.pipelinedRequestsMax)) {
    return void request.destroy();
  }
  const answering = connections.opened(connection, response);
  const exchange = new RequestExchange(request, caller(connection, state));
  response.once("close", () => {
    answering.over();
    // Ended by us and all of it sent: an HTTP/2 response that its client cancelled calls itself finished too.
    if (!response.writableEnded || !response.writableFinished) exchange.clientGone();
  });
  request.on("error", () => {});
  response.on("error", () => {});
  if (announcesBody(request)) letIn(connection, false);
  const reply = await replyTo(exchange, options);
  if (response.destroyed) return void notWanted(reply);
  if (reply.goAway === true) connections.sendAway(connection);
  // Telling an HTTP/2 client to stop would be kinder than reading on, but on some runtimes the reset overtakes the answer.
  const unread = isUnread(request);
  if (unread) await discardRest(request, limits.discardBytesMax, (open) => letIn(connection, open), () => breakOff(response));
  if (!("stream" in response)) {
    // To close while the client still sends would be a reset, which can cost it the answer: then the closing is left to it.
    if (unread) response.shouldKeepAlive = true;
    else if (state.draining) response.setHeader("connection", "close");
  }
  try {
    await send(response, reply, request.method === "HEAD", exchange, answering);
    // From here on the connection counts as idle, so that a client that never ends its body is cut off in time.
    if (unread && isUnread(request)) answering.over();
  } catch (error) {
    options.report(error);
    breakOff(response);
  }
}

/** Whether there may be more of its body. One of HTTP/1.1 may be here already and unread all the same: Deno takes no further request
 *  until somebody reads it. */
function isUnread(request: Request): boolean {
  return "stream" in request ? !request.complete : announcesBody(request) && !request.readableEnded;
}

/** Of HTTP/1.1 requests, which say so in their head (RFC 9112, 6.1). */
function announcesBody({ headers }: Request): boolean {
  return (headers["content-length"] ?? "0") !== "0" || headers["transfer-encoding"] !== undefined;
}

async function replyTo(exchange: Exchange, options: ListenOptions): Promise<Reply> {
  try {
    return await options.handle(exchange);
  } catch (error) {
    options.report(error);
    return statusReply(internalError("the request could not be answered"));
  }
}

function caller(connection: Connection, state: State): Caller {
  const now = Date.now();
  if (state.readPeer !== undefined && connection.tls !== undefined && (connection.peer === undefined || now > connection.peer.until)) {
    connection.peer = state.readPeer(connection.tls, now);
  }
  const { remote, peer } = connection;
  return {
    remote,
    peer: peer?.peer,
    peerRefused: peer?.refused,
    frontProxy: peer?.frontProxy,
    gate: (open) => letIn(connection, open),
  };
}

type ClientError = Error & { readonly code?: string; readonly rawPacket?: Uint8Array };

/** Bytes that node's HTTP/1.1 parser refused. */
function onClientError(error: ClientError, socket: Socket, state: State): void {
  const connection = state.connections.of(socket);
  // An answer in front of others that are still to come would be taken for one of them.
  if (!socket.writable || connection === undefined || connection.answers.size > 0) return void socket.destroy();
  if (error.code !== "HPE_INVALID_METHOD") {
    const status = error.code === "HPE_HEADER_OVERFLOW" ? "431 Request Header Fields Too Large" : "400 Bad Request";
    socket.end(`HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${status}`);
    return;
  }
  const head = readHead(error.rawPacket ?? new Uint8Array());
  if (head !== undefined) return void serve(...exchangeOn(socket, head), state);
  const { headers, body } = statusReply(methodNotAllowedError());
  const lines = Object.entries({ ...headers, "content-length": body.length, connection: "close" }).map(([name, value]) =>
    `${name}: ${value}\r\n`
  );
  socket.end(`HTTP/1.1 405 Method Not Allowed\r\n${lines.join("")}\r\n${body}`);
}

function statusReply(error: StatusError): { status: number; headers: Record<string, string>; body: string } {
  const headers = { "content-type": "application/json", "cache-control": "no-cache, private" };
  return { status: error.code, headers, body: JSON.stringify(statusOf(error)) + "\n" };
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
