/** Caches answers to access reviews for a time, the most recently used ones. */
import type { Waiting } from "../../../core/access.ts";
import { abortable } from "../../../core/async.ts";
import { bound } from "../../../core/bound.ts";

/** Access reviews of one authorizer at the same time. */
export const accessReviewsMax = bound(1_000);
/** Answers to access reviews that are cached (kube-apiserver's value). */
export const rememberedReviewsMax = bound(8_192);
/** UTF-16 units of the reason of an access review whose answer is cached. */
const reviewReasonLengthMax = bound(4_096);

/** The answer of a review. */
export interface ReviewStatus {
  readonly allowed: boolean;
  readonly denied: boolean;
  readonly reason: string;
}

export interface ReviewCacheOptions {
  readonly allowedMs: number;
  readonly deniedMs: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}
interface Remembered {
  readonly status: ReviewStatus;
  readonly until: number;
}

/** A review in progress. */
class Review {
  readonly status: Promise<ReviewStatus>;
  readonly #ending = new AbortController();
  #waiting = 0;

  constructor(ask: (ended: AbortSignal) => Promise<ReviewStatus>) {
    this.status = ask(this.#ending.signal);
  }

  /**
   * Rejects when `waiting` aborts; after the last one the review ends, and `ended` is called. Without `waiting` the wait cannot be aborted.
   */
  async wait(waiting: Waiting | undefined, ended: () => void): Promise<ReviewStatus> {
    this.#waiting++;
    if (waiting === undefined) return await this.status;
    const { signal } = waiting;
    try {
      return await abortable(this.status, signal);
    } catch (error) {
      if (signal.aborted && --this.#waiting === 0) {
        ended();
        this.#ending.abort(signal.reason);
      }
      throw error;
    }
  }
}

/** Concurrent calls with the same key share one request. */
export class ReviewCache {
  readonly #options: ReviewCacheOptions;
  /** By key, the least recently used first. */
  readonly #remembered = new Map<string, Remembered>();
  readonly #pending = new Map<string, Review>();

  constructor(options: ReviewCacheOptions) {
    this.#options = options;
  }

  /**
   * Rejects as `ask` does, if too many reviews are in progress, and when `waiting` aborts. `ask` gets a signal that aborts when no call
   * waits. Failures are not cached.
   */
  async get(
    key: string,
    mayRemember: boolean,
    ask: (ended: AbortSignal) => Promise<ReviewStatus>,
    waiting?: Waiting,
  ): Promise<ReviewStatus> {
    const found = this.#remembered.get(key);
    if (found !== undefined) {
      this.#remembered.delete(key);
      if (found.until > this.#options.now()) {
        this.#remembered.set(key, found);
        return found.status;
      }
    }
    const review = this.#pending.get(key) ?? this.#begun(key, mayRemember, ask);
    return await review.wait(waiting, () => this.#forget(key, review));
  }

  #begun(key: string, mayRemember: boolean, ask: (ended: AbortSignal) => Promise<ReviewStatus>): Review {
    if (this.#pending.size >= accessReviewsMax) throw new Error("too many access reviews are under way");
    const review = new Review(ask);
    this.#pending.set(key, review);
    review.status.then((status) => mayRemember && this.#remember(key, status))
      .finally(() => this.#forget(key, review))
      .catch(() => {}); // The waiting calls get the error.
    return review;
  }

  #forget(key: string, review: Review): void {
    if (this.#pending.get(key) === review) this.#pending.delete(key);
  }

  #remember(key: string, status: ReviewStatus): void {
    const { allowedMs, deniedMs, now } = this.#options;
    const ms = status.allowed ? allowedMs : deniedMs;
    if (ms <= 0 || status.reason.length > reviewReasonLengthMax) return;
    if (this.#remembered.size >= rememberedReviewsMax) this.#remembered.delete(this.#remembered.keys().next().value!); // Not empty.
    this.#remembered.set(key, { status, until: now() + ms });
  }
}
