/** One issuer of tokens: the checks of its tokens. */
import type { Clock } from "../../../core/async.ts";
import { goQuote } from "../../../core/tree/go-quote.ts";
import type { IssuerConfig } from "../configuration/schema.ts";
import { type IsCertificate, tokenObject } from "../signed-token.ts";
import { type ExpiringUser, TokenRefusal } from "../../../core/token-authenticator.ts";
import { type ClaimRules, type Claims, userOfClaims } from "./claims.ts";
import { expressionsOf } from "./expressions.ts";
import type { Provider } from "./provider.ts";
import { untrustedHeader, wholeIssuer } from "./untrusted.ts";

/** Records the work of issuers, for upstream's metrics. */
export interface JwtMeter {
  verified(issuer: string, result: "success" | "failure", seconds: number): void;
  /** `keySet`: the text that was fetched; undefined for a failure. */
  keysFetched(issuer: string, keySet: string | undefined): void;
  /** The issuer was removed from the configuration. */
  removed(issuer: string): void;
}

export interface IssuerNeeds {
  readonly clock: Clock;
  readonly meter: JwtMeter;
  readonly isCertificate: IsCertificate;
}

/** Verifies the tokens of one issuer. */
export class Issuer {
  readonly #authenticator: IssuerConfig;
  readonly #algorithms: readonly string[];
  readonly #rules: ClaimRules;
  readonly #needs: IssuerNeeds;
  readonly #provider: Provider;

  constructor(authenticator: IssuerConfig, algorithms: readonly string[], needs: IssuerNeeds, provider: Provider) {
    this.#authenticator = authenticator;
    this.#algorithms = algorithms;
    const { claimMappings: mappings, claimValidationRules = [] } = authenticator;
    const required = new Map(
      claimValidationRules.flatMap(({ claim = "", requiredValue = "" }) => claim === "" ? [] : [[claim, requiredValue] as const]),
    );
    this.#rules = { mappings, expressions: expressionsOf(authenticator), required };
    this.#needs = needs;
    this.#provider = provider;
  }

  get url(): string {
    return this.#authenticator.issuer.url ?? "";
  }

  /** The user of a token of this issuer, verified. Rejects as `TokenAuthenticator.authenticateToken`. */
  async authenticate(token: string): Promise<ExpiringUser> {
    const { clock, meter } = this.#needs;
    const begun = clock.now();
    let result: "success" | "failure" = "failure";
    try {
      const claims = await this.#verified(token);
      const user = userOfClaims(claims, this.#rules);
      result = "success";
      return { user, audiences: [], expires: (claims["exp"] as number) * 1000 }; // Checked with the token.
    } finally {
      meter.verified(this.url, result, (clock.now() - begun) / 1000);
    }
  }

  async #verified(token: string): Promise<Claims> {
    const { keys } = this.#provider;
    if (keys === undefined) throw new Error("oidc: authenticator not initialized");
    const header = untrustedHeader(token, this.#needs.isCertificate);
    if (header === undefined) throw refusal("oidc: malformed jwt");
    if (header.isExtended) throw refusal("failed to verify signature: failed to verify id token signature");
    const { alg: algorithm } = header;
    if (!this.#algorithms.includes(algorithm)) {
      const expected = this.#algorithms.map(goQuote).join(" ");
      throw refusal(`oidc: id token signed with unsupported algorithm, expected [${expected}] got ${goQuote(algorithm)}`);
    }
    const claims = tokenObject(await keys.verify(token, this.#algorithms));
    if (claims === undefined) throw refusal("oidc: failed to unmarshal claims: they are no object");
    this.#check(claims);
    return claims;
  }

  #check(claims: Claims): void {
    const { iss, aud, exp, nbf } = claims;
    const { audiences = [] } = this.#authenticator.issuer, now = this.#needs.clock.now() / 1000;
    if (typeof iss !== "string" || wholeIssuer(iss) !== this.url) {
      throw refusal(`oidc: id token issued by a different provider, expected ${goQuote(this.url)} got ${goQuote(String(iss))}`);
    }
    const wrong = Object.entries(types).find(([name, isOf]) => Object.hasOwn(claims, name) && !isOf(claims[name]));
    if (wrong !== undefined) throw refusal(`oidc: failed to unmarshal claims: the claim ${goQuote(wrong[0])} has the wrong type`);
    const named = (Array.isArray(aud) ? aud : [aud]).filter((each) => typeof each === "string");
    if (!named.some((audience) => audiences.includes(audience))) {
      const expected = audiences.length === 1 ? goQuote(audiences[0]!) : `in [${audiences.map(goQuote).join(" ")}]`;
      throw refusal(`oidc: expected audience ${expected} got [${named.map(goQuote).join(" ")}]`);
    }
    if (typeof exp !== "number" || !(exp >= now)) throw refusal(`oidc: token is expired (Token Expiry: ${timeText(exp)})`);
    if (nbf !== undefined && nbf !== null && (typeof nbf !== "number" || !(nbf <= now + leewaySeconds))) {
      throw refusal(`oidc: current time ${timeText(now)} before the nbf (not before) time: ${timeText(nbf)}`);
    }
  }
}

const isText = (value: unknown) => value === null || typeof value === "string";
const isTexts = (value: unknown) => Array.isArray(value) && value.every((each) => typeof each === "string");
/** Seconds that fit in 64 bits. */
const isSeconds = (value: unknown) => typeof value === "number" && Math.abs(value) < 2 ** 63;
const isMap = (value: unknown) => value === null || (typeof value === "object" && !Array.isArray(value));

/** The types of registered claims. Upstream rejects a token with another one, also in a claim that is not used. */
const types: Readonly<Record<string, (value: unknown) => boolean>> = Object.freeze({
  sub: isText,
  aud: (value: unknown) => isText(value) || isTexts(value),
  exp: isSeconds,
  iat: isSeconds,
  nbf: (value: unknown) => value === null || isSeconds(value),
  nonce: isText,
  at_hash: isText,
  _claim_names: isMap,
  _claim_sources: isMap,
});

/** Clock tolerance in seconds for the start of a token's validity, as upstream. */
const leewaySeconds = 60;

function refusal(reason: string): TokenRefusal {
  return new TokenRefusal(`oidc: verify token: ${reason}`);
}

/** A time in Go's format; Go's zero time if absent. */
function timeText(seconds: unknown): string {
  const milliseconds = typeof seconds === "number" ? seconds * 1000 : NaN;
  const text = Math.abs(milliseconds) <= 8.64e15 ? new Date(milliseconds).toISOString() : "0001-01-01T00:00:00.000Z";
  return `${text.slice(0, text.indexOf(".")).replace("T", " ")} +0000 UTC`;
}
