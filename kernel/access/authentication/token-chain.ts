/** The chain of authenticators of bearer tokens, for requests and for TokenReviews. */
import type { TokenUser } from "../../../core/access.ts";
import { reasonOf } from "../../../core/reason-of.ts";
import { type TokenAuthenticator, TokenRefusal } from "../../../core/token-authenticator.ts";
import { bound } from "../../../core/bound.ts";

/** Total bytes of request line and headers (Go's http.DefaultMaxHeaderBytes). */
export const headerBytesMax = bound(1024 * 1024);

/** The result of a chain for a token. */
export type TokenOutcome =
  | { readonly tag: "accepted"; readonly accepted: TokenUser }
  /** No authenticator accepts it; `reasons` are those that a TokenReview shows. */
  | { readonly tag: "refused"; readonly reasons: readonly string[] }
  /** No authenticator accepts it, and at least one failed. */
  | { readonly tag: "failed"; readonly reasons: readonly string[] };

/** `audiences`: at least one must be the token's; empty means those of the server. Never rejects. */
export type AuthenticateToken = (token: string, audiences: readonly string[], warn?: (text: string) => void) => Promise<TokenOutcome>;

export interface TokenChain {
  /** The current ones, in the order in which they are called. */
  readonly authenticators: () => readonly TokenAuthenticator[];
  /** The audiences of the server. Empty: tokens are not checked for their audience. */
  readonly audiences: () => readonly string[];
  /** Receives the error of an authenticator that failed. It is not called for refusals. */
  readonly report: (name: string, error: unknown) => void;
}

/**
 * The first authenticator that accepts a token decides. One that refuses it or fails does not end the chain, as upstream. A token above
 * `headerBytesMax`, which only a TokenReview can contain, is refused without a call.
 */
export function authenticateTokens({ authenticators, audiences, report }: TokenChain): AuthenticateToken {
  return async (token, asked, warn) => {
    if (token.length > headerBytesMax) return { tag: "refused", reasons: [] };
    const wanted = asked.length === 0 ? audiences() : asked;
    const reasons: string[] = [];
    let failed = false;
    for (const authenticator of authenticators()) {
      try {
        const answer = await authenticator.authenticateToken(token, wanted, warn);
        if (answer !== undefined && answer !== "refused") return { tag: "accepted", accepted: answer };
      } catch (error) {
        reasons.push(reasonOf(error));
        if (error instanceof TokenRefusal) continue;
        failed = true;
        report(authenticator.name, error);
      }
    }
    return { tag: failed ? "failed" : "refused", reasons };
  };
}

/** The text of a TokenReview about a token that is not accepted: upstream's list of distinct errors. */
export function refusalText(reasons: readonly string[]): string {
  const [first, ...more] = new Set(["invalid bearer token", ...reasons]);
  return more.length === 0 ? first! : `[${[first, ...more].join(", ")}]`;
}
