/**
 * The calls of one webhook in flight, bounded in number and bytes.
 *
 * A webhook is stalled if no response has begun for `webhookStalledMs` although calls are in flight. Then waiting calls fail, and few new
 * ones are made. One response ends that.
 */
import type { Clock } from "../../core/async.ts";
import { utf8Length } from "../../core/scalars/utf8.ts";
import { bound } from "../../core/bound.ts";
import { webhookBytesMax } from "./bounds.ts";

/** Calls of one admission webhook in flight. With those that wait they are less than half of the default of --max-mutating-requests-inflight. */
export const webhookCallsMax = bound(48);
/** Calls of one admission webhook that wait for one in flight to end. Further requests are rejected with 429. */
export const webhookCallsWaitingMax = bound(32);
/** Milliseconds without a response to any call after which an admission webhook counts as stalled: waiting calls fail. */
export const webhookStalledMs = bound(1_000);
/** Calls in flight of an admission webhook that counts as stalled. */
export const webhookStalledCallsMax = bound(16);

/** A call that may be made. */
export interface CallSlot {
  /** The response has begun. */
  began(): void;
  /** Bytes of the response have arrived. Throws if there are too many in all calls of the webhook. */
  received(bytes: number): void;
  end(): void;
}
/** `busy`: too many calls wait. `stalled`: they wait for a webhook that does not answer. */
export type Refusal = "busy" | "stalled";

interface Waiter {
  readonly bytes: number;
  readonly done: PromiseWithResolvers<CallSlot | Refusal>;
}

export class CallSlots {
  readonly #clock: Clock;
  #calls = 0;
  #bytes = 0;
  /** The time of the last begun response, or of the first call after a time without calls. */
  #quietSince = 0;
  readonly #waiting = new Set<Waiter>();
  #cancelCheck: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Waits for a slot. Rejects with the reason of the signal. */
  take(json: string, signal: AbortSignal): Promise<CallSlot | Refusal> {
    if (signal.aborted) return Promise.reject(signal.reason);
    const bytes = utf8Length(json);
    if (this.#isStalled() && this.#calls >= webhookStalledCallsMax) return Promise.resolve("stalled");
    if (this.#hasRoom(bytes) && this.#waiting.size === 0) return Promise.resolve(this.#slot(bytes));
    if (this.#waiting.size >= webhookCallsWaitingMax) return Promise.resolve("busy");
    return this.#wait({ bytes, done: Promise.withResolvers() }, signal);
  }

  #wait(waiter: Waiter, signal: AbortSignal): Promise<CallSlot | Refusal> {
    const leave = () => {
      this.#waiting.delete(waiter);
      waiter.done.reject(signal.reason);
    };
    signal.addEventListener("abort", leave, { once: true });
    this.#waiting.add(waiter);
    this.#checkLater();
    return waiter.done.promise.finally(() => signal.removeEventListener("abort", leave));
  }

  /** A single call may be larger than the bound. */
  #hasRoom(bytes: number): boolean {
    return this.#calls === 0 || this.#calls < webhookCallsMax && this.#bytes + bytes <= webhookBytesMax;
  }

  #isStalled(): boolean {
    return this.#calls > 0 && this.#clock.now() - this.#quietSince >= webhookStalledMs;
  }

  #slot(sent: number): CallSlot {
    if (this.#calls++ === 0) this.#quietSince = this.#clock.now();
    let bytes = sent;
    this.#bytes += bytes;
    return {
      began: () => {
        this.#quietSince = this.#clock.now();
      },
      received: (more) => {
        bytes += more;
        this.#bytes += more;
        if (this.#calls > 1 && this.#bytes > webhookBytesMax) {
          throw new Error(`the calls of the webhook have more than ${webhookBytesMax} bytes`);
        }
      },
      end: () => {
        this.#calls--;
        this.#bytes -= bytes;
        this.#admit();
      },
    };
  }

  #admit(): void {
    for (const waiter of this.#waiting) {
      if (!this.#hasRoom(waiter.bytes)) return;
      this.#waiting.delete(waiter);
      waiter.done.resolve(this.#slot(waiter.bytes));
    }
  }

  /** Ends the waits when the webhook stalls. */
  #checkLater(): void {
    this.#cancelCheck ??= this.#clock.after(webhookStalledMs, () => {
      this.#cancelCheck = undefined;
      if (this.#isStalled()) {
        for (const { done } of this.#waiting) done.resolve("stalled");
        this.#waiting.clear();
      }
      if (this.#waiting.size > 0) this.#checkLater();
    });
  }
}
