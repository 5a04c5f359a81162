/** A watch over a websocket: each event is a message. */
import { type IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { ChunkIterator, Reply } from "../../../kernel/request/exchange.ts";
import type { Connection, Connections } from "../connections.ts";
import { type Answering, stop } from "../pump.ts";
import { refuse, serve, type Serving } from "../serve-request.ts";
import { ClientFrames, closeCode, closeFrame, opcode, serverFrame } from "./client-frames.ts";
import { acceptOf, handshakeMistake } from "./handshake.ts";
import { bound } from "../../../core/bound.ts";

/** Bytes that wait to be read by the client of a websocket above which the answers to its pings wait. */
const webSocketPongBacklogBytesMax = bound(16 * 1024);
/** Bytes as which each piece of input of a websocket counts besides its own, in the bytes that one turn of the event loop reads: it may hold a single frame. */
const webSocketPieceBytes = bound(1024);

/** Answers a request that offers a websocket. Replies without messages, such as errors, are plain HTTP. */
export function serveUpgrade(request: IncomingMessage, socket: Socket, early: Uint8Array, serving: Serving): void {
  const { connections } = serving, connection = connections.of(socket);
  // An answer to an earlier request could not be told from the messages.
  if (connection === undefined || connection.ended || connection.answers.size > 0) return void socket.destroy();
  const mistake = handshakeMistake(request.headers);
  if (mistake !== undefined) return refuse(connection, mistake, connections, "Sec-WebSocket-Version: 13\r\n");
  socket.on("error", () => {});
  // Not read until the server has decided.
  connection.input?.gate(false);
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once("finish", () => connections.hangUp(connection));
  const key = String(request.headers["sec-websocket-key"]);
  void serve(request, response, serving, (reply, plain) => {
    response.detachSocket(socket);
    const answering: Answering = { waitsSince: undefined, isWhole: true, breakOff: () => socket.destroy() };
    connections.opened(connection, answering);
    connections.over(connection, plain);
    return messages(reply, { socket, early, key, connection, connections, answering });
  });
}

interface Carrier {
  readonly socket: Socket;
  /** Bytes that arrived with the head of the request. */
  readonly early: Uint8Array;
  readonly key: string;
  readonly connection: Connection;
  readonly connections: Connections;
  readonly answering: Answering;
}

/** Sends the messages of a reply until they end, or the client leaves; then closes. */
async function messages({ headers, body, messages: kind, givenUp }: Reply, carrier: Carrier): Promise<void> {
  const { socket, early, key, connection, connections, answering } = carrier;
  if (typeof body === "string" || body instanceof Uint8Array || kind === undefined) throw new Error("a websocket needs messages");
  const chunks = body[Symbol.asyncIterator](), left = Promise.withResolvers<undefined>(), frames = new ClientFrames();
  let code: number = closeCode.normal;
  const leave = () => left.resolve(undefined);
  const pongs = new Pongs(socket);
  const receive = (piece: Uint8Array) => {
    const { pong, close } = frames.read(piece);
    connection.input?.share(piece.length + webSocketPieceBytes);
    if (pong !== undefined) pongs.send(pong);
    if (close === undefined) return;
    code = close;
    leave();
  };
  const breakOff = () => answering.waitsSince === undefined || socket.destroy();
  givenUp?.addEventListener("abort", breakOff, { once: true });
  socket.on("data", receive).on("close", leave).on("end", leave);
  connection.input?.gate(true);
  socket.resume();
  socket.write(head(key, headers), "latin1");
  if (early.length > 0) receive(early);
  try {
    await sendAll(chunks, kind, { socket, answering, left: left.promise });
  } catch (error) {
    code = closeCode.internal;
    throw error;
  } finally {
    givenUp?.removeEventListener("abort", breakOff);
    socket.off("close", leave).off("end", leave);
    stop(chunks);
    pongs.flush(); // none may follow the close
    if (socket.writable) socket.write(closeFrame(code));
    connections.over(connection, answering);
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

async function sendAll(
  chunks: ChunkIterator,
  kind: NonNullable<Reply["messages"]>,
  { socket, answering, left }: { readonly socket: Socket; readonly answering: Answering; readonly left: Promise<undefined> },
): Promise<void> {
  for (;;) {
    const next = await Promise.race([chunks.next(), left]);
    if (next === undefined || next.done === true) return;
    for (const message of messagesOf(next.value, kind)) {
      if (socket.write(serverFrame(kind === "lines" ? opcode.text : opcode.binary, message))) continue;
      answering.waitsSince = performance.now();
      const drained = Promise.withResolvers<void>();
      socket.once("drain", drained.resolve);
      await Promise.race([drained.promise, left]);
      socket.off("drain", drained.resolve);
      answering.waitsSince = undefined;
      if (socket.destroyed) return;
    }
  }
}

/** The events of a chunk: lines of text, or binary events that follow their length in four bytes. */
export function messagesOf(chunk: Uint8Array, kind: NonNullable<Reply["messages"]>): readonly Uint8Array[] {
  if (kind === "whole") return [chunk];
  const found: Uint8Array[] = [], view = new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  for (let at = 0; at < chunk.length;) {
    const from = kind === "lines" ? at : at + 4;
    const newline = kind === "lines" ? chunk.indexOf(0x0a, at) : -1;
    const to = kind === "lines" ? (newline < 0 ? chunk.length : newline + 1) : from + view.getUint32(at);
    found.push(chunk.subarray(from, to));
    at = to;
  }
  return found;
}

function head(key: string, headers: Reply["headers"]): string {
  const own = { upgrade: "websocket", connection: "Upgrade", "sec-websocket-accept": acceptOf(key) };
  const lines = Object.entries({ ...headers, ...own }).flatMap(([name, value]) => [value].flat().map((each) => `${name}: ${each}\r\n`));
  return `HTTP/1.1 101 Switching Protocols\r\n${lines.join("")}\r\n`;
}
