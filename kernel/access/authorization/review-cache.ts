/** Remembers answers to access reviews for a time, the most recently used ones. */
import { limits } from "../../../core/limits.ts";

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

/** Calls with the same key that overlap share one request. */
export class ReviewCache {
  readonly #options: ReviewCacheOptions;
  /** By key, the least recently used first. */
  readonly #remembered = new Map<string, Remembered>();
  readonly #pending = new Map<string, Promise<ReviewStatus>>();

  constructor(options: ReviewCacheOptions) {
    this.#options = options;
  }

  /** Rejects as `ask` does, and where too many reviews are under way. Failures are not remembered. */
  async get(key: string, mayRemember: boolean, ask: () => Promise<ReviewStatus>): Promise<ReviewStatus> {
    const found = this.#remembered.get(key);
    if (found !== undefined) {
      this.#remembered.delete(key);
      if (found.until > this.#options.now()) {
        this.#remembered.set(key, found);
        return found.status;
      }
    }
    const pending = this.#pending.get(key);
    if (pending !== undefined) return await pending;
    if (this.#pending.size >= limits.accessReviewsMax) throw new Error("too many access reviews are under way");
    const asked = ask();
    this.#pending.set(key, asked);
    try {
      const status = await asked;
      if (mayRemember) this.#remember(key, status);
      return status;
    } finally {
      this.#pending.delete(key);
    }
  }

  #remember(key: string, status: ReviewStatus): void {
    const { allowedMs, deniedMs, now } = this.#options;
    const ms = status.allowed ? allowedMs : deniedMs;
    if (ms <= 0 || status.reason.length > limits.reviewReasonLengthMax) return;
    if (this.#remembered.size >= limits.rememberedReviewsMax) this.#remembered.delete(this.#remembered.keys().next().value!); // not empty
    this.#remembered.set(key, { status, until: now() + ms });
  }
}
