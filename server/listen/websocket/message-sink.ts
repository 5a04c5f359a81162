/** Replies over a websocket: each event of a watch is a message. */
import type { Socket } from "node:net";
import type { Reply } from "../../../kernel/request/exchange.ts";
import type { Answering } from "../answering.ts";
import type { ReplySink } from "../reply/sink.ts";
import { acceptOf, opcode, serverFrame } from "../../../protocols/websocket/server-frames.ts";

/** How messages are separated in a chunk. */
type Messages = NonNullable<Reply["messages"]>;

const nothing = new Uint8Array(0);
/** Bytes before each binary event, which are its length. */
const lengthBytes = 4;

export class MessageSink implements Answering, ReplySink {
  waitsSince: number | undefined;
  readonly isWhole = true;
  readonly #socket: Socket;
  readonly #key: string;
  readonly #messages: Messages;

  /** `key`: `Sec-WebSocket-Key` of the request. */
  constructor(socket: Socket, key: string, messages: Messages = "whole") {
    this.#socket = socket;
    this.#key = key;
    this.#messages = messages;
  }
  head({ headers }: Pick<Reply, "headers">): void {
    const own = { upgrade: "websocket", connection: "Upgrade", "sec-websocket-accept": acceptOf(this.#key) };
    const lines = Object.entries({ ...headers, ...own }).flatMap(([name, value]) => [value].flat().map((each) => `${name}: ${each}\r\n`));
    this.#socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join("")}\r\n`, "latin1");
  }
  partEnd(chunk: Uint8Array, from: number): number {
    return messageEnd(chunk, from, this.#messages);
  }
  write(part: Uint8Array, ready: () => void): boolean {
    if (this.#send(part)) return true;
    this.waitsSince = performance.now();
    this.#socket.once("drain", () => {
      this.waitsSince = undefined;
      ready();
    });
    return false;
  }
  /** The caller sends the frame that closes the websocket. */
  end(whole: Uint8Array = nothing): void {
    for (let at = 0, end = 0; at < whole.length; at = end) {
      end = this.partEnd(whole, at);
      this.#send(whole.subarray(at, end));
    }
  }
  breakOff(): void {
    this.#socket.destroy();
  }
  #send(part: Uint8Array): boolean {
    const message = this.#messages === "lengths" ? part.subarray(lengthBytes) : part;
    return this.#socket.write(serverFrame(this.#messages === "lines" ? opcode.text : opcode.binary, message));
  }
}

/** The end of the event that begins at `from`: a line of text, or a binary event that follows its length in four bytes. */
export function messageEnd(chunk: Uint8Array, from: number, messages: Messages): number {
  if (messages === "whole") return chunk.length;
  if (messages === "lengths") return from + lengthBytes + new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength).getUint32(from);
  const newline = chunk.indexOf(0x0a, from);
  return newline < 0 ? chunk.length : newline + 1;
}
