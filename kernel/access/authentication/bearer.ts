/** Bearer tokens of requests. */
import type { Exchange } from "../../request/exchange.ts";
import { protocolToken } from "../../request/websocket.ts";
import { type Authenticator, Refused, type Warn } from "./authenticate.ts";
import { type AuthenticateToken, refusalText } from "./token-chain.ts";
import { withoutToken } from "../../../core/without-token.ts";

/** The single authenticator of requests for all kinds of bearer tokens. */
export function bearerTokens(authenticate: AuthenticateToken): Authenticator {
  return {
    name: "bearertoken",
    async authenticate(exchange, warn) {
      const token = bearerToken(exchange, warn) ?? protocolToken(exchange);
      if (token === undefined) return undefined;
      const outcome = await authenticate(token, [], warn);
      if (outcome.tag === "accepted") return outcome.accepted.user;
      const reason = withoutToken(refusalText(outcome.reasons), token);
      if (outcome.tag === "failed") throw new Error(reason);
      return new Refused(reason);
    },
  };
}

/**
 * The token of the first Authorization header; undefined if there is none. The scheme is case-insensitive, and words after the token are
 * ignored.
 */
function bearerToken(exchange: Exchange, warn: Warn): string | undefined {
  const value = exchange.headers["authorization"];
  const text = typeof value === "string" ? value : value?.[0];
  const [scheme, token, ...more] = text?.trim().split(" ", 3) ?? [];
  if (scheme?.toLowerCase() !== "bearer") return undefined;
  if (token !== "") return token;
  if (more.length > 0) warn("the provided Authorization header contains extra space before the bearer token, and is ignored");
  return undefined;
}
