/** The authenticators of requests and bearer tokens, in upstream's order, and the files on which they depend. */
import {
  anonymousRule,
  type AuthenticateToken,
  authenticateTokens,
  type Authenticator,
  bearerTokens,
  clientCertificates,
  frontProxy,
  type TokenAuthenticator,
  type TokenFile,
  tokenFile,
} from "../../kernel/access/authentication/mod.ts";
import type { ActiveConfig } from "../config/active-config.ts";
import type { Followed } from "../config/follow-files.ts";
import { FaultyFile } from "../../core/config/mistake.ts";
import { reasonOf } from "../../core/reason-of.ts";
import { readText } from "../config/read-files.ts";
import { serviceAccountIssuers } from "../config/service-accounts.ts";
import type { Config } from "../config/settings.ts";
import type { Log } from "../../kernel/observe/log.ts";
import type { KernelRecord } from "../metrics/metrics.ts";
import type { Tracing } from "../../kernel/observe/tracing.ts";
import type { Exchange } from "../../kernel/request/exchange.ts";
import type { CheckedSetting } from "./checked-setting.ts";
import { errorLog } from "./error-log.ts";
import { openJwt, readJwtConfiguration } from "./jwt-authentication.ts";
import { checkDelegation, type FollowedTrust, openClusterTokens } from "./delegation.ts";
import type { PluginAuthenticators } from "./plugin-authenticators.ts";
import { checkTokenWebhook, openTokenWebhook } from "./token-webhook.ts";

/** All authenticators of a server. */
export interface Authentication {
  /** Of requests, in order: request header, client certificate, bearer token; those of plugins before or after them. */
  readonly authenticators: () => readonly Authenticator[];
  readonly authenticateToken: AuthenticateToken;
  /** Whether a request without credentials is anonymous. */
  readonly isAnonymous: (exchange: Exchange) => boolean;
  readonly followed: readonly Followed[];
}

/** The dependencies of `openAuthentication`. */
export interface AuthenticationNeeds {
  readonly inForce: () => Pick<ActiveConfig, "config" | "catalog">;
  readonly log: Pick<Log, "info" | "error">;
  readonly record: KernelRecord;
  /** Authenticators of service account tokens; they run after the token file and before OpenID Connect. */
  readonly serviceAccounts?: readonly TokenAuthenticator[];
  /** Those of the active plugins. */
  readonly plugins: Pick<PluginAuthenticators, "withRequests" | "withTokens">;
  /** The audiences of the server. */
  readonly audiences: () => readonly string[];
  /** The trust that the cluster in front publishes, if it is followed. */
  readonly clusterTrust?: FollowedTrust | undefined;
  readonly tracing?: Tracing | undefined;
  /** Aborts when the server stops. */
  readonly signal: AbortSignal;
}

/** Opens the authenticators of the settings. Rejects for a file that cannot be used; does not wait for other servers. */
export async function openAuthentication(config: Config, needs: AuthenticationNeeds): Promise<Authentication> {
  const { inForce, log, serviceAccounts = [], audiences, plugins } = needs;
  const certificates = clientCertificates(() => inForce().catalog.gates.isOn("AllowParsingUserUIDFromCertAuth"));
  const file = await openTokenFile(config["token-auth-file"], audiences);
  const jwt = await openJwt(config, { ...needs, audiences, disallowedIssuers: serviceAccountIssuers(config) });
  const webhook = await openTokenWebhook(config, { ...needs, audiences });
  // Local ones first, then those that call other servers. Service accounts precede OpenID Connect, which may fetch keys for a token.
  const cluster = await openClusterTokens(config, { ...needs, audiences });
  const ownTokens = [...file.authenticators, ...serviceAccounts, ...jwt.authenticators, ...webhook, ...cluster];
  const failed = errorLog(log), tokens = () => plugins.withTokens(ownTokens);
  const authenticateToken = authenticateTokens({
    authenticators: tokens,
    audiences,
    report: (name, error) => failed(`the authenticator ${name} failed`, error),
  });
  const withoutTokens = [...frontProxies(config, needs), certificates], own = [...withoutTokens, bearerTokens(authenticateToken)];
  return {
    authenticators: () => plugins.withRequests(tokens().length === 0 ? withoutTokens : own),
    authenticateToken,
    isAnonymous: anonymousRule(() => jwt.anonymous ?? { enabled: inForce().config["anonymous-auth"] }),
    followed: [...file.followed, ...jwt.followed],
  };
}

/** Front proxies: from the flags, or else from the trust that the cluster in front publishes. */
function frontProxies(config: Config, { inForce, clusterTrust }: AuthenticationNeeds): readonly Authenticator[] {
  if (config["requestheader-client-ca-file"] !== "") return [frontProxy(() => inForce().config)];
  return clusterTrust === undefined ? [] : [frontProxy(() => clusterTrust.current().frontProxy)];
}

interface OpenedTokens {
  readonly authenticators: readonly TokenAuthenticator[];
  readonly followed: readonly Followed[];
}

async function openTokenFile(path: string, audiences: () => readonly string[]): Promise<OpenedTokens> {
  if (path === "") return { authenticators: [], followed: [] };
  const read = () => readText(path, "token file");
  let text = await read();
  const tokens = tokensIn(text, path, audiences);
  const renew = async () => {
    const next = await read();
    if (next === text) return undefined;
    tokens.replace(next);
    text = next;
    return {};
  };
  return { authenticators: [tokens], followed: [{ what: "token file", paths: [path], renew }] };
}

function tokensIn(text: string, path: string, audiences: () => readonly string[]): TokenFile {
  try {
    return tokenFile(text, audiences);
  } catch (error) {
    throw new FaultyFile(path, reasonOf(error), error);
  }
}

/** Checks the files of the settings. Each promise rejects for a file that cannot be used. */
export function checkAuthentication(config: Config): readonly CheckedSetting[] {
  const ofIssuers = config["authentication-config"] !== "" ? "authentication-config" : "oidc-issuer-url";
  return [
    ["token-auth-file", openTokenFile(config["token-auth-file"], () => [])],
    [ofIssuers, readJwtConfiguration(config, serviceAccountIssuers(config))],
    ["authentication-token-webhook-config-file", checkTokenWebhook(config)],
    ...checkDelegation(config),
  ];
}
