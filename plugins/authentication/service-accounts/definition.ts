/** The authenticator `serviceaccount`: the keys, the tokens and the discovery documents of service accounts. */
import type { AuthenticatorContext, AuthenticatorDefinition, PublicDocuments } from "../../../core/authentication.ts";
import { type PartInspection, settingsOf } from "../../../core/part.ts";
import { answersOf } from "../answers.ts";
import { automaticLegacyTokens, invalidLegacyTokens, legacyTokens, manualLegacyTokens, staleTokens, validTokens } from "../metrics.ts";
import { serviceAccountTokens, type TokenMeter } from "./authenticator.ts";
import { configurationDocument, discoveryPaths, discoverySeconds, issuerMistake, keysDocument } from "./discovery.ts";
import { tokenIssuer } from "./issue.ts";
import { tokenIssuers } from "./issuers.ts";
import type { KeySet } from "./keys.ts";
import { tokenMistakes } from "./mistakes.ts";
import { useRecorder } from "./record-use.ts";
import { checkTokenKeys, openTokenKeys } from "./token-keys.ts";
import { extendedSeconds, projectedSeconds } from "./validity.ts";
import { tokenVerifier } from "./verify.ts";

const flags = Object.freeze({
  "etcd-servers": "list",
  "service-account-extend-token-expiration": "bool",
  "service-account-jwks-uri": "string",
  "service-account-lookup": "bool",
  "service-account-max-token-expiration": "duration",
  "service-account-signing-key-file": "string",
});

export const serviceAccounts: AuthenticatorDefinition = {
  name: "serviceaccount",
  summary: "Tokens of service accounts, which the server signs.",
  plainReasons: true,
  required: true,
  answerMs: Infinity,
  checks: {
    files: checkTokenKeys,
    mistakes: tokenMistakes,
    warnings: (inspection) => [...expirationWarnings(inspection), ...sharingWarnings(inspection)],
  },
  async open(context) {
    const { setting, names, clock: { now }, api, lookUp, audiences, crypto, logError } = context;
    const { keys, followed, ended } = await openTokenKeys(context);
    const issuers = () => tokenIssuers(setting, names), values = () => settingsOf(setting, flags);
    const uses = useRecorder({ api, names: () => names, now, logError });
    return {
      followed,
      authenticateToken: answersOf(serviceAccountTokens({
        verify: tokenVerifier({ keys, issuers, hash: (token) => crypto.keyedHash([token]), isCertificate: crypto.isCertificate }),
        lookup: lookUp,
        names: () => names,
        audiences,
        looksUp: () => setting({ name: "service-account-lookup", kind: "bool" }),
        meter: meterOf(context),
        used: uses.record,
        now,
      })),
      issuer: tokenIssuer({
        keys,
        settings() {
          const { "service-account-max-token-expiration": ms, "service-account-extend-token-expiration": extend } = values();
          return { issuer: issuers()[0]!, audiences: audiences(), secondsMax: ms / 1000, extends: extend };
        },
        now,
      }),
      documents: documentsOf(context, keys),
      ready: ended,
      ended: async () => void await Promise.all([uses.ended(), ended()]),
    };
  },
};

/** The discovery documents, if the issuer is a URL at which they can be served. */
function documentsOf({ setting, names, address }: AuthenticatorContext, keys: () => Promise<KeySet>): PublicDocuments {
  const issuer = () => tokenIssuers(setting, names)[0]!;
  return {
    paths: () => issuerMistake(issuer()) === undefined ? Object.values(discoveryPaths) : [],
    async read(path) {
      const cacheSeconds = discoverySeconds;
      if (path === discoveryPaths.keys) return { mediaType: "application/jwk-set+json", body: keysDocument(await keys()), cacheSeconds };
      const keysUrl = settingsOf(setting, flags)["service-account-jwks-uri"] || `${address()}${discoveryPaths.keys}`;
      return { mediaType: "application/json", body: configurationDocument(issuer(), keysUrl, await keys()), cacheSeconds };
    },
  };
}

type Values = Pick<PartInspection, "names" | "setting">;

/** Warnings about contradicting settings, with upstream's messages. */
function expirationWarnings({ setting }: Values): readonly string[] {
  const values = settingsOf(setting, flags), seconds = values["service-account-max-token-expiration"] / 1000;
  if (!values["service-account-extend-token-expiration"] || seconds === 0) return [];
  const transition = "service-account-extend-token-expiration is true, in order to correctly trigger safe transition logic, " +
    `service-account-max-token-expiration must be set longer than ${projectedSeconds} seconds (currently ${seconds} seconds)`;
  const extension = `service-account-extend-token-expiration is true, enabling tokens valid up to ${extendedSeconds} seconds, ` +
    `which is longer than service-account-max-token-expiration set to ${seconds} seconds`;
  return [...(seconds < projectedSeconds ? [transition] : []), ...(seconds < extendedSeconds ? [extension] : [])];
}

/** Warnings for several servers on one etcd that would reject each other's tokens. */
function sharingWarnings({ setting, names }: Values): readonly string[] {
  const values = settingsOf(setting, flags), mistake = issuerMistake(tokenIssuers(setting, names)[0]!);
  return [
    ...(values["etcd-servers"].length === 0 || values["service-account-signing-key-file"] !== "" ? [] : [
      "service account tokens are signed with this server's own key, which other servers on the same etcd do not accept: " +
      "set --service-account-signing-key-file on all of them",
    ]),
    ...(mistake === undefined ? [] : [`discovery of service account token keys is disabled: ${mistake}`]),
  ];
}

function meterOf({ metric }: AuthenticatorContext): TokenMeter {
  const legacy = metric(legacyTokens), stale = metric(staleTokens), valid = metric(validTokens);
  const uses = { automatic: metric(automaticLegacyTokens), manual: metric(manualLegacyTokens), invalid: metric(invalidLegacyTokens) };
  return {
    legacy: () => legacy.with({}).add(),
    projected: (state) => (state === "stale" ? stale : valid).with({}).add(),
    legacyUse: (use) => uses[use].with({}).add(),
  };
}
