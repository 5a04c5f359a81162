/**
 * Delivers events in the background (`--audit-*-mode=batch`). When the buffer is full, events are lost and counted; requests never wait.
 */
import { type Clock, pause, untilAborted } from "../../core/async.ts";
import { TokenBucket } from "../../core/token-bucket.ts";
import type { AuditBackend, LostEvents, WrittenEvent } from "../../core/audit/backend.ts";
import { bound } from "../../core/bound.ts";
import { auditBufferBytesMax } from "./bounds.ts";

/** Bytes of JSON of a batch of several audit events: it is encoded in one turn of the event loop. */
export const auditBatchBytesMax = bound(4 * 1024 * 1024);

export interface BatchOptions {
  /** Maximum number of waiting events. Their bytes are bounded by `auditBufferBytesMax`. */
  readonly bufferSize: number;
  /** Maximum number of events of one batch. */
  readonly maxBatchSize: number;
  /** Milliseconds after which an incomplete batch is delivered. Not used for batches of one event. */
  readonly maxWaitMs: number;
  /** Maximum number of batches per second, and at once after a pause. Undefined: no limit. */
  readonly throttle: { readonly perSecond: number; readonly burst: number } | undefined;
  /** Maximum number of concurrent batches. */
  readonly concurrency: number;
}

export interface BufferNeeds {
  readonly clock: Clock;
  readonly lost: LostEvents;
}

export function buffered(backend: AuditBackend, options: BatchOptions, needs: BufferNeeds): AuditBackend {
  return new Buffered(backend, options, needs);
}

class Buffered implements AuditBackend {
  readonly #backend: AuditBackend;
  readonly #options: BatchOptions;
  readonly #needs: BufferNeeds;
  readonly #throttle: TokenBucket | undefined;
  readonly #closing = new AbortController();
  readonly #running: Promise<void>;
  /** Batches in progress. */
  readonly #sent = new Set<Promise<unknown>>();
  #waiting: WrittenEvent[] = [];
  /** Of events that wait, and of those that are being delivered: a slow backend keeps batches for a long time. */
  #bytes = 0;
  /** Ends the pause of the loop: the batch is full, or there is a first event. */
  #wake = new AbortController();
  /** Aborts when no further events are sent. */
  readonly #ended = new AbortController();
  readonly #untilEnded = untilAborted(this.#ended.signal);

  constructor(backend: AuditBackend, options: BatchOptions, needs: BufferNeeds) {
    this.#backend = backend;
    this.#options = options;
    this.#needs = needs;
    this.#throttle = options.throttle && new TokenBucket(options.throttle, needs.clock.now);
    this.#running = this.#run();
  }

  process(events: readonly WrittenEvent[]): true {
    const { bufferSize, maxBatchSize } = this.#options;
    for (const [index, event] of events.entries()) {
      const closed = this.#closing.signal.aborted;
      if (closed || this.#waiting.length >= bufferSize || this.#bytes + event.bytes > auditBufferBytesMax) {
        this.#needs.lost("buffered", closed ? "audit backend shut down" : "audit buffer queue blocked", events.length - index);
        break;
      }
      this.#waiting.push(event);
      this.#bytes += event.bytes;
      if (this.#waiting.length === 1 || this.#waiting.length === maxBatchSize) this.#wake.abort();
    }
    return true;
  }

  async close(signal: AbortSignal): Promise<void> {
    this.#closing.abort();
    this.#wake.abort();
    const end = () => this.#ended.abort();
    if (signal.aborted) end();
    signal.addEventListener("abort", end, { once: true });
    await this.#running;
    const closed = this.#backend.close(signal);
    await Promise.all(this.#sent);
    await closed;
    signal.removeEventListener("abort", end);
    if (this.#waiting.length > 0) this.#needs.lost("buffered", "audit backend shut down", this.#waiting.length);
  }

  async #run(): Promise<void> {
    const { maxBatchSize, maxWaitMs } = this.#options, closing = this.#closing.signal;
    while (!this.#ended.signal.aborted) {
      if (this.#waiting.length === 0) {
        if (closing.aborted) return;
        await this.#pause(undefined);
        continue;
      }
      // Batches of one event do not wait.
      if (maxBatchSize > 1 && this.#waiting.length < maxBatchSize && !closing.aborted) await this.#pause(maxWaitMs);
      await this.#deliver();
    }
  }

  /** Waits until the batch is full or the time is over; without a time, until the first event. */
  async #pause(milliseconds: number | undefined): Promise<void> {
    const { maxBatchSize } = this.#options;
    this.#wake = new AbortController();
    const enough = milliseconds === undefined ? 1 : maxBatchSize;
    if (this.#waiting.length >= enough || this.#closing.signal.aborted) return;
    if (milliseconds !== undefined) return await pause(milliseconds, this.#wake.signal, this.#needs.clock);
    await untilAborted(this.#wake.signal);
  }

  async #deliver(): Promise<void> {
    const { maxBatchSize, concurrency } = this.#options, ended = this.#ended.signal;
    const delay = this.#throttle?.take() ?? 0;
    if (delay > 0) await pause(delay, ended, this.#needs.clock);
    while (this.#sent.size >= concurrency && !ended.aborted) await Promise.race([...this.#sent, this.#untilEnded]);
    if (ended.aborted) return;
    let count = 0, bytes = 0;
    for (const event of this.#waiting) {
      if (count === maxBatchSize || count > 0 && bytes + event.bytes > auditBatchBytesMax) break;
      bytes += event.bytes;
      count++;
    }
    const batch = this.#waiting.splice(0, count);
    const sending = Promise.resolve(this.#backend.process(batch)).finally(() => {
      this.#sent.delete(sending);
      this.#bytes -= bytes;
    });
    this.#sent.add(sending);
  }
}
