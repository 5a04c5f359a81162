/** How a server goes down: requests that come too late are turned away, watches end one after another. */
import type { Exchange, Reply } from "../request/exchange.ts";
import { textReply } from "../respond/text.ts";
import { type Clock, pause, systemClock } from "../../core/async.ts";

/** In so many moments watches end, so that their clients do not all come back to other servers at once. */
const momentsOfEnding = 16;

export interface WatchEnds {
  /** Aborts when a watch that begins now has to end. */
  signal(random: () => number): AbortSignal;
  /** Ends all watches within this time, in shares. */
  end(withinMs: number): Promise<void>;
}

/** `ending` ends all watches at once, whatever is under way. */
export function watchEnds(ending: AbortSignal, clock: Clock = systemClock): WatchEnds {
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

/** Requests on their way, and whether new ones are still taken. */
export interface Gate {
  handle(exchange: Exchange): Promise<Reply>;
  /** From now on new requests are refused with 429 and Retry-After. Health checks and metrics are still served. */
  turnAway(): void;
  /** Resolves once nothing is on its way (what streams its answer is not meant), or after the time. */
  idle(withinMs: number): Promise<void>;
}

export function gate(handle: (exchange: Exchange) => Promise<Reply>, turnedAway: (exchange: Exchange) => void): Gate {
  let open = 0, closed = false;
  let emptied = () => {};
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
        if (--open === 0) emptied();
      }
    },
    turnAway: () => {
      closed = true;
    },
    async idle(withinMs) {
      if (open === 0) return;
      const over = new AbortController();
      emptied = () => over.abort();
      await pause(withinMs, over.signal);
    },
  };
}

/** The paths that upstream exempts. */
function isExempt(url: string): boolean {
  return /^\/(readyz|livez|healthz|metrics)([/?]|$)/.test(url);
}

/** Upstream's answer, which says nothing of what was asked. */
function comeBackLater(): Reply {
  const reply = textReply(429, "The apiserver is shutting down, please try again later.\n");
  return { ...reply, headers: { ...reply.headers, "retry-after": "5" }, goAway: true };
}
