/** Limits a rate but allows bursts, as client-go's token bucket does. Callers get their tokens in the order of their calls. */
export class TokenBucket {
  readonly #perSecond: number;
  readonly #burst: number;
  readonly #now: () => number;
  /** The number of unused tokens. It is negative while callers wait for tokens. */
  #tokens: number;
  #filledAt: number;

  /** `burst` is the maximum number of unused tokens. `now` returns milliseconds. */
  constructor({ perSecond, burst }: { readonly perSecond: number; readonly burst: number }, now: () => number) {
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#now = now;
    this.#tokens = burst;
    this.#filledAt = now();
  }

  /** Takes one token. Returns the milliseconds until it is available. */
  take(): number {
    const now = this.#now();
    // If the clock was set back, the number of tokens stays the same.
    const passedMs = Math.max(0, now - this.#filledAt);
    this.#filledAt = now;
    this.#tokens = Math.min(this.#burst, this.#tokens + passedMs * this.#perSecond / 1000) - 1;
    return this.#tokens >= 0 ? 0 : -this.#tokens * 1000 / this.#perSecond;
  }
}
