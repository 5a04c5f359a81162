/** The kernel's metrics, under the names, labels and buckets that dashboards for kube-apiserver know. */
import { defineMetric, type Registry } from "../metrics/mod.ts";
import { cacheMetrics } from "./cache/mod.ts";
import { metaMetrics } from "./meta-metrics.ts";
import { meterMetrics } from "./meter.ts";
import { processMetrics } from "./process-metrics.ts";
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
    help: "Time from a request's arrival to the end of its answer, in seconds.",
    labels: ["component", "dry_run", "group", "resource", "scope", "subresource", "verb", "version"],
    buckets: [0.005, 0.025, ...durationBuckets],
    stability: "STABLE",
  }),
  requestSliSeconds: defineMetric({
    name: "apiserver_request_sli_duration_seconds",
    type: "histogram",
    help: "Time that this server itself took for a request, without what it waited for webhooks and for its turn, in seconds.",
    labels: requestLabels,
    buckets: durationBuckets,
    stability: "ALPHA",
  }),
  responseBytes: defineMetric({
    name: "apiserver_response_sizes",
    type: "histogram",
    help: "Size of the answers to reads of one object and to lists, in bytes.",
    labels: requestLabels,
    buckets: [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9],
    stability: "STABLE",
  }),
  inflight: defineMetric({
    name: "apiserver_current_inflight_requests",
    type: "gauge",
    help: "Requests that are being answered now and count against the limits, by kind.",
    labels: ["request_kind"],
    stability: "STABLE",
  }),
  longrunning: defineMetric({
    name: "apiserver_longrunning_requests",
    type: "gauge",
    help: "Watches and other requests that last, open now.",
    labels: requestLabels,
    stability: "STABLE",
  }),
  terminations: defineMetric({
    name: "apiserver_request_terminations_total",
    type: "counter",
    help: "Requests that were turned away or cut off to protect the server.",
    labels: ["code", ...requestLabels],
    stability: "ALPHA",
  }),
  aborts: defineMetric({
    name: "apiserver_request_aborts_total",
    type: "counter",
    help: "Requests whose answer could not be finished.",
    labels: ["group", "resource", "scope", "subresource", "verb", "version"],
    stability: "ALPHA",
  }),
  deprecated: defineMetric({
    name: "apiserver_requested_deprecated_apis",
    type: "gauge",
    help: "Deprecated versions that were asked for, with the release that removes them.",
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
    help: "Lists that were read from the store, each chunk of a chunked one by itself.",
    labels: ["group", "resource"],
    stability: "ALPHA",
  }),
  storeListObjects: defineMetric({
    name: "apiserver_storage_list_fetched_objects_total",
    type: "counter",
    help: "Objects that lists have read from the store.",
    labels: ["group", "resource"],
    stability: "ALPHA",
  }),
  storeBytes: defineMetric({
    name: "apiserver_storage_size_bytes",
    type: "gauge",
    help: "Bytes that the store takes where it is kept, what compaction freed and nothing fills yet included.",
    labels: ["storage_cluster_id"],
    stability: "STABLE",
  }),
  selfRequests: defineMetric({
    name: "apiserver_selfrequest_total",
    type: "counter",
    help: "Requests that the server's own background work made.",
    labels: ["group", "resource", "subresource", "verb"],
    stability: "ALPHA",
  }),
  filterSeconds: defineMetric({
    name: "apiserver_request_filter_duration_seconds",
    type: "histogram",
    help: "Time that requests spent before their verb, in seconds: in authentication and in authorization.",
    labels: ["filter"],
    buckets: [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 5, 10, 15, 30],
    stability: "ALPHA",
  }),
  storeErrors: defineMetric({
    name: "etcd_request_errors_total",
    type: "counter",
    help: "Requests to the store that failed; a lost race is not a failure.",
    labels: ["group", "operation", "resource"],
    stability: "ALPHA",
  }),
  storeSeconds: defineMetric({
    name: "etcd_request_duration_seconds",
    type: "histogram",
    help: "Time that the store took for a request, in seconds.",
    labels: ["group", "operation", "resource"],
    buckets: [0.005, 0.025, ...durationBuckets],
    stability: "ALPHA",
  }),
  objects: defineMetric({
    name: "apiserver_resource_objects",
    type: "gauge",
    help: "Stored objects as of the last count; -1 where counting failed.",
    labels: ["group", "resource"],
    stability: "ALPHA",
  }),
  /** The old name: `resource` holds the group too (`csidrivers.storage.k8s.io`). */
  objectsByName: defineMetric({
    name: "apiserver_storage_objects",
    type: "gauge",
    help: "Stored objects as of the last count; apiserver_resource_objects takes its place.",
    labels: ["resource"],
    stability: "STABLE",
    deprecatedSince: "1.34.0",
  }),
  certificateSeconds: defineMetric({
    name: "apiserver_client_certificate_expiration_seconds",
    type: "histogram",
    help: "Time left to the client certificates that requests came with, in seconds.",
    labels: [],
    buckets: [0, 1800, 3600, 7200, 21600, 43200, day, 2 * day, 4 * day, 7 * day, 30 * day, 90 * day, 180 * day, 360 * day],
    stability: "ALPHA",
  }),
  userRequests: defineMetric({
    name: "authenticated_user_requests",
    type: "counter",
    help: "Requests with known users; users that are not the system's own count as other.",
    labels: ["username"],
    stability: "ALPHA",
  }),
  authentications: defineMetric({
    name: "authentication_attempts",
    type: "counter",
    help: "Attempts to find out who asks, by result.",
    labels: ["result"],
    stability: "ALPHA",
  }),
  authenticationSeconds: defineMetric({
    name: "authentication_duration_seconds",
    type: "histogram",
    help: "Time taken to find out who asks, in seconds.",
    labels: ["result"],
    buckets: stepBuckets,
    stability: "ALPHA",
  }),
  authorizations: defineMetric({
    name: "authorization_attempts_total",
    type: "counter",
    help: "Decisions whether a request is allowed, by result.",
    labels: ["result"],
    stability: "ALPHA",
  }),
  authorizationSeconds: defineMetric({
    name: "authorization_duration_seconds",
    type: "histogram",
    help: "Time taken to decide whether a request is allowed, in seconds.",
    labels: ["result"],
    buckets: stepBuckets,
    stability: "ALPHA",
  }),
  handshakeErrors: defineMetric({
    name: "apiserver_tls_handshake_errors_total",
    type: "counter",
    help: "Connections that were dropped because TLS could not be agreed on.",
    labels: [],
    stability: "ALPHA",
  }),
  healthcheck: defineMetric({
    name: "kubernetes_healthcheck",
    type: "gauge",
    help: "Whether a health check passed when it last ran: 1 or 0.",
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
    help: "Times that the changed configuration file was taken over (success) or refused (failure).",
    labels: ["apiserver_id_hash", "status"],
    stability: "BETA",
  }),
  reloadedAt: defineMetric({
    name: "apiserver_config_controller_automatic_reload_last_timestamp_seconds",
    type: "gauge",
    help: "When the changed configuration file was last taken over (success) or refused (failure), in seconds since 1970.",
    labels: ["apiserver_id_hash", "status"],
    stability: "BETA",
  }),
  configurationInfo: defineMetric({
    name: "apiserver_config_controller_last_config_info",
    type: "gauge",
    help: "Always 1; the label says which text of the configuration file is in force.",
    labels: ["apiserver_id_hash", "hash"],
    stability: "ALPHA",
  }),
  isLeader: defineMetric({
    name: "leader_election_master_status",
    type: "gauge",
    help: "Whether this server holds the lease and runs what belongs to it: 1 or 0.",
    labels: ["name"],
    stability: "ALPHA",
  }),
  featureEnabled: defineMetric({
    name: "kubernetes_feature_enabled",
    type: "gauge",
    help: "Whether a feature gate is on: 1 or 0.",
    labels: ["name", "stage"],
    stability: "BETA",
  }),
  buildInfo: defineMetric({
    name: "kubernetes_build_info",
    type: "gauge",
    help: "Always 1; the labels say what is running.",
    labels: ["build_date", "compiler", "git_commit", "git_tree_state", "git_version", "go_version", "major", "minor", "platform"],
    stability: "ALPHA",
  }),
});

export type KernelRegistry = Registry<typeof kernelMetrics>;
/** The recorders of the kernel's metrics. */
export type KernelRecord = KernelRegistry["record"];
