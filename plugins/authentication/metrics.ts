/** Metrics of bearer tokens, under upstream's names. */
import { defineMetric, type MetricDefinition } from "../../metrics/mod.ts";

const counter = (name: string, help: string) =>
  defineMetric({ name: `serviceaccount_${name}`, type: "counter", help, labels: [], stability: "ALPHA" });

/** Metrics of service account tokens. */
export const legacyTokens = counter("legacy_tokens_total", "Uses of legacy service account tokens.");
export const staleTokens = counter("stale_tokens_total", "Uses of service account tokens that the client should have replaced.");
export const validTokens = counter(
  "valid_tokens_total",
  "Uses of extended service account tokens that the client need not replace yet.",
);
export const manualLegacyTokens = counter(
  "legacy_manual_token_uses_total",
  "Uses of legacy tokens of Secrets that the account does not list.",
);
export const automaticLegacyTokens = counter("legacy_auto_token_uses_total", "Uses of legacy tokens of Secrets that the account lists.");
export const invalidLegacyTokens = counter(
  "invalid_legacy_auto_token_uses_total",
  "Rejected uses of legacy tokens of Secrets that are marked invalid.",
);

// Metrics of the issuers of tokens.
export const jwtSeconds = defineMetric({
  name: "apiserver_authentication_jwt_authenticator_latency_seconds",
  type: "histogram",
  help: "Time to check a token of an issuer that was not in the cache, in seconds, by result.",
  labels: ["jwt_issuer_hash", "result"],
  buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  stability: "ALPHA",
});
export const jwksFetchedAt = defineMetric({
  name: "apiserver_authentication_jwt_authenticator_jwks_fetch_last_timestamp_seconds",
  type: "gauge",
  combined: "max",
  help: "Time of the last fetch of the keys of an issuer, in seconds since 1970, by result.",
  labels: ["apiserver_id_hash", "jwt_issuer_hash", "result"],
  stability: "ALPHA",
});
export const jwksInfo = defineMetric({
  name: "apiserver_authentication_jwt_authenticator_jwks_fetch_last_key_set_info",
  type: "gauge",
  combined: "max",
  help: "Always 1; the label holds the hash of the keys of an issuer as they were last fetched.",
  labels: ["apiserver_id_hash", "hash", "jwt_issuer_hash"],
  stability: "ALPHA",
});
export const authenticationReloads = defineMetric({
  name: "apiserver_authentication_config_controller_automatic_reloads_total",
  type: "counter",
  help: "Reloads of the changed authentication configuration, by status: success or failure.",
  labels: ["apiserver_id_hash", "status"],
  stability: "BETA",
});
export const authenticationReloadedAt = defineMetric({
  name: "apiserver_authentication_config_controller_automatic_reload_last_timestamp_seconds",
  type: "gauge",
  combined: "max",
  help: "Time of the last reload of the authentication configuration, by status (success or failure), in seconds since 1970.",
  labels: ["apiserver_id_hash", "status"],
  stability: "BETA",
});
export const authenticationInfo = defineMetric({
  name: "apiserver_authentication_config_controller_last_config_info",
  type: "gauge",
  combined: "max",
  help: "Always 1; the label holds the hash of the active authentication configuration.",
  labels: ["apiserver_id_hash", "hash"],
  stability: "ALPHA",
});

/** All of them. */
export const authenticationMetrics: readonly MetricDefinition[] = Object.freeze([
  legacyTokens,
  staleTokens,
  validTokens,
  manualLegacyTokens,
  automaticLegacyTokens,
  invalidLegacyTokens,
  jwtSeconds,
  jwksFetchedAt,
  jwksInfo,
  authenticationReloads,
  authenticationReloadedAt,
  authenticationInfo,
]);
