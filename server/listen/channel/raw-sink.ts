/** Replies that change the protocol of a connection: after the head come the bytes of the channel, as they are. */
import type { Socket } from "node:net";
import type { Reply } from "../../../kernel/request/exchange.ts";
import { writeBytesMax } from "../../../protocols/http2/frame-writer.ts";
import type { Answering } from "../answering.ts";
import type { ReplySink } from "../reply/sink.ts";

export class RawSink implements Answering, ReplySink {
  /** Never set: a session may rest for any time, and a client that does not read holds no memory. */
  readonly waitsSince: number | undefined = undefined;
  readonly isWhole = true;
  readonly #socket: Socket;

  constructor(socket: Socket) {
    this.#socket = socket;
  }
  head({ headers }: Pick<Reply, "headers">): void {
    const lines = Object.entries(headers).flatMap(([name, value]) => [value].flat().map((each) => `${name}: ${each}\r\n`));
    this.#socket.write(Buffer.from(`HTTP/1.1 101 Switching Protocols\r\n${lines.join("")}\r\n`, "latin1"));
  }
  partEnd(chunk: Uint8Array, from: number): number {
    return Math.min(chunk.length, from + writeBytesMax);
  }
  write(part: Uint8Array, ready: () => void): boolean {
    if (this.#socket.write(part)) return true;
    this.#socket.once("drain", ready);
    return false;
  }
  end(): void {}
  breakOff(): void {
    this.#socket.destroy();
  }
}
