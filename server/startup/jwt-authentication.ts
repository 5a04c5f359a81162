/** Issuers of tokens and the rules of anonymous requests, from --authentication-config or the --oidc-* flags. */
import { pause, systemClock } from "../../core/async.ts";
import { forbidden } from "../../core/field-error.ts";
import {
  type AuthenticationConfiguration,
  cachedTokens,
  checkConfiguration,
  ConfigurationError,
  issuerOfFlags,
  JwtAuthenticator,
  readAuthenticationConfiguration,
  type Replacing,
  signingAlgorithms,
  type TokenAuthenticator,
  validateConfiguration,
  validateReload,
  type ValidationContext,
} from "../../kernel/access/authentication/mod.ts";
import { reasonOf } from "../../core/reason-of.ts";
import type { Followed } from "../config/follow-files.ts";
import { type Fault, FaultyFile } from "../../core/config/mistake.ts";
import { readText } from "../config/read-files.ts";
import { serviceAccountIssuers } from "../config/service-accounts.ts";
import type { Config } from "../config/settings.ts";
import { pemCertificates } from "../../protocols/x509/certificate.ts";
import { peerVerifier } from "../listen/verify-peer.ts";
import type { Log } from "../../kernel/observe/log.ts";
import type { KernelRecord } from "../metrics/metrics.ts";
import { authenticationReloadMeter, jwtMeter, tokenCacheMeter } from "./authentication-meters.ts";
import { errorLog } from "./error-log.ts";
import { issuerFetch, issuerFetchMs } from "./issuer-fetch.ts";
import { keyedHash } from "./keyed-hash.ts";

export interface JwtNeeds {
  readonly log: Pick<Log, "info" | "error">;
  readonly record: KernelRecord;
  /** The audiences of the server. */
  readonly audiences: () => readonly string[];
  /** Issuers that must not be configured: those of service accounts. */
  readonly disallowedIssuers: readonly string[];
  /** Aborts when the server stops. */
  readonly signal: AbortSignal;
}

export interface OpenedJwt {
  readonly authenticators: readonly TokenAuthenticator[];
  /** The rules of anonymous requests; undefined if the flag decides. */
  readonly anonymous: AuthenticationConfiguration["anonymous"];
  readonly followed: readonly Followed[];
}

/** Milliseconds for which an accepted token is cached, as upstream. Rejected tokens are not cached: a new key may verify them. */
const acceptedMs = 10_000;
const what = "authentication configuration";

/** Starts the discovery of the issuers without waiting for it. Rejects for a configuration that cannot be used. */
export async function openJwt(config: Config, needs: JwtNeeds): Promise<OpenedJwt> {
  const { log, record, audiences, disallowedIssuers, signal } = needs;
  const first = await readJwtConfiguration(config, disallowedIssuers);
  const { anonymous } = first.configuration;
  const path = config["authentication-config"];
  if (path === "" && first.configuration.jwt === undefined) return { authenticators: [], anonymous, followed: [] };
  const authenticator = new JwtAuthenticator({
    algorithms: path === "" ? algorithmsOf(config) : signingAlgorithms,
    audiences,
    fetchWith: issuerFetch,
    clock: systemClock,
    elapsed: () => performance.now(),
    meter: jwtMeter(record, Date.now),
    report: errorLog(log),
  });
  signal.addEventListener("abort", () => authenticator.close(), { once: true });
  // Each configuration has its own cache, so that tokens of a removed issuer become invalid.
  const cache = () =>
    cachedTokens(authenticator, { acceptedMs, refusedMs: 0, hash: keyedHash(), now: Date.now, meter: tokenCacheMeter(record) });
  let cached = cache();
  const adopt = (configuration: AuthenticationConfiguration, adopted: () => void): Replacing => {
    warnOfPrefixes(configuration, log);
    return authenticator.replace(configuration.jwt ?? [], () => {
      cached = cache();
      adopted();
    });
  };
  adopt(first.configuration, () => {});
  return {
    authenticators: [{ name: authenticator.name, authenticateToken: (...args) => cached.authenticateToken(...args) }],
    anonymous,
    followed: path === "" ? [] : [fileToFollow(config, first, needs, adopt)],
  };
}

interface ReadConfiguration {
  readonly text: string;
  readonly configuration: AuthenticationConfiguration;
}

/**
 * The file of the configuration. A changed one is active when every new issuer can be used; one that waits for an issuer is reported as a failed reload, and as
 * a renewal once it is active.
 */
function fileToFollow(
  config: Config,
  first: ReadConfiguration,
  { record, disallowedIssuers, signal }: JwtNeeds,
  adopt: (configuration: AuthenticationConfiguration, adopted: () => void) => Replacing,
): Followed {
  const meter = authenticationReloadMeter(record, Date.now);
  meter.inForce(first.text);
  let text = first.text, refused: Error | undefined;
  /** The configuration that is not reported as active. */
  let waiting: { readonly replacing: Replacing; readonly issuers: readonly string[] } | undefined;

  /** Undefined if nothing waits. Throws while it waits. */
  function progress(): { readonly issuers: readonly string[] } | undefined {
    if (waiting === undefined) return undefined;
    const { replacing, issuers } = waiting;
    if (!replacing.isActive()) {
      throw new Error(`it is valid and becomes active when these issuers answer: ${replacing.waitsFor().join(", ")}`);
    }
    waiting = undefined;
    return { issuers };
  }
  return {
    what,
    paths: [config["authentication-config"]],
    async renew() {
      const next = await readText(config["authentication-config"], what);
      if (next === text) {
        if (refused !== undefined) throw refused;
        return progress();
      }
      text = next;
      try {
        const configuration = configurationOf(config, next, disallowedIssuers, first.configuration);
        refused = undefined;
        const replacing = adopt(configuration, () => {
          meter.reloaded("success");
          meter.inForce(next);
        });
        waiting = { replacing, issuers: (configuration.jwt ?? []).map(({ issuer }) => issuer.url ?? "") };
        const over = new AbortController();
        await Promise.race([replacing.active, pause(issuerFetchMs, AbortSignal.any([signal, over.signal]))]);
        over.abort();
      } catch (error) {
        meter.reloaded("failure");
        throw refused = new Error(reasonOf(error));
      }
      try {
        return progress();
      } catch (error) {
        meter.reloaded("failure");
        throw error;
      }
    },
  };
}

/** The configuration of the settings. Rejects with an error that lists every mistake. */
export async function readJwtConfiguration(config: Config, disallowedIssuers: readonly string[]): Promise<ReadConfiguration> {
  const path = config["authentication-config"];
  if (path !== "") {
    const text = await readText(path, what);
    try {
      return { text, configuration: configurationOf(config, text, disallowedIssuers) };
    } catch (error) {
      throw loadError(path, error);
    }
  }
  if (config["oidc-issuer-url"] === "" || config["oidc-client-id"] === "") return { text: "", configuration: {} };
  const caPath = config["oidc-ca-file"];
  const configuration = {
    jwt: [issuerOfFlags(config, caPath === "" ? "" : await readText(caPath, "authorities of the OpenID Connect issuer"))],
  };
  try {
    checkConfiguration(validateConfiguration(configuration, contextOf(disallowedIssuers)));
  } catch (error) {
    throw loadError("", error);
  }
  return { text: "", configuration };
}

/** The error with upstream's prefix. */
function loadError(path: string, error: unknown): Error {
  const isRead = error instanceof ConfigurationError;
  const message = `${
    isRead ? "invalid authentication configuration" : `failed to load authentication configuration from file "${path}"`
  }: ${reasonOf(error)}`;
  return path === "" ? new Error(message) : new FaultyFile(path, message, error);
}

function configurationOf(
  config: Config,
  text: string,
  disallowedIssuers: readonly string[],
  first?: AuthenticationConfiguration,
): AuthenticationConfiguration {
  return readAuthenticationConfiguration(text, config["group-domain"], contextOf(disallowedIssuers), (next) => [
    ...(first === undefined ? [] : validateReload(next, first)),
    ...(next.anonymous === undefined || config["anonymous-auth"] ? [] : [forbidden("anonymous", anonymousDetail)]),
  ]);
}

const anonymousDetail = "--anonymous-auth flag cannot be set when anonymous field is configured in authentication configuration file";

function contextOf(disallowedIssuers: readonly string[]): ValidationContext {
  const checkCertificates = (pem: string) => {
    if (pemCertificates(pem).length === 0) throw new Error("data does not contain any valid RSA or ECDSA certificates");
    peerVerifier(pem);
  };
  return { disallowedIssuers, checkCertificates };
}

function algorithmsOf(config: Config): readonly string[] {
  const algorithms = config["oidc-signing-algs"];
  return algorithms.length === 0 ? ["RS256"] : algorithms;
}

/**
 * Warns of names and groups without a prefix: a claim can contain system:masters, so the issuer has all rights. An expression can return
 * anything, unless a rule of users checks it.
 */
function warnOfPrefixes(configuration: AuthenticationConfiguration, log: Pick<Log, "info">): void {
  for (const { text, issuer } of bareIssuers(configuration)) log.info(text, { issuer });
}

/** The warnings about issuers without prefixes, for `thole check`. Rejects for a configuration that cannot be used. */
export async function jwtWarnings(config: Config): Promise<readonly Fault[]> {
  const { configuration } = await readJwtConfiguration(config, serviceAccountIssuers(config));
  return bareIssuers(configuration).map(({ text, path }) => ({ text, path }));
}

function bareIssuers({ jwt = [] }: AuthenticationConfiguration) {
  return jwt.flatMap(({ issuer, claimMappings: { username, groups }, userValidationRules = [] }, index) => {
    const isBare = ({ prefix, expression = "" }: typeof username) =>
      prefix === "" || (expression !== "" && userValidationRules.length === 0);
    const bare = [...(isBare(username) ? ["user names"] : []), ...(isBare(groups) ? ["groups"] : [])];
    if (bare.length === 0) return [];
    const text = `tokens of an issuer may have any ${
      bare.join(" and ")
    }, system: ones too, because there is no prefix and no rule of users`;
    return [{ text, issuer: issuer.url, path: `jwt[${index}].claimMappings` }];
  });
}
