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
});
