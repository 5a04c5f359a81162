/** Tokens of the configured issuers. */
import type { IssuerConfig } from "../configuration/schema.ts";
import { ownAudiences, type TokenAuthenticator } from "../../../core/token-authenticator.ts";
import { Issuer, type IssuerNeeds } from "./issuer.ts";
import { Provider, type ProviderNeeds } from "./provider.ts";
import { untrustedIssuer } from "./untrusted.ts";

/** The allowed signature algorithms: no symmetric ones, and not `none`. */
export const signingAlgorithms: readonly string[] = Object.freeze(
  ["ES256", "ES384", "ES512", "PS256", "PS384", "PS512", "RS256", "RS384", "RS512"],
);

export interface JwtAuthenticatorOptions extends IssuerNeeds, Omit<ProviderNeeds, "keysFetched"> {
  readonly algorithms: readonly string[];
  /** The audiences of the server. */
  readonly audiences: () => readonly string[];
}

/** One configuration. */
interface Generation {
  /** By URL. */
  readonly issuers: ReadonlyMap<string, Issuer>;
  /** By identity. */
  readonly providers: ReadonlyMap<string, Provider>;
}

const nothing: Generation = Object.freeze({ issuers: new Map(), providers: new Map() });

/** A configuration that is going to replace the active one. */
export interface Replacing {
  /** Resolves when it is active, or another one has taken its place. Never rejects. */
  readonly active: Promise<void>;
  readonly isActive: () => boolean;
  /** URLs of issuers that it waits for. */
  readonly waitsFor: () => readonly string[];
}

/**
 * Authenticates the tokens of several issuers. An unavailable one does not delay the others.
 *
 *   active ──replace──> active, next discovers ──every provider of next is ready──> next is active
 *
 * Keys belong to the issuer and its CA, so a change of rules is active at once. The first configuration is active at once, too: each issuer is used when
 * it is ready.
 */
export class JwtAuthenticator implements TokenAuthenticator {
  readonly name = "jwt";
  readonly #options: JwtAuthenticatorOptions;
  #active: Generation | undefined;
  #next: Generation | undefined;

  constructor(options: JwtAuthenticatorOptions) {
    this.#options = options;
  }

  /** Replaces the issuers once every new one can verify tokens; a later call supersedes this one. `adopted` is called at that time. */
  replace(authenticators: readonly IssuerConfig[], adopted: () => void = () => {}): Replacing {
    const next = this.#generation(authenticators);
    this.#become(this.#active, next);
    const waiting = () => [...next.providers.values()].filter(({ keys }) => keys === undefined);
    const adopt = () => {
      this.#become(next, undefined);
      adopted();
    };
    const ready = Promise.all([...next.providers.values()].map((provider) => provider.ready)).then(() => {
      if (this.#next === next) adopt();
    });
    if (this.#active === undefined || waiting().length === 0) adopt();
    return { active: ready, isActive: () => this.#active === next, waitsFor: () => waiting().map(({ url }) => url) };
  }

  /** Ends the discovery of every issuer. */
  close(): void {
    for (const generation of [this.#active, this.#next]) for (const provider of generation?.providers.values() ?? []) provider.close();
  }

  async authenticateToken(token: string, audiences: readonly string[]): ReturnType<TokenAuthenticator["authenticateToken"]> {
    const shared = ownAudiences(this.#options.audiences(), audiences);
    const issuer = shared === undefined ? undefined : this.#active?.issuers.get(untrustedIssuer(token) ?? "");
    if (shared === undefined || issuer === undefined) return undefined;
    return { ...await issuer.authenticate(token), audiences: shared };
  }

  #generation(authenticators: readonly IssuerConfig[]): Generation {
    const { algorithms, meter } = this.#options;
    const known = new Map([...this.#next?.providers ?? [], ...this.#active?.providers ?? []]);
    const issuers = new Map<string, Issuer>(), providers = new Map<string, Provider>();
    for (const authenticator of authenticators) {
      const identity = Provider.identity(authenticator.issuer);
      const provider = known.get(identity) ?? new Provider(authenticator.issuer, { ...this.#options, keysFetched: meter.keysFetched });
      providers.set(identity, provider);
      issuers.set(provider.url, new Issuer(authenticator, algorithms, this.#options, provider));
    }
    return { issuers, providers };
  }

  /** Ends what neither of the two uses. */
  #become(active: Generation | undefined, next: Generation | undefined): void {
    const before = [this.#active ?? nothing, this.#next ?? nothing];
    this.#active = active;
    this.#next = next;
    const used = new Set([active, next].flatMap((each) => [...each?.providers.values() ?? []]));
    for (const { providers } of before) for (const provider of providers.values()) if (!used.has(provider)) provider.close();
    for (const url of before[0]!.issuers.keys()) if (active?.issuers.has(url) !== true) this.#options.meter.removed(url);
  }
}
