/** Joins the connection of a client with a channel, until one of both ends. */
import type { Socket } from "node:net";
import type { Reply } from "../../../kernel/request/exchange.ts";
import { bound } from "../../../core/bound.ts";
import type { Answering } from "../answering.ts";
import type { Connection, Connections } from "../connections.ts";
import { sendReply } from "../reply/send.ts";
import { RawSink } from "./raw-sink.ts";

/** Bytes as which each piece of input counts besides its own, in the bytes that one turn of the event loop reads. */
const channelPieceBytes = bound(1024);
/** Milliseconds for which a client may take the last bytes of a channel. */
const channelRestMs = bound(10_000);

export interface Joined {
  readonly socket: Socket;
  /** Bytes that arrived with the head of the request. */
  readonly early: Uint8Array;
  readonly connection: Connection;
  readonly connections: Connections;
  /** The plain answer, which this one replaces. */
  readonly plain: Answering;
}

/** Sends the head and the bytes of the channel, and passes the client's bytes to it. Each side waits for the other. */
export async function joinChannel(
  reply: Reply,
  channel: NonNullable<Reply["channel"]>,
  { socket, early, connection, connections, plain }: Joined,
): Promise<void> {
  const sink = new RawSink(socket), left = new AbortController(), { input } = connection;
  connections.opened(connection, sink);
  connections.over(connection, plain);
  const leave = (): void => left.abort();
  let isHeld = false;
  const receive = (piece: Uint8Array): void => {
    input?.share(piece.length + channelPieceBytes);
    const sent = channel.send(piece);
    if (sent === undefined) return;
    isHeld = true;
    socket.pause();
    input?.hold();
    void sent.then(() => {
      isHeld = false;
      input?.release();
      socket.resume();
    });
  };
  socket.on("close", leave).on("end", leave);
  try {
    const sent = sendReply(sink, reply, false, left);
    if (early.length > 0) receive(early);
    socket.on("data", receive);
    input?.gate(true);
    if (!isHeld) socket.resume();
    await sent;
  } finally {
    socket.off("close", leave).off("end", leave);
    leave();
    channel.close();
    await flushed(socket);
    connections.over(connection, sink);
    connections.hangUp(connection);
  }
}

/** Ends the output of a connection and resolves when it has left, or when its client does not take it in time. */
function flushed(socket: Socket): Promise<void> {
  if (socket.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(over, channelRestMs);
    function over(): void {
      clearTimeout(timer);
      socket.off("close", over);
      resolve();
    }
    socket.once("close", over).end(over);
  });
}
