/** Shutdown: new requests are rejected, watches end in shares. */
import type { Exchange, Reply } from "../../kernel/request/exchange.ts";
import { textReply } from "../../kernel/respond/text.ts";
import { type Clock, elapsedClock, pause } from "../../core/async.ts";

/** Number of shares in which watches end, so that their clients do not all reconnect to other servers at once. */
const momentsOfEnding = 16;

export interface WatchEnds {
  /** The signal that ends a watch that begins now. */
  signal(random: () => number): AbortSignal;
  /** Ends all watches within this time, in shares. */
  end(withinMs: number): Promise<void>;
}

/** `ending` ends all watches at once, at any time. */
export function watchEnds(ending: AbortSignal, clock: Clock = elapsedClock): WatchEnds {
  const shares = Array.from({ length: momentsOfEnding }, () => new AbortController());
  const all = () => shares.forEach((share) => share.abort());
  ending.addEventListener("abort", all, { once: true });
  return {
    signal: (random) => shares[Math.floor(random() * momentsOfEnding)]!.signal,
    async end(withinMs) {
      for (const [index, share] of shares.entries()) {
        if (index > 0 && withinMs > 0) await pause(withinMs / momentsOfEnding, ending, clock);
        share.abort();
      }
    },
  };
}

/** Requests in flight, and whether new ones are accepted. */
export interface Gate {
  handle(exchange: Exchange): Promise<Reply>;
  /** Rejects new requests from now on with 429 and Retry-After, except health checks and metrics. */
  turnAway(): void;
  /** Resolves when no request is in flight (streamed replies are excluded), or after the time. */
  idle(withinMs: number): Promise<void>;
}

export function gate(handle: (exchange: Exchange) => Promise<Reply>, turnedAway: (exchange: Exchange) => void): Gate {
  let open = 0, closed = false;
  let waitUntilEmpty = () => {};
  return {
    async handle(exchange) {
      if (closed && !isExempt(exchange.url)) {
        turnedAway(exchange);
        return comeBackLater();
      }
      open++;
      try {
        return await handle(exchange);
      } finally {
        if (--open === 0) waitUntilEmpty();
      }
    },
    turnAway: () => {
      closed = true;
    },
    async idle(withinMs) {
      if (open === 0) return;
      const over = new AbortController();
      waitUntilEmpty = () => over.abort();
      await pause(withinMs, over.signal);
    },
  };
}

/** The paths that upstream exempts. */
function isExempt(url: string): boolean {
  return /^\/(readyz|livez|healthz|metrics)([/?]|$)/.test(url);
}

/** Upstream's reply, which is independent of the request. */
function comeBackLater(): Reply {
  const reply = textReply(429, "The apiserver is shutting down, please try again later.\n");
  return { ...reply, headers: { ...reply.headers, "retry-after": "5" }, goAway: true };
}
