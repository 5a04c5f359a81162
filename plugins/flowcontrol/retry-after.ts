/** The value of `Retry-After` for the rejected requests of a level. It rises while many are rejected, and falls afterwards. */
import { retryAfterSecondsMax } from "./bounds.ts";

export class RetryAfter {
  #seconds = 1;
  /** The rejections of the last seconds, by the second. */
  readonly #history = new Map<number, number>();
  #current = 0;
  #raised = 0;

  /** A rejection at a time in seconds. Returns the seconds to wait. */
  rejected(now: number): number {
    const second = Math.floor(now);
    if (second !== this.#current) {
      this.#current = second;
      for (const old of this.#history.keys()) if (second - old > 2 * retryAfterSecondsMax) this.#history.delete(old);
      this.#adjust(second);
    }
    this.#history.set(second, (this.#history.get(second) ?? 0) + 1);
    return this.#seconds;
  }

  #adjust(second: number): void {
    let recent = 0;
    for (const [at, count] of this.#history) if (at < second && second - at <= this.#seconds) recent += count;
    if (second - this.#raised >= this.#seconds && recent >= 3 * this.#seconds) {
      this.#seconds = Math.min(2 * this.#seconds, retryAfterSecondsMax);
      this.#raised = second;
    } else if (recent < this.#seconds && this.#seconds > 1) this.#seconds--;
  }
}
