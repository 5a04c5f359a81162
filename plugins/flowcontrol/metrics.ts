/** Metrics with kube-apiserver's names and labels. */
import { defineMetric } from "../../plugin.ts";

const ofSchema = ["flow_schema", "priority_level"] as const, ofLevel = ["priority_level"] as const;
const durations = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];

function levelGauge(name: string, help: string, stability: "ALPHA" | "BETA" = "ALPHA") {
  return defineMetric({ name: `apiserver_flowcontrol_${name}`, type: "gauge", help, labels: ofLevel, stability, sparse: true });
}
function schemaGauge(name: string, help: string, stability: "ALPHA" | "BETA" = "BETA") {
  return defineMetric({ name: `apiserver_flowcontrol_${name}`, type: "gauge", help, labels: ofSchema, stability });
}

export const flowMetrics = Object.freeze({
  executing: schemaGauge("current_executing_requests", "Requests that run, or whose watch begins."),
  executingSeats: schemaGauge("current_executing_seats", "Seats that running requests take."),
  queued: schemaGauge("current_inqueue_requests", "Requests that wait for seats."),
  queuedSeats: schemaGauge("current_inqueue_seats", "Seats that waiting requests will take.", "ALPHA"),
  dispatched: defineMetric({
    name: "apiserver_flowcontrol_dispatched_requests_total",
    type: "counter",
    help: "Requests that have begun to run.",
    labels: ofSchema,
    stability: "BETA",
  }),
  rejected: defineMetric({
    name: "apiserver_flowcontrol_rejected_requests_total",
    type: "counter",
    help: "Requests that were rejected, by reason: queue-full, concurrency-limit, time-out or cancelled.",
    labels: [...ofSchema, "reason"],
    stability: "BETA",
  }),
  waited: defineMetric({
    name: "apiserver_flowcontrol_request_wait_duration_seconds",
    type: "histogram",
    help: "Seconds that requests spent in queues.",
    labels: [...ofSchema, "execute"],
    buckets: durations,
    stability: "BETA",
  }),
  ran: defineMetric({
    name: "apiserver_flowcontrol_request_execution_seconds",
    type: "histogram",
    help: "Seconds that requests ran, or that watches took to begin.",
    labels: [...ofSchema, "type"],
    buckets: durations,
    stability: "ALPHA",
  }),
  queueLength: defineMetric({
    name: "apiserver_flowcontrol_request_queue_length_after_enqueue",
    type: "histogram",
    help: "Length of the queue after a request has entered it.",
    labels: ofSchema,
    buckets: [0, 10, 25, 50, 100, 250, 500, 1000],
    stability: "ALPHA",
  }),
  estimated: defineMetric({
    name: "apiserver_flowcontrol_work_estimated_seats",
    type: "histogram",
    help: "Seats that requests take.",
    labels: ofSchema,
    buckets: [1, 2, 4, 8, 16, 32, 64, 100],
    stability: "ALPHA",
  }),
  nominal: levelGauge("nominal_limit_seats", "Seats of the level by its shares.", "BETA"),
  lower: levelGauge("lower_limit_seats", "Seats that the level never lends."),
  upper: levelGauge("upper_limit_seats", "Seats that the level has at most."),
  current: levelGauge("current_limit_seats", "Seats of the level, with those that it borrows."),
  highest: levelGauge("demand_seats_high_watermark", "The most seats that were wanted in the last period."),
  average: levelGauge("demand_seats_average", "The average of the seats that were wanted in the last period."),
  deviation: levelGauge("demand_seats_stdev", "The standard deviation of the seats that were wanted in the last period."),
  smoothed: levelGauge("demand_seats_smoothed", "The demand that decides about borrowed seats."),
  target: levelGauge("target_seats", "The seats that the level should have."),
  fair: defineMetric({
    name: "apiserver_flowcontrol_seat_fair_frac",
    type: "gauge",
    help: "The part of its target that each level gets.",
    labels: [],
    stability: "ALPHA",
    sparse: true,
    combined: "min",
  }),
});
