/** A work queue with retries and exponential backoff, like client-go's rate-limited queues. */

import { noWorkMeter, systemClock, type WorkQueueContext } from "../../toolbox.ts";

const backoffMsMin = 50;
const backoffMsMax = 5_000;

/** Returns the backoff in milliseconds after this number of retries. */
export function backoffMs(retries: number): number {
  return Math.min(backoffMsMax, backoffMsMin * 2 ** Math.min(retries, 30));
}

/**
 * A queue of item names. An item is processed by at most one call of `work` at a time.
 *
 *   due ──> active ──> done        `work` resolves with false
 *    ^         └─────> backing off ─┐ `work` resolves with true
 *    └──────────────────────────────┘
 */
export class WorkQueue {
  readonly #max: number;
  readonly #work: (name: string) => Promise<boolean>;
  readonly #onFailure: (name: string, error: unknown) => void;
  readonly #meter: WorkQueueContext["work"];
  readonly #clock: NonNullable<WorkQueueContext["clock"]>;
  #release: (() => void) | undefined;
  readonly #due = new Set<string>();
  readonly #active = new Map<string, Promise<void>>();
  /** Items in backoff, and what ends it. */
  readonly #backingOff = new Map<string, () => void>();
  readonly #retries = new Map<string, number>();
  #closed = false;

  /** @param max maximum number of concurrent calls of `work`
   *  @param work processes an item; resolves with true if the item must be retried after a backoff
   *  @param onFailure called with the item and the error of a rejected `work`; the item is retried as after true, and the others go on */
  constructor(
    max: number,
    work: (name: string) => Promise<boolean>,
    onFailure: (name: string, error: unknown) => void,
    { work: meter = noWorkMeter, clock = systemClock }: Partial<Pick<WorkQueueContext, "work" | "clock">> = {},
  ) {
    this.#max = max;
    this.#work = work;
    this.#onFailure = onFailure;
    this.#meter = meter;
    this.#clock = clock;
  }

  /** Adds an item. An active item is processed again afterwards; an item in backoff keeps its timer. */
  add(name: string): void {
    if (this.#backingOff.has(name)) return;
    this.#due.add(name);
    this.#meter.added(name);
    this.#start();
  }
  /** Removes an item and its retries. An active call of `work` continues. */
  forget(name: string): void {
    if (this.#due.delete(name)) this.#meter.forgotten(name);
    this.#backingOff.get(name)?.();
    this.#backingOff.delete(name);
    this.#retries.delete(name);
  }
  /** Removes all items and resolves when the active calls of `work` have ended. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const name of [...this.#due, ...this.#backingOff.keys()]) this.forget(name);
    await Promise.all(this.#active.values());
  }

  #start(): void {
    for (const name of this.#due) {
      if (this.#closed || this.#active.size >= this.#max) break;
      if (this.#active.has(name)) continue;
      this.#due.delete(name);
      this.#meter.started(name);
      this.#active.set(name, this.#run(name));
    }
    if (this.#active.size > 0) return void (this.#release ??= this.#clock.hold?.());
    this.#release?.();
    this.#release = undefined;
  }
  async #run(name: string): Promise<void> {
    try {
      const again = await this.#work(name);
      this.#active.delete(name);
      this.#meter.done(name, again);
      if (again && !this.#closed) this.#backOff(name);
      else this.#retries.delete(name);
    } catch (error) {
      this.#active.delete(name);
      this.#meter.done(name, true);
      this.#onFailure(name, error);
      if (!this.#closed) this.#backOff(name);
    }
    this.#start();
  }
  #backOff(name: string): void {
    if (this.#due.delete(name)) this.#meter.forgotten(name);
    const retries = this.#retries.get(name) ?? 0;
    this.#retries.set(name, retries + 1);
    this.#backingOff.set(
      name,
      this.#clock.after(backoffMs(retries), () => {
        this.#backingOff.delete(name);
        this.add(name);
      }),
    );
  }
}
