/** Authenticators of bearer tokens, in requests and in TokenReviews. */
import type { TokenUser } from "./access.ts";

/** A user with the time after which the token is rejected, in milliseconds since the epoch. */
export interface ExpiringUser extends TokenUser {
  readonly expires?: number;
}

/** Authenticates bearer tokens of one kind: those of a file, of service accounts, of an OpenID Connect issuer. */
export interface TokenAuthenticator {
  readonly name: string;
  /**
   * False: the result depends on objects that may change at any time, so it must not be cached; the authenticator has its own cache.
   * Default true.
   */
  readonly cacheable?: boolean;
  /**
   * The user of a token, with the matching ones of `audiences`. `undefined`: not a token of this kind. `"refused"`: a token of this kind
   * that is invalid. Rejects with a `TokenRefusal` whose reason a TokenReview returns, and with any other error if the authenticator
   * failed. No message contains the token or a part of it. `warn` receives warnings to the client.
   */
  authenticateToken(
    token: string,
    audiences: readonly string[],
    warn?: (text: string) => void,
  ): Promise<ExpiringUser | undefined | "refused">;
}

/** A token is rejected, with a reason that a TokenReview returns as upstream's: `service account token has expired`. */
export class TokenRefusal extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "TokenRefusal";
  }
}

/**
 * For authenticators whose tokens have no audience: the requested audiences that the server has, or undefined if it has none of them.
 * Without requested audiences every token is accepted.
 */
export function ownAudiences(own: readonly string[], asked: readonly string[]): readonly string[] | undefined {
  if (asked.length === 0) return [];
  const shared = own.filter((audience) => asked.includes(audience));
  return shared.length === 0 ? undefined : shared;
}
