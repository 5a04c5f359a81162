import { constants } from "node:http2";
import { limits } from "../../core/limits.ts";
import { internalError, type StatusError, statusOf } from "../../core/status-error.ts";
import type { Exchange, Reply } from "../request/exchange.ts";
import { boundChunks, discardRest, type IncomingBody } from "./body.ts";
import type { Connection, Connections } from "./connections.ts";
import { framingOf, type Refusal } from "./framing.ts";
import { StreamInput } from "./input.ts";
import type { Response } from "./pump.ts";
import { isReset } from "./request-queue.ts";
import { type Caller, type Request, RequestExchange } from "./request.ts";
import type { Secured } from "./secured.ts";
import { breakOff, notWanted, send } from "./send.ts";

/** What the requests of one listener have in common. */
export interface Serving {
  /** HTTP/1.1 clients are asked to reconnect. */
  draining: boolean;
  readonly connections: Connections;
  readPeer: Secured["readPeer"];
  handle(exchange: Exchange): Promise<Reply>;
  report(error: unknown): void;
}

/** Answers one request now, or in a later turn of the event loop if its connection has many. */
export function take(request: Request, response: Response, serving: Serving): void {
  const queue = "stream" in request && request.stream.session !== undefined
    ? serving.connections.of(request.stream.session)?.queue
    : undefined;
  if (queue === undefined) return void serve(request, response, serving);
  queue.take(request, response, (...exchange) => void serve(...exchange, serving));
}

/** Answers one request; never rejects. */
export async function serve(request: Request, response: Response, serving: Serving): Promise<void> {
  const { connections } = serving;
  const connection = connections.of("stream" in request ? (request.stream.session ?? request) : request.socket);
  if (connection?.ended === true) return;
  if (connection === undefined || (connection.session === undefined && connection.answers.size >= limits.pipelinedRequestsMax)) {
    return void request.destroy();
  }
  const framing = "stream" in request ? undefined : framingOf(request);
  if (framing?.refused !== undefined) return refuse(connection, framing.refused, connections);
  const answering = connections.opened(connection, response);
  const body = bodyOf(request, connection);
  const exchange = new RequestExchange(request, caller(connection, body, serving));
  response.once("close", () => {
    answering.over();
    connection.queue?.closed(response.headersSent);
    // Ended by us and all of it sent: an HTTP/2 response that its client cancelled calls itself finished too.
    if (!response.writableEnded || !response.writableFinished) exchange.clientGone();
  });
  request.on("error", () => {});
  response.on("error", () => {});
  if (framing?.hasBody === true) body.input.gate(false);
  if (framing?.chunked === true) boundChunks(body, () => connection.socket.destroy());
  const reply = await replyTo(exchange, serving);
  if (response.destroyed || isReset(response)) return void notWanted(reply);
  if (reply.goAway === true) connections.sendAway(connection);
  const unread = isUnread(request);
  if (unread) await discardRest(body, limits.discardBytesMax, () => endBehind(response, body, connection, connections));
  if (!("stream" in response)) {
    // To close while the client still sends would be a reset, which can cost it the answer: then the closing is left to it.
    if (unread) response.shouldKeepAlive = true;
    else if (serving.draining || framing?.upgrades === true) response.setHeader("connection", "close");
  }
  try {
    await send(response, reply, request.method === "HEAD", exchange, answering);
    // From here on the connection counts as idle, so that a client that never ends its body is cut off in time.
    if (unread && isUnread(request)) {
      answering.over();
      endStream(response);
    }
  } catch (error) {
    serving.report(error);
    breakOff(response);
  }
}

/** Answers an HTTP/1.1 request that no handler gets, as Go's server does, and ends its connection. */
export function refuse(connection: Connection, { status, detail }: Refusal, connections: Connections): void {
  const text = detail === undefined ? status : `${status}: ${detail}`;
  refuseWith(connection, `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${text}`, connections);
}

/** The same with the whole answer as it is sent. */
export function refuseWith(connection: Connection, answer: string, connections: Connections): void {
  const { socket, answers } = connection;
  // In front of answers that are still to come it would be taken for one of them.
  if (!socket.writable || answers.size > 0) return void socket.destroy();
  socket.write(answer);
  connections.hangUp(connection);
}

/** Nothing more is read of a client that sends too much; an HTTP/1.1 connection ends behind its answer. */
function endBehind(response: Response, { input }: IncomingBody, connection: Connection, connections: Connections): void {
  input.stop();
  if ("stream" in response) return;
  const end = (): void => connections.hangUp(connection);
  if (response.writableFinished || response.destroyed) end();
  else response.once("finish", end);
}

/** Has an HTTP/2 client send no more of a body, once it is answered (RFC 9113, 8.1). Some runtimes send a reset before an answer that
 *  is on its way, so it gets a head start. */
function endStream(response: Response): void {
  if (!("stream" in response)) return;
  const { stream } = response;
  const end = (): void => {
    const timer = setTimeout(() => stream.close(constants.NGHTTP2_NO_ERROR), limits.lingerMs);
    stream.once("close", () => clearTimeout(timer));
  };
  if (stream.writableFinished || stream.destroyed) end();
  else stream.once("finish", end);
}

/** Whether there may be more of its body. One of HTTP/1.1 may be here already and unread all the same: Deno takes no further request
 *  until somebody reads it. */
function isUnread(request: Request): boolean {
  return !request.complete || (!("stream" in request) && request.readableLength > 0);
}

function bodyOf(request: Request, { input, queue }: Connection): IncomingBody {
  return { source: request, input: "stream" in request ? new StreamInput(request, queue) : input!, taken: 0, discarded: false };
}

async function replyTo(exchange: Exchange, { handle, report }: Serving): Promise<Reply> {
  try {
    return await handle(exchange);
  } catch (error) {
    report(error);
    return statusReply(internalError("the request could not be answered"));
  }
}

function caller(connection: Connection, body: IncomingBody, { readPeer }: Serving): Caller {
  const now = Date.now();
  if (readPeer !== undefined && connection.tls !== undefined && (connection.peer === undefined || now > connection.peer.until)) {
    connection.peer = readPeer(connection.tls, now);
  }
  const { remote, peer } = connection;
  return { remote, peer: peer?.peer, peerRefused: peer?.refused, frontProxy: peer?.frontProxy, body };
}

/** An answer that only says what failed. */
export function statusReply(error: StatusError): { status: number; headers: Record<string, string>; body: string } {
  const headers = { "content-type": "application/json", "cache-control": "no-cache, private" };
  return { status: error.code, headers, body: JSON.stringify(statusOf(error)) + "\n" };
}
