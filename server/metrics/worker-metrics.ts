/** Metrics of a server with several workers, recorded by the process that starts them. */
import { defineMetric } from "../../metrics/mod.ts";

const alpha = { stability: "ALPHA", sparse: true } as const;

export const workerMetrics = Object.freeze({
  workers: defineMetric({
    ...alpha,
    name: "thole_workers",
    type: "gauge",
    help: "Processes that serve requests: configured by --workers, and ready. Not recorded for one worker.",
    labels: ["state"],
  }),
  workerRestarts: defineMetric({
    ...alpha,
    name: "thole_worker_restarts_total",
    type: "counter",
    help: "Workers that ended unexpectedly and were started again.",
    labels: [],
  }),
  workerRequests: defineMetric({
    ...alpha,
    name: "thole_worker_requests_total",
    type: "counter",
    help: "Requests answered, by worker: the sum of apiserver_request_total.",
    labels: ["worker"],
  }),
  workerCpuSeconds: defineMetric({
    ...alpha,
    name: "thole_worker_cpu_seconds_total",
    type: "counter",
    help: "CPU time in seconds, by worker.",
    labels: ["worker"],
  }),
  workerResidentBytes: defineMetric({
    ...alpha,
    name: "thole_worker_resident_memory_bytes",
    type: "gauge",
    help: "Memory in RAM in bytes, by worker.",
    labels: ["worker"],
  }),
});
