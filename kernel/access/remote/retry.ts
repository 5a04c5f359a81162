import { type Clock, pause } from "../../../core/async.ts";
import type { RemoteAnswer } from "./remote-client.ts";

/** kube-apiserver's backoff of webhooks: 0.5 s, 1.5 times as long each time, with up to a fifth more by chance; five attempts. */
const backoff = Object.freeze({ firstMs: 500, factor: 1.5, jitter: 0.2, attempts: 5 });

export interface RetryNeeds {
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly signal: AbortSignal;
}

/**
 * Asks again while there is no answer, or one that says that another attempt may help: 429, 500 to 599. Resolves with the last answer;
 * rejects with the last failure, or with the reason of the signal.
 */
export async function withRetries(send: () => Promise<RemoteAnswer>, { clock, random, signal }: RetryNeeds): Promise<RemoteAnswer> {
  for (let attempt = 1, delay = backoff.firstMs;; attempt++, delay *= backoff.factor) {
    signal.throwIfAborted();
    let wait = delay * (1 + backoff.jitter * random());
    try {
      const answer = await send();
      const again = answer.status === 429 || answer.status >= 500;
      if (!again || attempt === backoff.attempts) return answer;
      if (answer.retryAfter !== undefined) wait = Math.max(wait, answer.retryAfter * 1000);
    } catch (error) {
      if (signal.aborted || attempt === backoff.attempts) throw error;
    }
    await pause(wait, signal, clock);
  }
}
