/**
 * The chunks of all watches that their clients have not read yet. A watch has one at a time, and gets the next one when its client has read it. Equal
 * watches share chunks, but the clients of others can each hold one of their own: all of them together are bounded here.
 */
import { bound } from "../../../core/bound.ts";

/** Bytes of all chunks that wait for clients of watches, shared ones counted once. Above it the watch ends whose client has read nothing for the longest time. */
export const watchPendingBytesMax = bound(128 * 1024 * 1024);

/** A reply whose chunk waits. */
export interface Waiting {
  /** Ends the reply. */
  giveUp(): void;
}

export class PendingChunks {
  readonly #bytesMax: number;
  readonly #later: (run: () => void) => void;
  /** The replies and their chunks, the one that has waited longest first. */
  readonly #waiting = new Map<Waiting, Uint8Array>();
  /** The number of replies that wait for each chunk. */
  readonly #chunks = new Map<Uint8Array, number>();
  #bytes = 0;
  #isExcessive = false;

  /** `later` calls a function in another turn: a reply must not end within the call that writes its chunk. */
  constructor(bytesMax: number = watchPendingBytesMax, later: (run: () => void) => void = setImmediate) {
    this.#bytesMax = bytesMax;
    this.#later = later;
  }
  /** Bytes of all chunks that wait. */
  get bytes(): number {
    return this.#bytes;
  }
  /** Counts the chunk of a reply until `release`. The reply has none else. */
  hold(reply: Waiting, chunk: Uint8Array): void {
    if (this.#waiting.get(reply) === chunk) return;
    this.release(reply);
    this.#waiting.set(reply, chunk);
    const replies = this.#chunks.get(chunk) ?? 0;
    this.#chunks.set(chunk, replies + 1);
    if (replies === 0) this.#bytes += chunk.length;
    if (this.#bytes > this.#bytesMax && !this.#isExcessive) this.#reduce();
  }
  /** The client has read something of the chunk, or the reply has ended. */
  release(reply: Waiting): void {
    const chunk = this.#waiting.get(reply);
    if (chunk === undefined) return;
    this.#waiting.delete(reply);
    const replies = this.#chunks.get(chunk)! - 1; // Counted by `hold`.
    if (replies > 0) return void this.#chunks.set(chunk, replies);
    this.#chunks.delete(chunk);
    this.#bytes -= chunk.length;
  }
  #reduce(): void {
    this.#isExcessive = true;
    this.#later(() => {
      for (const [reply] of this.#waiting) {
        if (this.#bytes <= this.#bytesMax) break;
        this.release(reply);
        reply.giveUp();
      }
      this.#isExcessive = false;
    });
  }
}
