/** Frames on their way to the client of a websocket. */
import { closeFrame, opcode, serverFrame } from "../../../../protocols/websocket/server-frames.ts";

/** Yields frames in the order in which they were put there. The producer waits for `taken`; pongs need not wait, because one waits at most. */
export class Outbox implements AsyncIterable<Uint8Array> {
  #waiting: Uint8Array[] = [];
  #pong: Uint8Array | undefined;
  #isClosed = false;
  #wakeTaker: (() => void) | undefined;
  #wakeProducers: (() => void)[] = [];

  /** Queues a message. */
  message(content: Uint8Array): void {
    this.#push(serverFrame(opcode.binary, content));
  }
  /** Queues the answer to a ping, in place of one that waits. */
  pong(content: Uint8Array): void {
    if (this.#isClosed) return;
    this.#pong = serverFrame(opcode.pong, content);
    this.#wake();
  }
  /** Queues the last frame. Frames that come later are dropped. */
  close(code: number): void {
    this.#push(closeFrame(code));
    this.#isClosed = true;
    this.#wake();
  }
  /** Resolves when the reader has taken all frames, or has left. */
  taken(): Promise<void> {
    if (this.#waiting.length === 0) return Promise.resolve();
    return new Promise((resolve) => void this.#wakeProducers.push(resolve));
  }
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    try {
      for (;;) {
        if (this.#pong !== undefined) this.#waiting.push(this.#pong);
        this.#pong = undefined;
        const frame = this.#waiting.shift();
        if (frame !== undefined) yield frame;
        else if (this.#isClosed) return;
        else {
          this.#release();
          await new Promise<void>((resolve) => this.#wakeTaker = resolve);
        }
      }
    } finally {
      this.#isClosed = true;
      this.#waiting = [];
      this.#release();
    }
  }
  #push(frame: Uint8Array): void {
    if (this.#isClosed) return;
    this.#waiting.push(frame);
    this.#wake();
  }
  #wake(): void {
    this.#wakeTaker?.();
    this.#wakeTaker = undefined;
  }
  #release(): void {
    const producers = this.#wakeProducers;
    this.#wakeProducers = [];
    for (const wake of producers) wake();
  }
}
