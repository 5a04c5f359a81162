/** The authenticators of requests and of bearer tokens, in upstream's order, and the files that they are read from. */
import {
  type AuthenticateToken,
  authenticateTokens,
  type Authenticator,
  bearerTokens,
  clientCertificates,
  frontProxy,
  type TokenAuthenticator,
  tokenFile,
} from "../access/authentication/mod.ts";
import type { ActiveConfig } from "../config/active-config.ts";
import type { Followed } from "../config/follow-files.ts";
import { readText } from "../config/read-files.ts";
import type { Config } from "../config/settings.ts";
import type { Log } from "../observe/log.ts";
import { errorLog } from "./error-log.ts";

/** Everything that authenticates. */
export interface Authentication {
  /** Of requests, in order: request header, client certificate, bearer token. */
  readonly authenticators: readonly Authenticator[];
  readonly authenticateToken: AuthenticateToken;
  readonly followed: readonly Followed[];
}

/** What is needed to open the authenticators. */
export interface AuthenticationNeeds {
  readonly inForce: () => Pick<ActiveConfig, "config" | "catalog">;
  readonly log: Pick<Log, "error">;
  /** Those of the tokens of service accounts; they come after the token file and before OpenID Connect. */
  readonly serviceAccounts?: readonly TokenAuthenticator[];
  /** The audiences of the server. */
  readonly audiences: () => readonly string[];
}

/** Opens the authenticators that the settings name. Rejects where a file cannot be used. */
export async function openAuthentication(
  config: Config,
  { inForce, log, serviceAccounts = [], audiences }: AuthenticationNeeds,
): Promise<Authentication> {
  const certificates = clientCertificates(() => inForce().catalog.gates.isOn("AllowParsingUserUIDFromCertAuth"));
  const file = await openTokenFile(config["token-auth-file"], audiences);
  // Local ones first, then those that ask other servers. Service accounts come before OpenID Connect, which may fetch keys for a token.
  const tokens = [...file.authenticators, ...serviceAccounts];
  const failed = errorLog(log);
  const authenticateToken = authenticateTokens({
    authenticators: tokens,
    audiences,
    report: (name, error) => failed(`the authenticator ${name} failed`, error),
  });
  return {
    authenticators: [
      ...(config["requestheader-client-ca-file"] === "" ? [] : [frontProxy(() => inForce().config)]),
      certificates,
      ...(tokens.length === 0 ? [] : [bearerTokens(authenticateToken)]),
    ],
    authenticateToken,
    followed: file.followed,
  };
}

interface OpenedTokens {
  readonly authenticators: readonly TokenAuthenticator[];
  readonly followed: readonly Followed[];
}

async function openTokenFile(path: string, audiences: () => readonly string[]): Promise<OpenedTokens> {
  if (path === "") return { authenticators: [], followed: [] };
  const read = () => readText(path, "token file");
  let text = await read();
  const tokens = tokenFile(text, audiences);
  const renew = async () => {
    const next = await read();
    if (next === text) return undefined;
    tokens.replace(next);
    text = next;
    return {};
  };
  return { authenticators: [tokens], followed: [{ what: "token file", paths: [path], renew }] };
}

/** Reads the files that the settings name, and uses none of it. Rejects for the first that cannot be used. */
export async function checkAuthentication(config: Config): Promise<void> {
  await openTokenFile(config["token-auth-file"], () => []);
}
