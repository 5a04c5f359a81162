/** Metrics of the audit. */
import { defineMetric } from "../../metrics/mod.ts";

export const auditMetrics = Object.freeze({
  auditEvents: defineMetric({
    name: "apiserver_audit_event_total",
    type: "counter",
    help: "Audit events sent to the audit backends.",
    labels: [],
    stability: "ALPHA",
  }),
  auditErrors: defineMetric({
    name: "apiserver_audit_error_total",
    type: "counter",
    help: "Audit events that were lost, by the part that lost them: log, webhook, buffered, truncate, or a backend of a plugin.",
    labels: ["plugin"],
    stability: "ALPHA",
  }),
  auditLevels: defineMetric({
    name: "apiserver_audit_level_total",
    type: "counter",
    help: "Requests by the level of the audit policy.",
    labels: ["level"],
    stability: "ALPHA",
  }),
  auditRejected: defineMetric({
    name: "apiserver_audit_requests_rejected_total",
    type: "counter",
    help: "Requests that failed because their audit event could not be stored.",
    labels: [],
    stability: "ALPHA",
  }),
});
