/** Metrics of logs and of websockets, under upstream's names. */
import { defineMetric } from "../../../metrics/mod.ts";

/** Websockets with `v5.channel.k8s.io`, by how their process ended. */
export const translated = defineMetric({
  name: "apiserver_stream_translator_requests_total",
  type: "counter",
  help: "Websockets of commands whose streams were carried to a kubelet, by code: 200 also for commands that end with an exit code.",
  labels: ["code"],
  stability: "ALPHA",
});
/** Websockets of ports, by what the kubelet answered. */
export const tunneled = defineMetric({
  name: "apiserver_stream_tunnel_requests_total",
  type: "counter",
  help: "Websockets of ports for which a kubelet was asked, by code: 101 for those that it accepted.",
  labels: ["code"],
  stability: "ALPHA",
});
/** Requests for logs, by whether the client waives the verification of the kubelet's certificate. */
export const logBackends = defineMetric({
  name: "kube_apiserver_pod_logs_insecure_backend_total",
  type: "counter",
  help: "Requests for logs of pods, by usage: enforce_tls, or skip_tls_allowed if the client waives the verification of the kubelet.",
  labels: ["usage"],
  stability: "ALPHA",
});
/** Requests for logs that failed because the kubelet's certificate is not trusted. */
export const logTrustFailures = defineMetric({
  name: "kube_apiserver_pod_logs_backend_tls_failure_total",
  type: "counter",
  help: "Requests for logs of pods that failed because the certificate of the kubelet is not trusted.",
  labels: [],
  stability: "ALPHA",
});
export const connectionMetrics = Object.freeze([translated, tunneled, logBackends, logTrustFailures]);
