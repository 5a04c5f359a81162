/** The keys of an issuer, fetched on demand. */
import type { createLocalJWKSet } from "jose";
import { reasonOf } from "../../../core/reason-of.ts";
import { jose } from "../jose.ts";
import { TokenRefusal } from "../../../core/token-authenticator.ts";
import { type FetchDocument, fetchObject } from "./document.ts";
import { usableKeys } from "./usable-keys.ts";
import { bound } from "../../../core/bound.ts";

/** Fetches of the keys of one issuer without a pause. */
export const keyFetchBurst = bound(5);
/** Milliseconds after which one more fetch of the keys of one issuer is allowed. */
export const keyFetchMs = bound(10_000);
/** Tokens that wait for the keys of one issuer. Less than `tokenLookupsMax`, so that tokens of one issuer cannot block all others. */
export const keyFetchWaitersMax = bound(250);
/** Milliseconds after which keys in use are fetched again, so that revoked keys are removed. */
export const keySetAgeMs = bound(10 * 60_000);

type KeySet = ReturnType<typeof createLocalJWKSet>;

export interface RemoteKeysOptions {
  readonly url: string;
  readonly fetch: FetchDocument;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Receives the text of each key set, or undefined for a failed fetch. */
  readonly fetched: (text: string | undefined) => void;
}

/**
 * Verifies signatures. A signature that no cached key verifies causes another fetch of the keys, at most `keyFetchBurst` times in
 * sequence and then once in `keyFetchMs`: a rotated key is fetched within the request, and many tokens with invented keys cause few
 * requests to the issuer. Cached keys stay in use while the issuer is unavailable.
 */
export class RemoteKeys {
  readonly #options: RemoteKeysOptions;
  #keys: KeySet | undefined;
  #fetchedAt = -Infinity;
  #pending: Promise<void> | undefined;
  #waiting = 0;
  /** Fetches that may start now, and the time since which the budget grows. */
  #budget: number = keyFetchBurst;
  #budgetAt: number;
  #failure = "";

  constructor(options: RemoteKeysOptions) {
    this.#options = options;
    this.#budgetAt = options.now();
  }

  /** The payload of a token. Rejects with a TokenRefusal for an invalid signature, and with another error if the keys cannot be fetched. */
  async verify(token: string, algorithms: readonly string[]): Promise<Uint8Array> {
    const known = this.#keys;
    if (known !== undefined) {
      const payload = await verifiedBy(known, token, algorithms);
      if (payload !== undefined) {
        if (this.#options.now() - this.#fetchedAt > keySetAgeMs) this.#refresh(); // The cached keys stay in use.
        return payload;
      }
    }
    const pending = this.#refresh();
    if (pending !== undefined) await this.#until(pending);
    const keys = this.#keys;
    if (keys === undefined) throw new Error(`oidc: fetching keys ${this.#failure}`);
    const payload = keys === known ? undefined : await verifiedBy(keys, token, algorithms);
    if (payload === undefined) {
      throw new TokenRefusal("oidc: verify token: failed to verify signature: failed to verify id token signature");
    }
    return payload;
  }

  async #until(fetched: Promise<void>): Promise<void> {
    if (this.#waiting >= keyFetchWaitersMax) throw new Error("oidc: too many tokens wait for the keys of the issuer");
    this.#waiting++;
    try {
      await fetched;
    } finally {
      this.#waiting--;
    }
  }

  /** The fetch in progress, or a new one; undefined if none may start now. */
  #refresh(): Promise<void> | undefined {
    if (this.#pending !== undefined) return this.#pending;
    const now = this.#options.now();
    const earned = Math.floor((now - this.#budgetAt) / keyFetchMs);
    if (earned > 0) {
      this.#budget = Math.min(keyFetchBurst, this.#budget + earned);
      this.#budgetAt = this.#budget === keyFetchBurst ? now : this.#budgetAt + earned * keyFetchMs;
    }
    if (this.#budget <= 0) return undefined;
    if (this.#budget === keyFetchBurst) this.#budgetAt = now;
    this.#budget--;
    this.#pending = this.#fetch().finally(() => this.#pending = undefined);
    this.#pending.catch(() => {}); // Those that wait get the error, if there are any.
    return this.#pending;
  }

  async #fetch(): Promise<void> {
    const { url, fetch, now, fetched } = this.#options;
    try {
      const { text, value } = await fetchObject(fetch, url, "keys");
      const { createLocalJWKSet } = await jose();
      this.#keys = createLocalJWKSet(usableKeys(value));
      this.#fetchedAt = now();
      fetched(text);
    } catch (error) {
      this.#failure = reasonOf(error);
      fetched(undefined);
      throw new Error(`oidc: fetching keys ${this.#failure}`);
    }
  }
}

/** The payload, or undefined if no key of the set verifies the signature. */
async function verifiedBy(keys: KeySet, token: string, algorithms: readonly string[]): Promise<Uint8Array | undefined> {
  const { compactVerify, errors } = await jose(), options = { algorithms: [...algorithms] };
  try {
    return (await compactVerify(token, keys, options)).payload;
  } catch (error) {
    if (error instanceof errors.JWKSMultipleMatchingKeys) {
      for await (const key of error) {
        try {
          return (await compactVerify(token, key, options)).payload;
        } catch {
          // Another key of the set may match.
        }
      }
      return undefined;
    }
    if (error instanceof errors.JWSInvalid || error instanceof errors.JOSEAlgNotAllowed) {
      throw new TokenRefusal("oidc: verify token: oidc: malformed jwt");
    }
    // No key with that id, a signature by another key, or an invalid key.
    return undefined;
  }
}
