import { type Clock, pause } from "../../core/async.ts";
import type { RemoteAnswer } from "./remote-client.ts";
import { bound } from "../../core/bound.ts";

/** Milliseconds of the longest Retry-After of a remote server that is honored. */
export const remoteRetryAfterMsMax = bound(30_000);

/** kube-apiserver's backoff of webhooks: each pause is 1.5 times as long as the previous one, plus a random part of up to a fifth. */
const backoff = Object.freeze({ firstMs: 500, factor: 1.5, jitter: 0.2, attempts: 5 });

export interface RetryNeeds {
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** The first pause in milliseconds; default 500. */
  readonly firstMs?: number;
  /** Whether another attempt may succeed after this response. Default: for 429 and 500 to 599. */
  readonly isRetried?: (answer: RemoteAnswer) => boolean;
}
const isTransient = ({ status }: RemoteAnswer): boolean => status === 429 || status >= 500;

/**
 * Makes up to five attempts, until a response that is not retried. A pause is at least the response's Retry-After, up to
 * `remoteRetryAfterMsMax`. Resolves with the last response; rejects with the last failure, or with the reason of the signal.
 */
export async function withRetries(
  send: () => Promise<RemoteAnswer>,
  { clock, random, signal, firstMs = backoff.firstMs, isRetried = isTransient }: RetryNeeds,
): Promise<RemoteAnswer> {
  for (let attempt = 1, delay = firstMs;; attempt++, delay *= backoff.factor) {
    signal.throwIfAborted();
    let wait = delay * (1 + backoff.jitter * random());
    try {
      const answer = await send();
      if (!isRetried(answer) || attempt === backoff.attempts) return answer;
      if (answer.retryAfter !== undefined) wait = Math.max(wait, Math.min(answer.retryAfter * 1000, remoteRetryAfterMsMax));
    } catch (error) {
      if (signal.aborted || attempt === backoff.attempts) throw error;
    }
    await pause(wait, signal, clock);
  }
}
