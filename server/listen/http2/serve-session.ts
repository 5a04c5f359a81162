/** HTTP/2 connections with our own implementation: their requests go to the handler of the listener. */
import type { Slabs } from "../../../protocols/http2/frame-writer.ts";
import { methodNotAllowedError } from "../../../core/status-error.ts";
import type { Connection } from "../connections.ts";
import { answer, type Serving, statusReply } from "../reply/answer.ts";
import { caller } from "../serve-request.ts";
import { StreamExchange } from "./exchange.ts";
import type { HeadEncoder } from "./response-head.ts";
import { ServerSession } from "./session.ts";
import type { ServerStream } from "./stream.ts";
import { StreamSink } from "./stream-sink.ts";

/** What the sessions of one listener share. */
export interface Sessions {
  readonly serving: Serving;
  readonly slabs: Slabs;
  readonly encoder: HeadEncoder;
  readonly streamsMax: number;
}

/** Starts HTTP/2 on a connection after its handshake. */
export function serveSession(connection: Connection, sessions: Sessions): void {
  const { tls, input } = connection;
  if (tls === undefined || input === undefined) return;
  const { serving: { connections, report }, slabs, streamsMax } = sessions;
  const session = new ServerSession({
    socket: tls,
    input,
    turns: connections.turns,
    slabs,
    streamsMax,
    onRequest: (stream) => void serveStream(stream, connection, sessions),
    onTooLargeHead: (stream) => refuse(stream, connection, sessions),
    report,
  });
  connections.beganOn(connection, session);
}

/** Answers one request; never rejects. */
async function serveStream(stream: ServerStream, connection: Connection, { serving, encoder }: Sessions): Promise<void> {
  const { connections } = serving;
  const exchange = new StreamExchange(stream, caller(connection, serving));
  connections.opened(connection, stream);
  stream.onOver = (isDone) => {
    connections.over(connection, stream);
    if (!isDone) exchange.clientGone();
  };
  const { head: { method, headers }, body } = stream;
  if (headers["expect"] === "100-continue" && !body.isWhole) stream.inform(encoder.informational(100));
  const sink = new StreamSink(stream, encoder);
  await answer(
    {
      connection,
      exchange,
      sink,
      isOver: () => stream.isOver,
      discardRest: () => body.isWhole ? undefined : body.discard(),
    },
    serving,
    method === "CONNECT" ? refuseConnect : serving.handle,
  );
}
const refuseConnect = () => Promise.resolve(statusReply(methodNotAllowedError()));

/** Answers a request with too large a head, as for HTTP/1.1. */
function refuse(stream: ServerStream, connection: Connection, { serving: { connections }, encoder }: Sessions): void {
  connections.opened(connection, stream);
  stream.onOver = () => connections.over(connection, stream);
  const text = Buffer.from("431 Request Header Fields Too Large");
  stream.respond(encoder.head(431, { "content-type": "text/plain; charset=utf-8" }, text.length), false);
  stream.send(text, true);
}
