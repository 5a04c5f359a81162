/** Metrics of requests and of the store, with kube-apiserver's names, labels and buckets, so that existing dashboards work. */
import { defineMetric, type Recorder } from "../../metrics/mod.ts";

const requestLabels = ["component", "group", "resource", "scope", "subresource", "verb", "version"] as const;
const durationBuckets = [0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60];
const stepBuckets = Array.from({ length: 15 }, (_, power) => 0.001 * 2 ** power);

export const requestMetrics = Object.freeze({
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
  userRequests: defineMetric({
    name: "authenticated_user_requests",
    type: "counter",
    help: "Authenticated requests, by user. All users other than system users count as other.",
    labels: ["username"],
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
});

/** The recorders of these metrics. */
export type RequestRecord = { readonly [Key in keyof typeof requestMetrics]: Recorder<(typeof requestMetrics)[Key]> };
