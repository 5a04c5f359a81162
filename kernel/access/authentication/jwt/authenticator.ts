/** Tokens of the configured issuers. */
import type { IssuerConfig } from "../configuration/schema.ts";
import type { TokenAuthenticator } from "../token-authenticator.ts";
import { ownAudiences } from "../token-chain.ts";
import { Issuer, type IssuerNeeds } from "./issuer.ts";
import { untrustedIssuer } from "./untrusted.ts";

/** The allowed signature algorithms: no symmetric ones, and not `none`. */
export const signingAlgorithms: readonly string[] = Object.freeze(
  ["ES256", "ES384", "ES512", "PS256", "PS384", "PS512", "RS256", "RS384", "RS512"],
);

export interface JwtAuthenticatorOptions extends IssuerNeeds {
  readonly algorithms: readonly string[];
  /** The audiences of the server. */
  readonly audiences: () => readonly string[];
}

interface Running {
  readonly issuer: Issuer;
  /** The configuration as text, to detect changes. */
  readonly text: string;
  readonly ending: AbortController;
}

/** Authenticates the tokens of several issuers. An unavailable one does not delay the others. */
export class JwtAuthenticator implements TokenAuthenticator {
  readonly name = "jwt";
  readonly #options: JwtAuthenticatorOptions;
  #issuers: ReadonlyMap<string, Running> = new Map();

  constructor(options: JwtAuthenticatorOptions) {
    this.#options = options;
  }

  /** Replaces the issuers. Unchanged ones keep their keys. Resolves when every new one can verify tokens. */
  async replace(authenticators: readonly IssuerConfig[]): Promise<void> {
    const before = this.#issuers, next = new Map<string, Running>();
    for (const authenticator of authenticators) {
      const url = authenticator.issuer.url ?? "", text = JSON.stringify(authenticator), known = before.get(url);
      next.set(url, known?.text === text ? known : this.#open(authenticator, text));
    }
    this.#issuers = next;
    for (const [url, running] of before) {
      if (next.get(url) !== running) running.ending.abort();
      if (!next.has(url)) this.#options.meter.removed(url);
    }
    await Promise.all([...next.values()].map(({ issuer }) => issuer.ready));
  }

  /** Ends the discovery of every issuer. */
  close(): void {
    for (const { ending } of this.#issuers.values()) ending.abort();
  }

  async authenticateToken(token: string, audiences: readonly string[]): ReturnType<TokenAuthenticator["authenticateToken"]> {
    const shared = ownAudiences(this.#options.audiences(), audiences);
    const running = shared === undefined ? undefined : this.#issuers.get(untrustedIssuer(token) ?? "");
    if (shared === undefined || running === undefined) return undefined;
    return { ...await running.issuer.authenticate(token), audiences: shared };
  }

  #open(authenticator: IssuerConfig, text: string): Running {
    const ending = new AbortController();
    return { issuer: new Issuer(authenticator, this.#options.algorithms, this.#options, ending.signal), text, ending };
  }
}
