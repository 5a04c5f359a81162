import type { ServerResponse } from "node:http";
import { constants } from "node:http2";
import { systemClock } from "../../core/async.ts";
import type { Reply } from "../../kernel/request/exchange.ts";
import { boundChunks, discardRest, type IncomingBody } from "./body.ts";
import type { Connection, Connections } from "./connections.ts";
import { checkHead, type Refusal } from "./head-check.ts";
import { StreamInput } from "./input.ts";
import { NodeSink } from "./node-sink.ts";
import type { Answering } from "./answering.ts";
import { answer, type Serving } from "./reply/answer.ts";
import { isReset } from "./request-queue.ts";
import { type Caller, type Request, RequestExchange, type Response } from "./request.ts";
import { bound } from "../../core/bound.ts";
import { discardBytesMax, lingerMs } from "./bounds.ts";

/** Pipelined requests of one HTTP/1.1 connection. */
const pipelinedRequestsMax = bound(32);

/** Answers one request now, or in a later turn of the event loop if its connection has many. */
export function take(request: Request, response: Response, serving: Serving): void {
  const queue = "stream" in request && request.stream.session !== undefined
    ? serving.connections.of(request.stream.session)?.queue
    : undefined;
  if (queue === undefined) return void serve(request, response, serving);
  queue.take(request, response, (...exchange) => void serve(...exchange, serving));
}

/** The other protocol that a request offers. */
export interface Upgrade {
  readonly offersWebSocket: boolean;
  /** Sends a reply in that protocol: messages over a websocket, or the bytes of a channel. */
  send(reply: Reply, answering: Answering): Promise<void>;
}

/** Answers one request; never rejects. */
export async function serve(request: Request, response: Response, serving: Serving, upgrade?: Upgrade): Promise<void> {
  const { connections } = serving, connection = connectionOf(request, connections);
  if (connection === undefined) return;
  const head = "stream" in request ? undefined : checkHead(request);
  if (head?.refused !== undefined) return refuse(connection, head.refused, connections);
  const answering = new NodeSink(response);
  connections.opened(connection, answering);
  const body = bodyOf(request, connection);
  const exchange = new RequestExchange(request, body, caller(connection, serving), {
    hasBody: "stream" in request ? !request.stream.endAfterHeaders : head?.hasBody === true,
    offersUpgrade: upgrade !== undefined,
    offersWebSocket: upgrade?.offersWebSocket === true,
  });
  followEnd(request, response, () => {
    connections.over(connection, answering);
    connection.queue?.closed(response.headersSent);
    // Complete only if the server ended it: an HTTP/2 response that its client cancelled is "finished", too.
    if (!response.writableEnded || !response.writableFinished) exchange.clientGone();
  });
  if (head?.hasBody === true) body.input.gate(false);
  if (head?.chunked === true) boundChunks(body, () => connection.socket.destroy());
  let unread = false;
  const isSent = await answer(
    {
      connection,
      exchange,
      sink: answering,
      isOver: () => response.destroyed || isReset(response),
      discardRest: () => {
        unread = isUnread(request);
        if (unread && !exchange.isStreaming) {
          return discardRest(body, discardBytesMax, () => endBehind(response, body, connection, connections)).then(() => setConnection());
        }
        setConnection();
        return undefined;
      },
      sendMessages: upgrade && ((reply) => upgrade.send(reply, answering)),
    },
    serving,
  );
  /** Says how an HTTP/1.1 connection goes on. */
  function setConnection(): void {
    if ("stream" in response) return;
    // A handler that streams goes on reading while it replies, and no request can follow a body that is not read to its end.
    if (unread && exchange.isStreaming) response.setHeader("connection", "close");
    else if (unread && isUnread(request)) stayOpen(response, connection!, connections);
    else if (serving.draining || head?.upgrades === true) response.setHeader("connection", "close");
  }
  if (upgrade !== undefined) exchange.clientGone();
  // From here on the connection counts as idle, so that a client with an endless body is disconnected in time.
  if (isSent && unread && isUnread(request)) {
    connections.over(connection, answering);
    endStream(response);
  }
}

/** The connection of a request that is to be answered. A request of a connection with too many answers ends with it. */
function connectionOf(request: Request, connections: Serving["connections"]): Connection | undefined {
  const connection = connections.of("stream" in request ? (request.stream.session ?? request) : request.socket);
  if (connection?.ended === true) return undefined;
  const isFull = connection === undefined || (connection.session === undefined && connection.answers.size >= pipelinedRequestsMax);
  return isFull ? void request.destroy() : connection;
}

function followEnd(request: Request, response: Response, closed: () => void): void {
  response.once("close", closed);
  request.on("error", () => {});
  response.on("error", () => {});
}

/** Answers an HTTP/1.1 request without a handler, as Go's server does, and ends its connection. */
export function refuse(connection: Connection, { status, detail }: Refusal, connections: Connections, headers = ""): void {
  const text = detail === undefined ? status : `${status}: ${detail}`,
    own = "Content-Type: text/plain; charset=utf-8\r\nConnection: close\r\n";
  refuseWith(connection, `HTTP/1.1 ${status}\r\n${headers}${own}\r\n${text}`, connections);
}

/** As `refuse`, with the complete answer. */
export function refuseWith(connection: Connection, answer: string, connections: Connections): void {
  const { socket, answers } = connection;
  // Before earlier answers it would be taken for one of them.
  if (!socket.writable || answers.size > 0) return void socket.destroy();
  socket.write(answer);
  connections.hangUp(connection);
}

/** Stops reading from a client that sends too much; an HTTP/1.1 connection ends after its answer. */
function endBehind(response: Response, { input }: IncomingBody, connection: Connection, connections: Connections): void {
  input.stop();
  if ("stream" in response) return;
  const end = (): void => connections.hangUp(connection);
  if (response.writableFinished || response.destroyed) end();
  else response.once("finish", end);
}

/**
 * Closing while the client still sends would reset the connection, which can lose the answer. One that is to be closed after the answer (`Connection: close`,
 * HTTP/1.0) stops being written, and is closed when the client has ended or after `lingerMs`.
 */
function stayOpen(response: ServerResponse, connection: Connection, connections: Connections): void {
  if (response.shouldKeepAlive) return;
  response.shouldKeepAlive = true;
  response.once("finish", () => connections.hangUp(connection));
}

/** Makes an HTTP/2 client stop sending a body after the answer (RFC 9113, section 8.1). Some runtimes send the reset before an answer
 *  that is queued, so the reset is delayed. */
function endStream(response: Response): void {
  if (!("stream" in response)) return;
  const { stream } = response;
  const end = (): void => {
    const timer = setTimeout(() => stream.close(constants.NGHTTP2_NO_ERROR), lingerMs);
    stream.once("close", () => clearTimeout(timer));
  };
  if (stream.writableFinished || stream.destroyed) end();
  else stream.once("finish", end);
}

/** Whether the body may have unread bytes. For HTTP/1.1 all of it may have arrived: Deno accepts no further request until it is read. */
function isUnread(request: Request): boolean {
  return !request.complete || (!("stream" in request) && request.readableLength > 0);
}

function bodyOf(request: Request, { input, queue }: Connection): IncomingBody {
  return { source: request, input: "stream" in request ? new StreamInput(request, queue) : input!, taken: 0, discarded: false };
}

/** The client of a request. */
export function caller(connection: Connection, { readPeer }: Serving): Caller {
  const now = systemClock.now();
  if (readPeer !== undefined && connection.tls !== undefined && (connection.peer === undefined || now > connection.peer.until)) {
    connection.peer = readPeer(connection.tls, now);
  }
  const { remote, peer } = connection;
  return { remote, peer: peer?.peer, peerRefused: peer?.refused, frontProxy: peer?.frontProxy };
}
