/** The kernel's metrics, with kube-apiserver's names, labels and buckets, so that existing dashboards work. */
import { defineMetric, type Registry } from "../../metrics/mod.ts";
import { authorizationMetrics } from "./authorization-metrics.ts";
import { auditMetrics } from "./audit-metrics.ts";
import { cacheMetrics } from "../cache/mod.ts";
import { authenticationMetrics } from "./authentication-metrics.ts";
import { declarativeMetrics } from "./declarative-metrics.ts";
import { metaMetrics } from "./meta-metrics.ts";
import { meterMetrics } from "./meter.ts";
import { processMetrics } from "./process-metrics.ts";
import { tokenMetrics } from "./token-metrics.ts";
import { workMetrics } from "./work-metrics.ts";

const requestLabels = ["component", "group", "resource", "scope", "subresource", "verb", "version"] as const;
const durationBuckets = [0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60];
const stepBuckets = Array.from({ length: 15 }, (_, power) => 0.001 * 2 ** power);
const day = 24 * 3600;

export const kernelMetrics = Object.freeze({
  ...metaMetrics,
  ...processMetrics,
  ...meterMetrics,
  ...cacheMetrics,
  ...workMetrics,
  ...auditMetrics,
  ...tokenMetrics,
  ...authorizationMetrics,
  ...authenticationMetrics,
  ...declarativeMetrics,
  requests: defineMetric({
    name: "apiserver_request_total",
    type: "counter",
    help: "Requests answered, by verb, dry run, group, version, resource, scope, component and HTTP status code.",
    labels: ["code", "component", "dry_run", "group", "resource", "scope", "subresource", "verb", "version"],
    stability: "STABLE",
  }),
  requestSeconds: defineMetric({
    name: "apiserver_request_duration_seconds",
    type: "histogram",
    help: "Time from the arrival of a request to the end of its response, in seconds.",
    labels: ["component", "dry_run", "group", "resource", "scope", "subresource", "verb", "version"],
    buckets: [0.005, 0.025, ...durationBuckets],
    stability: "STABLE",
  }),
  requestSliSeconds: defineMetric({
    name: "apiserver_request_sli_duration_seconds",
    type: "histogram",
    help: "Duration of requests in seconds, excluding the time spent on webhooks and in queues.",
    labels: requestLabels,
    buckets: durationBuckets,
    stability: "ALPHA",
  }),
  responseBytes: defineMetric({
    name: "apiserver_response_sizes",
    type: "histogram",
    help: "Size of the responses to GET and LIST requests, in bytes.",
    labels: requestLabels,
    buckets: [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9],
    stability: "STABLE",
  }),
  inflight: defineMetric({
    name: "apiserver_current_inflight_requests",
    type: "gauge",
    help: "Running requests that count against the in-flight limits, by kind.",
    labels: ["request_kind"],
    stability: "STABLE",
  }),
  longrunning: defineMetric({
    name: "apiserver_longrunning_requests",
    type: "gauge",
    help: "Open watches and other long-running requests.",
    labels: requestLabels,
    stability: "STABLE",
  }),
  terminations: defineMetric({
    name: "apiserver_request_terminations_total",
    type: "counter",
    help: "Requests rejected or aborted to protect the server.",
    labels: ["code", ...requestLabels],
    stability: "ALPHA",
  }),
  aborts: defineMetric({
    name: "apiserver_request_aborts_total",
    type: "counter",
    help: "Requests whose response was aborted before its end.",
    labels: ["group", "resource", "scope", "subresource", "verb", "version"],
    stability: "ALPHA",
  }),
  deprecated: defineMetric({
    name: "apiserver_requested_deprecated_apis",
    type: "gauge",
    help: "Deprecated API versions that were requested, with the release that removes them.",
    labels: ["group", "removed_release", "resource", "subresource", "version"],
    stability: "STABLE",
  }),
  storeRequests: defineMetric({
    name: "etcd_requests_total",
    type: "counter",
    help: "Requests to the store.",
    labels: ["group", "operation", "resource"],
    stability: "ALPHA",
  }),
  storeLists: defineMetric({
    name: "apiserver_storage_list_total",
    type: "counter",
    help: "Lists read from the store. Each chunk of a list counts.",
    labels: ["group", "resource"],
    stability: "ALPHA",
  }),
  storeListObjects: defineMetric({
    name: "apiserver_storage_list_fetched_objects_total",
    type: "counter",
    help: "Objects read from the store for lists.",
    labels: ["group", "resource"],
    stability: "ALPHA",
  }),
  storeEvents: defineMetric({
    name: "apiserver_storage_events_received_total",
    type: "counter",
    help: "Events received from watches of the store.",
    labels: ["group", "resource"],
    stability: "ALPHA",
  }),
  storeBookmarks: defineMetric({
    name: "etcd_bookmark_counts",
    type: "gauge",
    help: "Progress notifications without events from watches of the store. A watch of several kinds counts once per kind.",
    labels: ["group", "resource"],
    stability: "ALPHA",
  }),
  storeBytes: defineMetric({
    name: "apiserver_storage_size_bytes",
    type: "gauge",
    help: "Size of the store on disk in bytes, including free space left by compaction.",
    labels: ["storage_cluster_id"],
    stability: "STABLE",
  }),
  storeTrouble: defineMetric({
    name: "thole_store_trouble",
    type: "gauge",
    help: "1 while the store has this problem: full, failing (the embedded store's file), unreachable or refused (etcd).",
    labels: ["cause"],
    stability: "ALPHA",
  }),
  selfRequests: defineMetric({
    name: "apiserver_selfrequest_total",
    type: "counter",
    help: "Requests made by the server's own background work.",
    labels: ["group", "resource", "subresource", "verb"],
    stability: "ALPHA",
  }),
  filterSeconds: defineMetric({
    name: "apiserver_request_filter_duration_seconds",
    type: "histogram",
    help: "Time that requests spent in authentication and authorization, in seconds.",
    labels: ["filter"],
    buckets: [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 5, 10, 15, 30],
    stability: "ALPHA",
  }),
  storeErrors: defineMetric({
    name: "etcd_request_errors_total",
    type: "counter",
    help: "Failed requests to the store. A lost compare-and-write race is not a failure.",
    labels: ["group", "operation", "resource"],
    stability: "ALPHA",
  }),
  storeSeconds: defineMetric({
    name: "etcd_request_duration_seconds",
    type: "histogram",
    help: "Duration of requests to the store, in seconds.",
    labels: ["group", "operation", "resource"],
    buckets: [0.005, 0.025, ...durationBuckets],
    stability: "ALPHA",
  }),
  objects: defineMetric({
    name: "apiserver_resource_objects",
    type: "gauge",
    help: "Stored objects at the last count; -1 if the count failed.",
    labels: ["group", "resource"],
    stability: "ALPHA",
  }),
  /** The old name: `resource` includes the group (`csidrivers.storage.k8s.io`). */
  objectsByName: defineMetric({
    name: "apiserver_storage_objects",
    type: "gauge",
    help: "Stored objects at the last count. Replaced by apiserver_resource_objects.",
    labels: ["resource"],
    stability: "STABLE",
    deprecatedSince: "1.34.0",
  }),
  certificateSeconds: defineMetric({
    name: "apiserver_client_certificate_expiration_seconds",
    type: "histogram",
    help: "Remaining lifetime of the client certificates of requests, in seconds.",
    labels: [],
    buckets: [0, 1800, 3600, 7200, 21600, 43200, day, 2 * day, 4 * day, 7 * day, 30 * day, 90 * day, 180 * day, 360 * day],
    stability: "ALPHA",
  }),
  certificateEnds: defineMetric({
    name: "thole_certificate_not_after_timestamp_seconds",
    type: "gauge",
    help: "Expiry of the server's certificates, in seconds since 1970; for a CA bundle, the latest expiry.",
    labels: ["certificate"],
    stability: "ALPHA",
  }),
  certificateBegins: defineMetric({
    name: "thole_certificate_not_before_timestamp_seconds",
    type: "gauge",
    help: "Start of the validity of the server's certificates, in seconds since 1970; for a CA bundle, the earliest start.",
    labels: ["certificate"],
    stability: "ALPHA",
  }),
  userRequests: defineMetric({
    name: "authenticated_user_requests",
    type: "counter",
    help: "Authenticated requests, by user. All users other than system users count as other.",
    labels: ["username"],
    stability: "ALPHA",
  }),
  authentications: defineMetric({
    name: "authentication_attempts",
    type: "counter",
    help: "Authentication attempts, by result.",
    labels: ["result"],
    stability: "ALPHA",
  }),
  authenticationSeconds: defineMetric({
    name: "authentication_duration_seconds",
    type: "histogram",
    help: "Duration of authentication, in seconds.",
    labels: ["result"],
    buckets: stepBuckets,
    stability: "ALPHA",
  }),
  authorizations: defineMetric({
    name: "authorization_attempts_total",
    type: "counter",
    help: "Authorization decisions, by result.",
    labels: ["result"],
    stability: "ALPHA",
  }),
  authorizationSeconds: defineMetric({
    name: "authorization_duration_seconds",
    type: "histogram",
    help: "Duration of authorization, in seconds.",
    labels: ["result"],
    buckets: stepBuckets,
    stability: "ALPHA",
  }),
  handshakeErrors: defineMetric({
    name: "apiserver_tls_handshake_errors_total",
    type: "counter",
    help: "Connections closed because the TLS handshake failed.",
    labels: [],
    stability: "ALPHA",
  }),
  healthcheck: defineMetric({
    name: "kubernetes_healthcheck",
    type: "gauge",
    help: "Result of the last run of a health check: 1 for success, 0 for failure.",
    labels: ["name", "type"],
    stability: "STABLE",
    sli: true,
  }),
  healthchecks: defineMetric({
    name: "kubernetes_healthchecks_total",
    type: "counter",
    help: "Runs of health checks, by status: success or error.",
    labels: ["name", "status", "type"],
    stability: "STABLE",
    sli: true,
  }),
  reloads: defineMetric({
    name: "apiserver_config_controller_automatic_reloads_total",
    type: "counter",
    help: "Reloads of the changed configuration file, by status: success or failure.",
    labels: ["apiserver_id_hash", "status"],
    stability: "BETA",
  }),
  reloadedAt: defineMetric({
    name: "apiserver_config_controller_automatic_reload_last_timestamp_seconds",
    type: "gauge",
    help: "Time of the last reload of the configuration file, by status (success or failure), in seconds since 1970.",
    labels: ["apiserver_id_hash", "status"],
    stability: "BETA",
  }),
  configurationInfo: defineMetric({
    name: "apiserver_config_controller_last_config_info",
    type: "gauge",
    help: "Always 1; the label holds the hash of the active configuration file.",
    labels: ["apiserver_id_hash", "hash"],
    stability: "ALPHA",
  }),
  isLeader: defineMetric({
    name: "leader_election_master_status",
    type: "gauge",
    help: "1 if this server holds the lease and runs its controllers, else 0.",
    labels: ["name"],
    stability: "ALPHA",
  }),
  featureEnabled: defineMetric({
    name: "kubernetes_feature_enabled",
    type: "gauge",
    help: "1 if the feature gate is enabled, else 0.",
    labels: ["name", "stage"],
    stability: "BETA",
  }),
  buildInfo: defineMetric({
    name: "kubernetes_build_info",
    type: "gauge",
    help: "Always 1; the labels describe the running build.",
    labels: ["build_date", "compiler", "git_commit", "git_tree_state", "git_version", "go_version", "major", "minor", "platform"],
    stability: "ALPHA",
  }),
});

export type KernelRegistry = Registry<typeof kernelMetrics>;
/** The recorders of the kernel's metrics. */
export type KernelRecord = KernelRegistry["record"];
