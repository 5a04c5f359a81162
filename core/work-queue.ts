/**
 * A rate-limited work queue for controllers, with the rules of client-go's workqueue:
 *
 *     add ──> waiting ──> running ──> done          an error or retry() while running: delayed, then waiting again
 *               ^  ^         │                      add() while running: waiting again as soon as the run ends
 *     addAfter ─┘  └─ delayed <┘
 *
 * A key is in the queue at most once, and never runs twice at the same time. An error of one item is logged and the item is retried; it does
 * not end the queue.
 */
import { pause, type ServerClock, systemClock } from "./async.ts";
import { RetryDelays, type RetryLimits } from "./retry-delays.ts";
import { noWorkMeter, type WorkMeter } from "./work.ts";
import { bound } from "./bound.ts";

/** Keys of one work queue, waiting and delayed. */
const workQueueKeysMax = bound(1_000_000);

/** The part of a controller's context that a queue uses. */
export interface WorkQueueContext {
  /** Time and timers. Default: those of the machine. */
  readonly clock?: ServerClock;
  /** Measures the queue as `workqueue_*`. */
  readonly work: WorkMeter;
  /** Logs errors of items. */
  readonly logError: (sentence: string, error?: unknown) => void;
}

const noContext: WorkQueueContext = Object.freeze({ work: noWorkMeter, logError() {} });

/** Options of a `WorkQueue`. */
export interface WorkQueueOptions {
  /**
   * The controller's context: its clock, its metrics and its log. Queues of one controller share them, so their keys must differ. Default: the
   * clock of the machine; nothing is measured or logged.
   */
  readonly context?: WorkQueueContext;
  /** Ends the queue: no work starts after the abort. */
  readonly signal: AbortSignal;
  /**
   * Brings the object with this key to its desired state. It reads the current state by itself. If it rejects, the error is logged and
   * the key is retried after its backoff; if it resolves, the backoff of the key is reset.
   */
  readonly work: (key: string, queue: WorkQueue) => void | Promise<void>;
  /** Number of keys that run at the same time. Default 1. */
  readonly workers?: number;
  /** Backoff and rate of retries. Default: client-go's. */
  readonly retry?: RetryLimits;
  /** Time and timers. Default: those of the context. */
  readonly clock?: ServerClock;
  /** Bound of the queue, in keys. Default `workQueueKeysMax`. */
  readonly keysMax?: number;
}

/**
 * Opens a queue for the time that `feed` runs: what `feed` watches is added to the queue. Resolves when the signal has aborted and all work
 * has ended. Rejects if `feed` does, after running work has ended, so that the controller starts again with an empty queue.
 *
 *     run: (context, signal) => runWorkQueue({ context, signal, work }, async (queue, until) => {
 *       for await (const { object } of context.api.watch("v1", "configmaps", "", {}, until)) queue.add(keyOf(object));
 *     })
 *
 * @param feed gets the queue, and a signal that aborts with `options.signal`
 */
export async function runWorkQueue(
  options: WorkQueueOptions,
  feed: (queue: WorkQueue, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = new AbortController(), signal = AbortSignal.any([options.signal, stop.signal]);
  const queue = new WorkQueue({ ...options, signal });
  try {
    await feed(queue, signal);
    await queue.ended();
  } finally {
    stop.abort();
    await queue.ended();
  }
}

/** A key that is added at a later time. */
interface Delayed {
  readonly at: number;
  readonly cancel: () => void;
}

/** A queue of keys, such as `namespace/name`, and the workers that take them. */
export class WorkQueue {
  readonly #options: Required<Pick<WorkQueueOptions, "workers" | "clock" | "keysMax" | "context">> & WorkQueueOptions;
  readonly #delays: RetryDelays;
  /** Keys that wait for a worker, in the order of addition. */
  readonly #waiting = new Set<string>();
  /** Running work by key. */
  readonly #running = new Map<string, Promise<void>>();
  /** Keys that were added while they are running. */
  readonly #again = new Set<string>();
  /** Keys that are running, and for which retry() was called. */
  readonly #retried = new Set<string>();
  readonly #delayed = new Map<string, Delayed>();
  /** Calls of `pause` that wait. */
  #resting = 0;
  /** Releases the clock, which is held while a key runs that does not pause. */
  #release: (() => void) | undefined;

  /** Opens an empty queue, which ends when `options.signal` aborts. */
  constructor(options: WorkQueueOptions) {
    const { workers = 1, keysMax = workQueueKeysMax, context = noContext, clock = context.clock ?? systemClock, retry, signal } = options;
    if (!(Number.isInteger(workers) && workers > 0)) throw new RangeError(`A work queue needs 1 worker or more, got ${workers}`);
    this.#options = { ...options, workers, clock, keysMax, context };
    this.#delays = new RetryDelays(() => clock.elapsed(), retry);
    signal.addEventListener("abort", () => this.#drop(), { once: true });
  }

  /** Aborts when the queue ends. For waits inside of work. */
  get signal(): AbortSignal {
    return this.#options.signal;
  }

  /** Number of keys that wait for a worker. Keys that are running or delayed do not count. */
  get length(): number {
    return this.#waiting.size;
  }

  /** Adds a key. No effect if it waits already, or after the signal has aborted. A running key is processed again afterwards. */
  add(key: string): void {
    if (this.#options.signal.aborted || this.#waiting.has(key) || this.#again.has(key)) return;
    this.#checkRoom(key);
    this.#options.context.work.added(key);
    if (this.#running.has(key)) this.#again.add(key);
    else this.#waiting.add(key);
    this.#start();
  }

  /**
   * Adds a key after `ms` milliseconds. If the key is delayed already, the earlier time counts.
   *
   * @throws RangeError if the queue holds `keysMax` keys
   */
  addAfter(key: string, ms: number): void {
    if (this.#options.signal.aborted) return;
    if (!(ms > 0)) return this.add(key);
    const at = this.#options.clock.elapsed() + ms, delayed = this.#delayed.get(key);
    if (delayed !== undefined && delayed.at <= at) return;
    if (delayed === undefined) this.#checkRoom(key);
    delayed?.cancel();
    this.#wait(key, at);
  }

  /**
   * Adds a key after its backoff: for work that is not finished and has not failed either. The backoff doubles with each retry until
   * work on the key resolves without a call of `retry`.
   */
  retry(key: string): void {
    if (this.#running.has(key)) {
      if (this.#retried.has(key)) return;
      this.#retried.add(key);
    }
    if (!this.#options.signal.aborted) this.addAfter(key, this.#delays.next(key));
  }

  /** Resets the backoff of a key. The key stays in the queue if it is there. */
  forget(key: string): void {
    this.#delays.forget(key);
  }

  /** Number of retries of a key since its backoff was reset. */
  retries(key: string): number {
    return this.#delays.failures(key);
  }

  /** Waits inside of work, until the time is over or the queue ends. A clock that tests advance does not wait for this work meanwhile. Never rejects. */
  async pause(ms: number): Promise<void> {
    const { signal, clock } = this.#options;
    this.#resting++;
    this.#hold();
    await pause(ms, signal, clock);
    this.#resting--;
    this.#hold();
  }

  /** Resolves after the signal has aborted and running work has ended. Never rejects. */
  async ended(): Promise<void> {
    const { signal } = this.#options;
    if (!signal.aborted) await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    await Promise.all(this.#running.values());
  }

  #checkRoom(key: string): void {
    const { keysMax } = this.#options;
    if (this.#delayed.has(key) || this.#waiting.size + this.#again.size + this.#delayed.size < keysMax) return;
    throw new RangeError(`Cannot add "${key}" to the work queue: it holds ${keysMax} keys, its maximum`);
  }

  #wait(key: string, at: number): void {
    const { clock } = this.#options;
    const due = () => {
      // A timer may end early, because waits have a maximum.
      if (clock.elapsed() < at) return this.#wait(key, at);
      this.#delayed.delete(key);
      this.add(key);
    };
    this.#delayed.set(key, { at, cancel: clock.after(at - clock.elapsed(), due) });
  }

  #start(): void {
    const { workers, context, signal } = this.#options;
    for (const key of this.#waiting) {
      if (signal.aborted || this.#running.size >= workers) break;
      this.#waiting.delete(key);
      context.work.started(key);
      this.#running.set(key, this.#run(key));
    }
    this.#hold();
  }

  #hold(): void {
    // Keys that wait have their turn when one of those that run ends.
    if (this.#running.size > this.#resting) this.#release ??= this.#options.clock.hold?.();
    else {
      this.#release?.();
      this.#release = undefined;
    }
  }

  async #run(key: string): Promise<void> {
    const { work, context, signal } = this.#options;
    await Promise.resolve(); // the key is in #running before work on it begins
    try {
      await work(key, this);
    } catch (error) {
      if (!signal.aborted) context.logError(`work on "${key}" failed and is retried`, error);
      this.retry(key);
    }
    const retried = this.#retried.delete(key);
    this.#running.delete(key);
    context.work.done(key, retried);
    if (!retried) this.#delays.forget(key);
    if (this.#again.delete(key)) this.#waiting.add(key);
    this.#start();
  }

  #drop(): void {
    const { work } = this.#options.context;
    for (const key of [...this.#waiting, ...this.#again]) work.forgotten(key);
    for (const { cancel } of this.#delayed.values()) cancel();
    this.#waiting.clear();
    this.#again.clear();
    this.#delayed.clear();
    this.#hold();
  }
}
