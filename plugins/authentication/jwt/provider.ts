/** The source of an issuer's keys: its discovery, and the keys. Configurations that differ in rules only share it. */
import { type Clock, pause } from "../../../core/async.ts";
import { goQuote } from "../../../core/tree/go-quote.ts";
import type { IssuerConfig } from "../configuration/schema.ts";
import { type FetchDocument, fetchObject } from "./document.ts";
import { RemoteKeys } from "./remote-keys.ts";
import { valueText } from "../../../core/value-text.ts";
import { bound } from "../../../core/bound.ts";

/** Milliseconds between two attempts to discover an issuer (kube-apiserver's value). */
const discoveryRetryMs = bound(10_000);

export interface ProviderNeeds {
  /** A fetch that trusts these PEM certificates; an empty text means those of the system. */
  readonly fetchWith: (certificateAuthority: string) => FetchDocument;
  readonly clock: Clock;
  /** Milliseconds of a monotonic clock. */
  readonly elapsed: () => number;
  /** `keySet`: the text that was fetched; undefined for a failure. */
  readonly keysFetched: (issuer: string, keySet: string | undefined) => void;
  /** Receives errors of the discovery. */
  readonly report: (sentence: string, error: unknown) => void;
}

const wellKnownPath = "/.well-known/openid-configuration";

export class Provider {
  readonly #issuer: IssuerConfig["issuer"];
  readonly #needs: ProviderNeeds;
  readonly #ending = new AbortController();
  /** Undefined until the discovery document was fetched. */
  #keys: RemoteKeys | undefined;
  /** Resolves when tokens can be verified, or the provider was closed. */
  readonly ready: Promise<void>;

  /** Starts the discovery. */
  constructor(issuer: IssuerConfig["issuer"], needs: ProviderNeeds) {
    this.#issuer = issuer;
    this.#needs = needs;
    this.ready = this.#discover(this.#ending.signal);
  }

  /** Equal for configurations that can share a provider: what decides where keys come from. */
  static identity({ url = "", discoveryURL = "", certificateAuthority = "" }: IssuerConfig["issuer"]): string {
    return valueText([url, discoveryURL, certificateAuthority]);
  }

  get url(): string {
    return this.#issuer.url ?? "";
  }
  get keys(): RemoteKeys | undefined {
    return this.#keys;
  }
  /** Ends the discovery. */
  close(): void {
    this.#ending.abort();
  }

  async #discover(signal: AbortSignal): Promise<void> {
    const { clock, report } = this.#needs;
    while (!signal.aborted) {
      try {
        this.#keys = await this.#discovered();
        return;
      } catch (error) {
        if (!signal.aborted) report(`the issuer ${goQuote(this.url)} cannot be used: its discovery document was not fetched`, error);
      }
      await pause(discoveryRetryMs, signal, clock);
    }
  }

  async #discovered(): Promise<RemoteKeys> {
    const { certificateAuthority = "", discoveryURL = "" } = this.#issuer;
    const { fetchWith, elapsed, keysFetched } = this.#needs;
    const fetch = fetchWith(certificateAuthority);
    const own = this.url.endsWith("/") ? this.url.slice(0, -1) : this.url;
    const { value } = await fetchObject(fetch, discoveryURL === "" ? own + wellKnownPath : discoveryURL, "discovery document");
    const { issuer, jwks_uri: url } = value;
    if (issuer !== this.url) {
      throw new Error(
        `oidc: issuer did not match the issuer returned by provider, expected ${goQuote(this.url)} got ${goQuote(String(issuer))}`,
      );
    }
    if (typeof url !== "string" || !url.startsWith("https://")) {
      throw new Error("oidc: provider did not return a JWKS URL with the scheme https");
    }
    return new RemoteKeys({ url, fetch, now: elapsed, fetched: (text) => keysFetched(this.url, text) });
  }
}
