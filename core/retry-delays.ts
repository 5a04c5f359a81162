/**
 * Delays before retries: exponential backoff for each item, and a token bucket for all items together.
 * Source: client-go's default rate limiter for controllers (5 ms to 1000 s; 10 per second, bursts of 100).
 */

/** Limits of `RetryDelays`, with client-go's defaults. */
export interface RetryLimits {
  /** Delay after the first failure of an item, in milliseconds; it doubles with each further failure. Default 5. */
  readonly firstMs?: number;
  /** Longest backoff of an item, in milliseconds. Default 1,000,000. */
  readonly maxMs?: number;
  /** Retries of all items per second, once `burst` is used up. Default 10. */
  readonly perSecond?: number;
  /** Retries of all items that the bucket allows at once. Default 100. */
  readonly burst?: number;
}

/** Counts failures of items and computes the delay before the next try. */
export class RetryDelays {
  readonly #failures = new Map<string, number>();
  readonly #now: () => number;
  readonly #limits: Required<RetryLimits>;
  /** Tokens at `#filledAt`; negative if tokens were taken in advance. */
  #tokens: number;
  #filledAt: number;

  /**
   * @param now the current time in milliseconds
   * @param limits absent limits have client-go's values
   */
  constructor(now: () => number, { firstMs = 5, maxMs = 1_000_000, perSecond = 10, burst = 100 }: RetryLimits = {}) {
    this.#now = now;
    this.#limits = { firstMs, maxMs, perSecond, burst };
    this.#tokens = burst;
    this.#filledAt = now();
  }

  /** Counts one more failure of `key`, takes a token, and returns the delay in milliseconds: the longer one of backoff and bucket. */
  next(key: string): number {
    const failures = this.failures(key), { firstMs, maxMs } = this.#limits;
    this.#failures.set(key, failures + 1);
    return Math.max(Math.min(maxMs, firstMs * 2 ** failures), this.#reserve());
  }

  /** Number of failures since the last `forget`. */
  failures(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  /** Resets the backoff of `key`. */
  forget(key: string): void {
    this.#failures.delete(key);
  }

  /** Takes one token. Returns the milliseconds until it is available. */
  #reserve(): number {
    const { perSecond, burst } = this.#limits, now = this.#now();
    // A clock that is set back neither adds nor removes tokens.
    const passedMs = Math.max(0, now - this.#filledAt);
    this.#filledAt = now;
    this.#tokens = Math.min(burst, this.#tokens + passedMs * perSecond / 1000) - 1;
    return this.#tokens >= 0 ? 0 : -this.#tokens * 1000 / perSecond;
  }
}
