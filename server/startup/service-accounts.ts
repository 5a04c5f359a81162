/** Tokens of service accounts: the keys, the authenticator, the issuer and the discovery documents of a server. */
import type { Api } from "../../core/api.ts";
import type { TokenAuthenticator } from "../../kernel/access/authentication/mod.ts";
import {
  configurationDocument,
  discoveryPaths,
  discoverySeconds,
  issuerMistake,
  keysDocument,
  type Lookup,
  lookupOf,
  serviceAccountTokens,
  type TokenIssuer,
  tokenIssuer,
  type TokenMeter,
  tokenVerifier,
  type UseRecorder,
  useRecorder,
} from "../../kernel/access/service-accounts/mod.ts";
import type { Followed } from "../config/follow-files.ts";
import { apiAudiences, serviceAccountIssuers, serviceAccountWarnings } from "../config/service-accounts.ts";
import type { Config } from "../config/settings.ts";
import type { TokenDocuments } from "../../kernel/nonresource/token-documents.ts";
import { describe, type Log } from "../../kernel/observe/log.ts";
import type { KernelRecord } from "../metrics/metrics.ts";
import type { Reads } from "../../kernel/reads/reads.ts";
import { never } from "../../kernel/request-context.ts";
import type { ConfigInForce } from "./config-in-force.ts";
import { keyedHash } from "./keyed-hash.ts";
import { openTokenKeys } from "./token-keys.ts";

export interface ServiceAccounts {
  readonly authenticator: TokenAuthenticator;
  readonly issuer: TokenIssuer;
  /** The discovery documents. */
  readonly documents: TokenDocuments;
  readonly followed: readonly Followed[];
  /** Sets the source of objects. Before that, all tokens are rejected. */
  lookUpIn(reads: Pick<Reads, "live">): void;
  /** Sets the API that records uses of legacy tokens. */
  recordBy(api: Api): void;
  /** The URL of the server, for the discovery documents. */
  serveAt(url: string): void;
  /** Resolves when the server's own key exists, or could not be created. */
  keyCreated(): Promise<void>;
  /** Resolves when no key is being created and no use is being recorded. */
  ended(): Promise<void>;
}

export interface ServiceAccountNeeds {
  readonly inForce: ConfigInForce;
  readonly log: Pick<Log, "info" | "error">;
  /** For warnings about the settings. */
  readonly findings: Pick<Log, "info">;
  readonly record: KernelRecord;
}

/** Rejects for given files without keys. */
export async function openServiceAccounts(
  config: Config,
  { inForce: { current: inForce, onSwap }, log, findings, record }: ServiceAccountNeeds,
): Promise<ServiceAccounts> {
  const { keys, followed, ended } = await openTokenKeys(config, log);
  const warn = (before: readonly string[], next: Config) => {
    const texts = [...serviceAccountWarnings(next), ...sharingWarnings(next)];
    for (const text of texts.filter((each) => !before.includes(each))) findings.info(`Warning: ${text}`);
    return texts;
  };
  let warned = warn([], config);
  onSwap((next) => {
    warned = warn(warned, next.config);
  });
  const issuers = () => serviceAccountIssuers(inForce().config), audiences = () => apiAudiences(inForce().config);
  const names = () => inForce().catalog.names, now = () => Date.now();
  const hash = keyedHash();
  let lookup: Lookup = () => Promise.reject(new Error("the store is not open"));
  let uses: UseRecorder | undefined, address = "";
  return {
    followed,
    authenticator: serviceAccountTokens({
      verify: tokenVerifier({ keys, issuers, hash: (token) => hash([token]) }),
      lookup: (resource, namespace, name) => lookup(resource, namespace, name),
      names,
      audiences,
      looksUp: () => inForce().config["service-account-lookup"],
      meter: meterOf(record),
      used: (secret) => uses?.record(secret),
      now,
    }),
    issuer: tokenIssuer({
      keys,
      settings: () => ({
        issuer: issuers()[0]!,
        audiences: audiences(),
        secondsMax: inForce().config["service-account-max-token-expiration"] / 1000,
        extends: inForce().config["service-account-extend-token-expiration"],
      }),
      now,
    }),
    documents: {
      paths: () => issuerMistake(issuers()[0]!) === undefined ? Object.values(discoveryPaths) : [],
      async read(path) {
        const cacheSeconds = discoverySeconds;
        if (path === discoveryPaths.keys) return { mediaType: "application/jwk-set+json", body: keysDocument(await keys()), cacheSeconds };
        const keysUrl = inForce().config["service-account-jwks-uri"] || `${address}${discoveryPaths.keys}`;
        return { mediaType: "application/json", body: configurationDocument(issuers()[0]!, keysUrl, await keys()), cacheSeconds };
      },
    },
    lookUpIn(reads) {
      lookup = lookupOf({ catalog: () => inForce().catalog, reads, prefix: config["etcd-prefix"], waiter: { signal: never } });
    },
    recordBy(api) {
      uses = useRecorder({ api, names, now, logError: (sentence, error) => log.error(sentence, describe(error)) });
    },
    serveAt(url) {
      address = url;
    },
    keyCreated: ended,
    ended: async () => void await Promise.all([uses?.ended(), ended()]),
  };
}

/** Warnings for several servers on one etcd that would reject each other's tokens. */
export function sharingWarnings(config: Config): readonly string[] {
  const mistake = issuerMistake(serviceAccountIssuers(config)[0]!);
  return [
    ...(config["etcd-servers"].length === 0 || config["service-account-signing-key-file"] !== "" ? [] : [
      "service account tokens are signed with this server's own key, which other servers on the same etcd do not accept: " +
      "set --service-account-signing-key-file on all of them",
    ]),
    ...(mistake === undefined ? [] : [`discovery of service account token keys is disabled: ${mistake}`]),
  ];
}

function meterOf(record: KernelRecord): TokenMeter {
  const uses = { automatic: record.automaticLegacyTokens, manual: record.manualLegacyTokens, invalid: record.invalidLegacyTokens };
  return {
    legacy: () => record.legacyTokens.with({}).add(),
    projected: (state) => (state === "stale" ? record.staleTokens : record.validTokens).with({}).add(),
    legacyUse: (use) => uses[use].with({}).add(),
  };
}
