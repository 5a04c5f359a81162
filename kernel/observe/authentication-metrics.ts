/** Authentication of tokens, under upstream's names. */
import { defineMetric } from "../../metrics/mod.ts";

const cacheLabels = ["status"] as const;

export const authenticationMetrics = Object.freeze({
  tokenCacheSeconds: defineMetric({
    name: "authentication_token_cache_request_duration_seconds",
    type: "histogram",
    help: "Time to authenticate a token through a cache, in seconds, by hit or miss.",
    labels: cacheLabels,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    stability: "ALPHA",
  }),
  tokenCacheRequests: defineMetric({
    name: "authentication_token_cache_request_total",
    type: "counter",
    help: "Tokens authenticated through a cache, by hit or miss.",
    labels: cacheLabels,
    stability: "ALPHA",
  }),
  tokenCacheFetches: defineMetric({
    name: "authentication_token_cache_fetch_total",
    type: "counter",
    help: "Tokens that were not in a cache and were checked, by ok or error.",
    labels: cacheLabels,
    stability: "ALPHA",
  }),
  tokenCacheActive: defineMetric({
    name: "authentication_token_cache_active_fetch_count",
    type: "gauge",
    help: "Checks of tokens that run (in_flight), and requests that wait for them (blocked).",
    labels: cacheLabels,
    stability: "ALPHA",
  }),
  jwtSeconds: defineMetric({
    name: "apiserver_authentication_jwt_authenticator_latency_seconds",
    type: "histogram",
    help: "Time to check a token of an issuer that was not in the cache, in seconds, by result.",
    labels: ["jwt_issuer_hash", "result"],
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    stability: "ALPHA",
  }),
  jwksFetchedAt: defineMetric({
    name: "apiserver_authentication_jwt_authenticator_jwks_fetch_last_timestamp_seconds",
    type: "gauge",
    combined: "max",
    help: "Time of the last fetch of the keys of an issuer, in seconds since 1970, by result.",
    labels: ["apiserver_id_hash", "jwt_issuer_hash", "result"],
    stability: "ALPHA",
  }),
  jwksInfo: defineMetric({
    name: "apiserver_authentication_jwt_authenticator_jwks_fetch_last_key_set_info",
    type: "gauge",
    combined: "max",
    help: "Always 1; the label holds the hash of the keys of an issuer as they were last fetched.",
    labels: ["apiserver_id_hash", "hash", "jwt_issuer_hash"],
    stability: "ALPHA",
  }),
  authenticationReloads: defineMetric({
    name: "apiserver_authentication_config_controller_automatic_reloads_total",
    type: "counter",
    help: "Reloads of the changed authentication configuration, by status: success or failure.",
    labels: ["apiserver_id_hash", "status"],
    stability: "BETA",
  }),
  authenticationReloadedAt: defineMetric({
    name: "apiserver_authentication_config_controller_automatic_reload_last_timestamp_seconds",
    type: "gauge",
    combined: "max",
    help: "Time of the last reload of the authentication configuration, by status (success or failure), in seconds since 1970.",
    labels: ["apiserver_id_hash", "status"],
    stability: "BETA",
  }),
  authenticationInfo: defineMetric({
    name: "apiserver_authentication_config_controller_last_config_info",
    type: "gauge",
    combined: "max",
    help: "Always 1; the label holds the hash of the active authentication configuration.",
    labels: ["apiserver_id_hash", "hash"],
    stability: "ALPHA",
  }),
});
