import type { ChunkIterator, Reply } from "../../../kernel/request/exchange.ts";
import type { PendingChunks } from "./pending-chunks.ts";
import { type ReplySink, stop } from "./sink.ts";

/**
 * Writes chunks one by one: after a write that fills the buffers nothing is pulled until the client has read. Each event is written once for
 * every watch, so a write must be cheap: async functions would create promises for every chunk, and a race against the signal would retain
 * memory for each chunk for as long as the watch lasts.
 */
export class Pump {
  readonly #sink: ReplySink;
  readonly #chunks: ChunkIterator;
  readonly #signal: AbortSignal;
  readonly #trailers: Reply["trailers"];
  readonly #pending: PendingChunks | undefined;
  readonly #done = Promise.withResolvers<void>();
  #isOver = false;
  /** The chunk that is being written, and where its next part begins. */
  #chunk: Uint8Array = nothing;
  #at = 0;

  /** `pending`: where chunks are counted that wait for their client. */
  constructor(sink: ReplySink, chunks: ChunkIterator, signal: AbortSignal, trailers?: Reply["trailers"], pending?: PendingChunks) {
    this.#sink = sink;
    this.#chunks = chunks;
    this.#signal = signal;
    this.#trailers = trailers;
    this.#pending = pending;
  }
  /**
   * Resolves when all chunks are written and the reply has ended, or once the signal aborts: then `return()` of the iterator is called and not
   * awaited. Rejects with the iterator's error.
   */
  run(): Promise<void> {
    this.#signal.addEventListener("abort", this.#gone, { once: true });
    if (this.#signal.aborted) this.#gone();
    else this.#pull();
    return this.#done.promise;
  }

  #pull(): void {
    if (this.#chunks.poll === undefined) void this.#chunks.next().then(this.#took, this.#failed);
    else this.#poll();
  }
  readonly #poll = (): void => {
    try {
      for (let next = this.#chunks.poll!(this.#poll); next !== undefined && this.#take(next); next = this.#chunks.poll!(this.#poll));
    } catch (error) {
      this.#failed(error);
    }
  };
  readonly #took = (next: IteratorResult<Uint8Array, unknown>): void => {
    try {
      if (this.#take(next)) this.#pull();
    } catch (error) {
      this.#failed(error);
    }
  };
  /** Returns whether the next chunk can be written now. */
  #take(next: IteratorResult<Uint8Array, unknown>): boolean {
    if (this.#isOver) return false;
    if (next.done !== true) {
      this.#chunk = next.value;
      this.#at = 0;
      return this.#write();
    }
    this.#end();
    this.#sink.end(undefined, this.#trailers?.());
    this.#done.resolve();
    return false;
  }
  /** Returns whether all of the chunk was written. */
  #write(): boolean {
    const chunk = this.#chunk;
    while (this.#at < chunk.length) {
      const from = this.#at, to = this.#at = this.#sink.partEnd(chunk, from);
      if (!this.#sink.write(from === 0 && to === chunk.length ? chunk : chunk.subarray(from, to), this.#ready)) {
        this.#pending?.hold(this, chunk);
        return false;
      }
    }
    this.#chunk = nothing;
    return true;
  }
  /** Ends the reply, because its client has not read the chunk for longer than others. */
  giveUp(): void {
    this.#chunks.fallBehind?.();
    this.#sink.breakOff();
  }
  readonly #ready = (): void => {
    this.#pending?.release(this);
    if (this.#isOver) return;
    try {
      if (this.#write()) this.#pull();
    } catch (error) {
      this.#failed(error);
    }
  };
  readonly #gone = (): void => {
    this.#end();
    stop(this.#chunks);
    this.#done.resolve();
  };
  readonly #failed = (error: unknown): void => {
    if (this.#isOver) return;
    this.#end();
    stop(this.#chunks); // the error may be that of a write
    this.#done.reject(error);
  };
  #end(): void {
    this.#isOver = true;
    this.#pending?.release(this);
    this.#signal.removeEventListener("abort", this.#gone);
  }
}

const nothing = new Uint8Array(0);
