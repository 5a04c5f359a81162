/** A watch over a websocket: each event is a message. */
import { type IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Reply } from "../../../kernel/request/exchange.ts";
import type { Answering } from "../answering.ts";
import type { Connection, Connections } from "../connections.ts";
import type { Serving } from "../reply/answer.ts";
import { sendReply } from "../reply/send.ts";
import { refuse, serve } from "../serve-request.ts";
import { ClientFrames } from "../../../protocols/websocket/client-frames.ts";
import { closeCode, closeFrame, opcode, serverFrame } from "../../../protocols/websocket/server-frames.ts";
import { joinChannel } from "../channel/join-channel.ts";
import { handshakeMistake, offersWebSocket } from "./handshake.ts";
import { MessageSink } from "./message-sink.ts";
import { bound } from "../../../core/bound.ts";

/** Bytes that wait to be read by the client of a websocket above which the answers to its pings wait. */
const webSocketPongBacklogBytesMax = bound(16 * 1024);
/** Bytes as which each piece of input of a websocket counts besides its own, in the bytes that one turn of the event loop reads: it may hold a single frame. */
const webSocketPieceBytes = bound(1024);

/** Answers a request that offers a websocket, or another protocol. Replies without messages or a channel, such as errors, are plain HTTP. */
export function serveUpgrade(request: IncomingMessage, socket: Socket, early: Uint8Array, serving: Serving): void {
  const { connections } = serving, connection = connections.of(socket);
  // An answer to an earlier request could not be told from the messages.
  if (connection === undefined || connection.ended || connection.answers.size > 0) return void socket.destroy();
  const isWebSocket = offersWebSocket(request), mistake = isWebSocket ? handshakeMistake(request.headers) : undefined;
  if (mistake !== undefined) return refuse(connection, mistake, connections, "Sec-WebSocket-Version: 13\r\n");
  socket.on("error", () => {});
  // Not read until the server has decided.
  connection.input?.gate(false);
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once("finish", () => connections.hangUp(connection));
  const key = String(request.headers["sec-websocket-key"]);
  const send = (reply: Reply, plain: Answering): Promise<void> => {
    response.detachSocket(socket);
    if (reply.channel !== undefined) return joinChannel(reply, reply.channel, { socket, early, connection, connections, plain });
    const sink = new MessageSink(socket, key, reply.messages);
    connections.opened(connection, sink);
    connections.over(connection, plain);
    return messages(reply, { socket, early, connection, connections, sink, pending: serving.pending });
  };
  void serve(request, response, serving, { offersWebSocket: isWebSocket, send });
}

interface Carrier {
  readonly socket: Socket;
  /** Bytes that arrived with the head of the request. */
  readonly early: Uint8Array;
  readonly connection: Connection;
  readonly connections: Connections;
  readonly sink: MessageSink;
  readonly pending: Serving["pending"];
}

/** Sends the messages of a reply until they end, or the client leaves; then closes. */
async function messages(reply: Reply, { socket, early, connection, connections, sink, pending }: Carrier): Promise<void> {
  const left = new AbortController(), frames = new ClientFrames(), pongs = new Pongs(socket);
  let code: number = closeCode.normal;
  const leave = () => left.abort();
  const receive = (piece: Uint8Array) => {
    const { pong, close } = frames.read(piece);
    connection.input?.share(piece.length + webSocketPieceBytes);
    if (pong !== undefined) pongs.send(pong);
    if (close === undefined) return;
    code = close;
    leave();
  };
  socket.on("data", receive).on("close", leave).on("end", leave);
  connection.input?.gate(true);
  socket.resume();
  try {
    const sent = sendReply(sink, reply, false, left, pending);
    if (early.length > 0) receive(early);
    await sent;
  } catch (error) {
    code = closeCode.internal;
    throw error;
  } finally {
    socket.off("close", leave).off("end", leave);
    leave();
    pongs.flush(); // none may follow the close
    if (socket.writable) socket.write(closeFrame(code));
    connections.over(connection, sink);
    connections.hangUp(connection);
  }
}

/**
 * Answers the last ping of each turn of the event loop: each piece of input can hold one, and each answer is a write. While the client has too much
 * to read, the last of all is kept.
 */
class Pongs {
  readonly #socket: Socket;
  #content: Uint8Array | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
  }
  send(content: Uint8Array): void {
    if (this.#content === undefined) setImmediate(() => this.#whenRead());
    this.#content = content;
  }
  #whenRead(): void {
    if (this.#socket.writableLength < webSocketPongBacklogBytesMax) this.flush();
    else this.#socket.once("drain", () => this.#whenRead());
  }
  flush(): void {
    const content = this.#content;
    this.#content = undefined;
    if (content !== undefined && this.#socket.writable) this.#socket.write(serverFrame(opcode.pong, content));
  }
}
