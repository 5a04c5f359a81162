/** Authenticators of bearer tokens, in requests and in TokenReviews. */
import type { TokenUser } from "../../../core/access.ts";

/** Recognises bearer tokens of one kind: those of a file, of service accounts, of an OpenID Connect issuer. */
export interface TokenAuthenticator {
  readonly name: string;
  /**
   * False: the answer depends on objects that may change at any time, so it must not be cached. The authenticator caches what it can by
   * itself. Default true.
   */
  readonly cacheable?: boolean;
  /**
   * The user of a token, with those of `audiences` that the token is for. `undefined`: not a token of this kind. `"refused"`: a token of
   * this kind that is not accepted. Rejects with a `TokenRefusal` where a TokenReview shows why it is not accepted, and with any other
   * error where the authenticator failed. No message contains the token or a part of it. `warn` receives warnings to the client.
   */
  authenticateToken(token: string, audiences: readonly string[], warn?: (text: string) => void): Promise<TokenUser | undefined | "refused">;
}

/** A token is not accepted, for a reason that a TokenReview shows as upstream does: `service account token has expired`. */
export class TokenRefusal extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "TokenRefusal";
  }
}
