/** Defines authenticators of bearer tokens, for requests and TokenReviews. */
import type { TokenUser } from "./access.ts";

/** A user with the time after which the token is rejected, in milliseconds since the epoch. */
export interface ExpiringUser extends TokenUser {
  readonly expires?: number;
}

/** Authenticates bearer tokens of one kind: those of a file, of service accounts, of an OpenID Connect issuer. */
export interface TokenAuthenticator {
  readonly name: string;
  /**
   * Whether the result may be cached. False if it depends on objects that may change at any time; the authenticator then has its own cache.
   * Default true.
   */
  readonly cacheable?: boolean;
  /**
   * Returns the user of a token, with those of `audiences` that the token is for. Returns `undefined` for a token of another kind, and
   * `"refused"` for an invalid token of this kind. Rejects with a `TokenRefusal` whose reason a TokenReview returns, and with any other
   * error if the authenticator failed. No message contains the token or a part of it. `warn` receives warnings to the client.
   */
  authenticateToken(
    token: string,
    audiences: readonly string[],
    warn?: (text: string) => void,
  ): Promise<ExpiringUser | undefined | "refused">;
}

/** Thrown if a token is rejected with a reason. As in upstream, a TokenReview returns the reason: `service account token has expired`. */
export class TokenRefusal extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "TokenRefusal";
  }
}

/**
 * Returns the requested audiences that the server has, or undefined if it has none of them. It is for authenticators whose tokens have no
 * audience. If no audiences are requested, every token is accepted.
 */
export function ownAudiences(own: readonly string[], asked: readonly string[]): readonly string[] | undefined {
  if (asked.length === 0) return [];
  const shared = own.filter((audience) => asked.includes(audience));
  return shared.length === 0 ? undefined : shared;
}
