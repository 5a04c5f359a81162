/** A rate with bursts: client-go's token bucket, whose takers wait for their token in the order in which they come. */
export class TokenBucket {
  readonly #perSecond: number;
  readonly #burst: number;
  readonly #now: () => number;
  /** Negative while tokens are promised in advance. */
  #tokens: number;
  #filledAt: number;

  /** `burst`: tokens that gather. `now` is in milliseconds. */
  constructor({ perSecond, burst }: { readonly perSecond: number; readonly burst: number }, now: () => number) {
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#now = now;
    this.#tokens = burst;
    this.#filledAt = now();
  }

  /** Takes one token. Returns the milliseconds until it is there. */
  take(): number {
    const now = this.#now();
    // A clock that is set back adds no tokens and takes none.
    const passedMs = Math.max(0, now - this.#filledAt);
    this.#filledAt = now;
    this.#tokens = Math.min(this.#burst, this.#tokens + passedMs * this.#perSecond / 1000) - 1;
    return this.#tokens >= 0 ? 0 : -this.#tokens * 1000 / this.#perSecond;
  }
}
