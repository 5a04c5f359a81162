import type { OpenedAuthenticator } from "../../core/authentication.ts";
import type { TokenAuthenticator } from "../../core/token-authenticator.ts";

/** An authenticator of tokens in the form of the contract. Refusals are thrown as TokenRefusal, which the server accepts. */
export function answersOf(
  tokens: Pick<TokenAuthenticator, "authenticateToken">,
): NonNullable<OpenedAuthenticator["authenticateToken"]> {
  return async ({ token, audiences, warn }) => {
    const answer = await tokens.authenticateToken(token, audiences, warn);
    return answer === "refused" ? undefined : answer;
  };
}
