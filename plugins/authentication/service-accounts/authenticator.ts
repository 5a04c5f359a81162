/** The authenticator of tokens of service accounts. */
import type { TokenUser } from "../../../core/access.ts";
import { goQuote } from "../../../core/tree/go-quote.ts";
import { type TokenAuthenticator, TokenRefusal } from "../../../core/token-authenticator.ts";
import type { Caller } from "../../../core/user-info.ts";
import type { BoundClaims, Claims } from "./claims.ts";
import { checkLegacy, type LegacyUse, type SecretUse } from "./legacy.ts";
import type { LookUpObject } from "../../../core/authentication.ts";
import type { Names } from "../../../core/names.ts";
import { accountUser, checkAccount, checkBound, checkTimes, isEnding, userOf } from "./validate.ts";
import type { VerifyToken } from "./verify.ts";
import { bound } from "../../../core/bound.ts";

/** Audiences in the error message of a rejected token. */
const namedAudiencesMax = bound(100);

/** Counts tokens, as upstream's metrics of service accounts. */
export interface TokenMeter {
  /** A token without an audience and without an end. */
  legacy(): void;
  /** A token that a client should have replaced, or one that it need not replace yet. */
  projected(state: "stale" | "valid"): void;
  legacyUse(use: LegacyUse): void;
}

export interface AuthenticatorNeeds {
  readonly verify: VerifyToken;
  readonly lookup: LookUpObject;
  readonly names: () => Names;
  /** The audiences of tokens that name none. */
  readonly audiences: () => readonly string[];
  readonly looksUp: () => boolean;
  readonly meter: TokenMeter;
  /** Records the use of the legacy token in a Secret. */
  readonly used: (secret: SecretUse) => void;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Accepts tokens that a key of the server signed, while their account and the object that they are bound to exist. Order of the checks, as
 * upstream: issuer, signature, audience, time, account, object.
 */
export function serviceAccountTokens(needs: AuthenticatorNeeds): TokenAuthenticator {
  const { verify, lookup, names, looksUp, meter, now } = needs;
  const used = (use: LegacyUse, secret: SecretUse): void => {
    meter.legacyUse(use);
    needs.used(secret);
  };
  // What was found of remembered tokens: a token is sent with every request, and its account seldom changes.
  const found = new WeakMap<Claims, { readonly user: Caller; readonly revision: number }>();
  const accept = async (claims: BoundClaims, at: number): Promise<Caller> => {
    const before = found.get(claims), account = await checkAccount(claims, lookup, at, before?.revision);
    if (before?.revision === account.revision) return before.user;
    const user = before?.user ?? userOf(claims);
    if (isEnding(account)) found.delete(claims);
    else found.set(claims, { user, revision: account.revision });
    return user;
  };
  return {
    name: "serviceaccount",
    cacheable: false,
    async authenticateToken(token, asked, warn) {
      const claims = await verify(token);
      if (claims === undefined) return undefined;
      const own = needs.audiences();
      if (claims.audiences.length === 0) meter.legacy();
      const audiences = audiencesOf(claims.audiences.length === 0 ? own : claims.audiences, asked.length === 0 ? own : asked);
      if (claims.kind === "legacy") {
        await checkLegacy(token, claims, {
          lookup,
          names,
          looksUp,
          used(use, secret) {
            used(use, secret);
            if (use === "automatic") warn?.(automaticWarning);
          },
        });
        return accepted(accountUser(claims.namespace, claims.account), audiences);
      }
      const at = now();
      checkTimes(claims, at);
      const user = await accept(claims, at);
      await checkBound(claims, lookup, at);
      count(claims, meter, at);
      return accepted(user, audiences);
    },
  };
}

/** Upstream's. */
const automaticWarning =
  "Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated secret-based tokens.";

function accepted(user: TokenUser["user"], audiences: readonly string[]): TokenUser {
  return { user, audiences };
}

/** The requested audiences of the token. A token with none of them is rejected. */
function audiencesOf(own: readonly string[], asked: readonly string[]): readonly string[] {
  const known = new Set(own), shared = asked.filter((audience) => known.has(audience));
  if (shared.length > 0) return shared;
  const shown = (audiences: readonly string[]): string => {
    const left = audiences.length - namedAudiencesMax;
    return `[${audiences.slice(0, namedAudiencesMax).map(goQuote).join(" ")}${left > 0 ? ` and ${left} more` : ""}]`;
  };
  throw new TokenRefusal(`token audiences ${shown(own)} is invalid for the target audiences ${shown(asked)}`);
}

function count({ warnAfter }: BoundClaims, meter: TokenMeter, now: number): void {
  if (warnAfter !== undefined && warnAfter !== 0) meter.projected(now / 1000 > warnAfter ? "stale" : "valid");
}
