/**
 * Computes delays before retries, by an exponential backoff for each item and a token bucket for all items together. Source: client-go's
 * default rate limiter for controllers (5 ms to 1000 s; 10 per second, bursts of 100).
 */

import { TokenBucket } from "./token-bucket.ts";

/** Limits of `RetryDelays`, with client-go's defaults. */
export interface RetryLimits {
  /** Delay after the first failure of an item, in milliseconds; it doubles with each further failure. Default 5. */
  readonly firstMs?: number;
  /** Longest backoff of an item, in milliseconds. Default 1,000,000. */
  readonly maxMs?: number;
  /** Number of retries of all items per second, once `burst` is used up. Default 10. */
  readonly perSecond?: number;
  /** Number of retries of all items that the bucket allows at once. Default 100. */
  readonly burst?: number;
}

/** Counts failures of items and computes the delay before the next attempt. */
export class RetryDelays {
  readonly #failures = new Map<string, number>();
  readonly #limits: Required<Pick<RetryLimits, "firstMs" | "maxMs">>;
  readonly #bucket: TokenBucket;

  /**
   * @param now the current time in milliseconds
   * @param limits absent limits have client-go's values
   */
  constructor(now: () => number, { firstMs = 5, maxMs = 1_000_000, perSecond = 10, burst = 100 }: RetryLimits = {}) {
    this.#limits = { firstMs, maxMs };
    this.#bucket = new TokenBucket({ perSecond, burst }, now);
  }

  /** Counts one more failure of `key`, takes a token, and returns the delay in milliseconds: the longer one of backoff and bucket. */
  next(key: string): number {
    const failures = this.failures(key), { firstMs, maxMs } = this.#limits;
    this.#failures.set(key, failures + 1);
    return Math.max(Math.min(maxMs, firstMs * 2 ** failures), this.#bucket.take());
  }

  /** Returns the number of failures of `key` since its last `forget`. */
  failures(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  /** Resets the backoff of `key`. */
  forget(key: string): void {
    this.#failures.delete(key);
  }
}
