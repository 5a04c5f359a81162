/** All metrics of a server, with kube-apiserver's names, labels and buckets, so that existing dashboards work. */
import { defineMetric, type Registry } from "../../metrics/mod.ts";
import { requestMetrics } from "../../kernel/observe/metrics.ts";
import { authorizationMetrics } from "./authorization-metrics.ts";
import { auditMetrics } from "./audit-metrics.ts";
import { cacheMetrics } from "../../kernel/cache/mod.ts";
import { authenticationMetrics } from "./authentication-metrics.ts";
import { declarativeMetrics } from "../../kernel/observe/declarative-metrics.ts";
import { encryptionMetrics } from "./encryption-metrics.ts";
import { metaMetrics } from "./meta-metrics.ts";
import { meterMetrics } from "../../kernel/observe/meter.ts";
import { processMetrics } from "./process-metrics.ts";
import { workMetrics } from "./work-metrics.ts";
import { workerMetrics } from "./worker-metrics.ts";

const day = 24 * 3600;

export const kernelMetrics = Object.freeze({
  ...requestMetrics,
  ...metaMetrics,
  ...processMetrics,
  ...meterMetrics,
  ...cacheMetrics,
  ...workMetrics,
  ...workerMetrics,
  ...auditMetrics,
  ...authorizationMetrics,
  ...authenticationMetrics,
  ...declarativeMetrics,
  ...encryptionMetrics,
  inflight: defineMetric({
    name: "apiserver_current_inflight_requests",
    type: "gauge",
    help: "Running requests that count against the in-flight limits, by kind.",
    labels: ["request_kind"],
    stability: "STABLE",
  }),
  deprecated: defineMetric({
    name: "apiserver_requested_deprecated_apis",
    type: "gauge",
    combined: "max",
    help: "Deprecated API versions that were requested, with the release that removes them.",
    labels: ["group", "removed_release", "resource", "subresource", "version"],
    stability: "STABLE",
  }),
  storeBytes: defineMetric({
    name: "apiserver_storage_size_bytes",
    type: "gauge",
    combined: "max",
    help: "Size of the store on disk in bytes, including free space left by compaction.",
    labels: ["storage_cluster_id"],
    stability: "STABLE",
  }),
  storeTrouble: defineMetric({
    name: "thole_store_trouble",
    type: "gauge",
    combined: "max",
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
  objects: defineMetric({
    name: "apiserver_resource_objects",
    type: "gauge",
    combined: "max",
    help: "Stored objects at the last count; -1 if the count failed.",
    labels: ["group", "resource"],
    stability: "ALPHA",
  }),
  /** The old name: `resource` includes the group (`csidrivers.storage.k8s.io`). */
  objectsByName: defineMetric({
    name: "apiserver_storage_objects",
    type: "gauge",
    combined: "max",
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
    combined: "min",
    help: "Expiry of the server's certificates, in seconds since 1970; for a CA bundle, the latest expiry.",
    labels: ["certificate"],
    stability: "ALPHA",
  }),
  certificateBegins: defineMetric({
    name: "thole_certificate_not_before_timestamp_seconds",
    type: "gauge",
    combined: "max",
    help: "Start of the validity of the server's certificates, in seconds since 1970; for a CA bundle, the earliest start.",
    labels: ["certificate"],
    stability: "ALPHA",
  }),
  authentications: defineMetric({
    name: "authentication_attempts",
    type: "counter",
    help: "Authentication attempts, by result.",
    labels: ["result"],
    stability: "ALPHA",
  }),
  handshakeErrors: defineMetric({
    name: "apiserver_tls_handshake_errors_total",
    type: "counter",
    help: "Connections closed because the TLS handshake failed.",
    labels: [],
    stability: "ALPHA",
  }),
  watchPendingBytes: defineMetric({
    name: "thole_watch_pending_bytes",
    type: "gauge",
    combined: "sum",
    help: "Bytes of events that clients of watches have not read yet, those that several watches share counted once.",
    labels: [],
    stability: "ALPHA",
  }),
  healthcheck: defineMetric({
    name: "kubernetes_healthcheck",
    type: "gauge",
    combined: "min",
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
    combined: "max",
    help: "Time of the last reload of the configuration file, by status (success or failure), in seconds since 1970.",
    labels: ["apiserver_id_hash", "status"],
    stability: "BETA",
  }),
  configurationInfo: defineMetric({
    name: "apiserver_config_controller_last_config_info",
    type: "gauge",
    combined: "max",
    help: "Always 1; the label holds the hash of the active configuration file.",
    labels: ["apiserver_id_hash", "hash"],
    stability: "ALPHA",
  }),
  isLeader: defineMetric({
    name: "leader_election_master_status",
    type: "gauge",
    combined: "max",
    help: "1 if this server holds the lease and runs its controllers, else 0.",
    labels: ["name"],
    stability: "ALPHA",
  }),
  featureEnabled: defineMetric({
    name: "kubernetes_feature_enabled",
    type: "gauge",
    combined: "max",
    help: "1 if the feature gate is enabled, else 0.",
    labels: ["name", "stage"],
    stability: "BETA",
  }),
  versionInfo: defineMetric({
    name: "version_info",
    type: "gauge",
    combined: "max",
    help: "Always 1; the labels are the release of the program, the emulated one and the oldest compatible one.",
    labels: ["binary", "component", "emulation", "min_compat"],
    stability: "ALPHA",
  }),
  buildInfo: defineMetric({
    name: "kubernetes_build_info",
    type: "gauge",
    combined: "max",
    help: "Always 1; the labels describe the running build.",
    labels: ["build_date", "compiler", "git_commit", "git_tree_state", "git_version", "go_version", "major", "minor", "platform"],
    stability: "ALPHA",
  }),
});

export type KernelRegistry = Registry<typeof kernelMetrics>;
/** The recorders of the kernel's metrics. */
export type KernelRecord = KernelRegistry["record"];
