/** Answers about images that are used again for a time. */
import { bound } from "../../../../core/bound.ts";
import type { ImageAnswer } from "./image-review.ts";

/** Answers that are kept (kube-apiserver's number). */
export const imageAnswersMax = bound(1_024);
/** UTF-16 units of a review and its answer that are kept together. A larger one is asked for each time. */
export const imageAnswerLengthMax = bound(16_384);

interface Kept {
  readonly answer: ImageAnswer;
  readonly until: number;
}

/** By the text of the review. The answer that was used longest ago gives way to a new one. */
export class KeptAnswers {
  readonly #now: () => number;
  readonly #kept = new Map<string, Kept>();

  /** `now` returns milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  get(review: string): ImageAnswer | undefined {
    const found = this.#kept.get(review);
    if (found === undefined) return undefined;
    this.#kept.delete(review);
    if (found.until <= this.#now()) return undefined;
    this.#kept.set(review, found);
    return found.answer;
  }

  keep(review: string, answer: ImageAnswer, milliseconds: number): void {
    if (milliseconds <= 0 || review.length + answer.length > imageAnswerLengthMax) return;
    this.#kept.delete(review);
    this.#kept.set(review, { answer, until: this.#now() + milliseconds });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > imageAnswersMax && oldest !== undefined) this.#kept.delete(oldest);
  }
}
