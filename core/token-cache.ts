/** Caches the results of an authenticator for a short time. */
import type { TokenUser } from "./access.ts";
import { type ExpiringUser, type TokenAuthenticator, TokenRefusal } from "./token-authenticator.ts";
import { bound } from "./bound.ts";

/** Tokens in the cache of authentications. */
export const cachedTokensMax = bound(16_384);
/** UTF-16 units of a user in the cache of authentications. */
export const cachedUserLengthMax = bound(16_384);
/** Different tokens that one authenticator checks at the same time; further ones are not accepted. */
export const tokenLookupsMax = bound(1_000);

/** Counts the work of a cache, for upstream's metrics. */
export interface TokenCacheMeter {
  answered(status: "hit" | "miss", seconds: number): void;
  fetched(status: "ok" | "error"): void;
  active(status: "in_flight" | "blocked", change: 1 | -1): void;
}

export interface TokenCacheOptions {
  /** Milliseconds for which an accepted token is cached; 0 disables it. */
  readonly acceptedMs: number;
  /** Milliseconds for which a rejected token is cached; 0 disables it. Failures are never cached. */
  readonly refusedMs: number;
  /** A keyed hash of texts, so that neither tokens nor hashes that can be computed elsewhere stay in memory. */
  readonly hash: (texts: readonly string[]) => string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly meter?: TokenCacheMeter;
}

type Answer = Awaited<ReturnType<TokenAuthenticator["authenticateToken"]>>;
/** A cached result: a user, or a rejection with its reason. */
type Outcome = { readonly answer: Answer } | { readonly refusal: TokenRefusal };
interface Remembered {
  readonly outcome: Outcome;
  /** A time before `since` or after `until` is not covered: the clock may have been set back. */
  readonly since: number;
  readonly until: number;
}

/** Returns the same authenticator with a cache. Calls with the same token and audiences share one call of the authenticator. */
export function cachedTokens(authenticator: TokenAuthenticator, options: TokenCacheOptions): TokenAuthenticator {
  const cache = new TokenCache(authenticator, options);
  return {
    name: authenticator.name,
    authenticateToken: (token, audiences) => cache.authenticateToken(token, audiences),
  };
}

class TokenCache {
  readonly #authenticator: TokenAuthenticator;
  readonly #options: TokenCacheOptions;
  /** By keyed hash, oldest first. */
  readonly #remembered = new Map<string, Remembered>();
  readonly #pending = new Map<string, Promise<Outcome>>();

  constructor(authenticator: TokenAuthenticator, options: TokenCacheOptions) {
    this.#authenticator = authenticator;
    this.#options = options;
  }

  async authenticateToken(token: string, audiences: readonly string[]): Promise<Answer> {
    const { hash, now, meter } = this.#options;
    const begun = now();
    const key = hash([token, ...audiences]);
    const found = this.#remembered.get(key);
    const isHit = found !== undefined && found.until > begun && found.since <= begun;
    if (found !== undefined && !isHit) this.#remembered.delete(key);
    try {
      const outcome = isHit ? found.outcome : await this.#fetched(key, token, audiences);
      if ("refusal" in outcome) throw outcome.refusal;
      return outcome.answer;
    } finally {
      meter?.answered(isHit ? "hit" : "miss", (now() - begun) / 1000);
    }
  }

  async #fetched(key: string, token: string, audiences: readonly string[]): Promise<Outcome> {
    const { meter } = this.#options;
    let pending = this.#pending.get(key);
    if (pending === undefined) {
      if (this.#pending.size >= tokenLookupsMax) throw new Error("too many tokens are being checked");
      pending = this.#fetch(token, audiences);
      this.#pending.set(key, pending);
      const forget = () => void this.#pending.delete(key);
      pending.then((outcome) => this.#remember(key, outcome)).finally(forget).catch(() => {}); // The caller gets the error.
    }
    meter?.active("blocked", 1);
    try {
      return await pending;
    } finally {
      meter?.active("blocked", -1);
    }
  }

  async #fetch(token: string, audiences: readonly string[]): Promise<Outcome> {
    const { meter } = this.#options;
    meter?.active("in_flight", 1);
    try {
      const outcome = await outcomeOf(this.#authenticator.authenticateToken(token, audiences));
      meter?.fetched("ok");
      return outcome;
    } catch (error) {
      meter?.fetched("error");
      throw error;
    } finally {
      meter?.active("in_flight", -1);
    }
  }

  #remember(key: string, outcome: Outcome): void {
    const { acceptedMs, refusedMs, now } = this.#options;
    const user = acceptedOf(outcome);
    const ms = user === undefined ? refusedMs : acceptedMs;
    if (ms <= 0 || (user !== undefined && lengthOf(user) > cachedUserLengthMax)) return;
    const since = now(), until = Math.min(since + ms, user?.expires ?? Infinity);
    this.#remembered.delete(key);
    // The oldest entry expires first.
    if (this.#remembered.size >= cachedTokensMax) this.#remembered.delete(this.#remembered.keys().next().value!);
    this.#remembered.set(key, { outcome, since, until });
  }
}

async function outcomeOf(answer: Promise<Answer>): Promise<Outcome> {
  try {
    return { answer: await answer };
  } catch (error) {
    if (error instanceof TokenRefusal) return { refusal: error };
    throw error;
  }
}

function acceptedOf(outcome: Outcome): ExpiringUser | undefined {
  return "refusal" in outcome || outcome.answer === "refused" ? undefined : outcome.answer;
}

/** UTF-16 units of the texts of a user. */
function lengthOf({ user: { name, uid = "", groups, extra = {} } }: TokenUser): number {
  const texts = [name, uid, ...groups, ...Object.entries(extra).flatMap(([key, values]) => [key, ...values])];
  return texts.reduce((sum, text) => sum + text.length, 0);
}
