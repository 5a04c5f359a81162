/** Metrics of authorizers, under upstream's names. */
import { defineMetric } from "../../metrics/mod.ts";

export const authorizationMetrics = Object.freeze({
  authorizerDecisions: defineMetric({
    name: "apiserver_authorization_decisions_total",
    type: "counter",
    help: "Decisions to allow or deny, by the type and name of the authorizer.",
    labels: ["decision", "name", "type"],
    stability: "ALPHA",
  }),
  webhookEvaluations: defineMetric({
    name: "apiserver_authorization_webhook_evaluations_total",
    type: "counter",
    help: "Requests to authorization webhooks, by name and result: success, error, timeout or canceled.",
    labels: ["name", "result"],
    stability: "ALPHA",
  }),
  webhookSeconds: defineMetric({
    name: "apiserver_authorization_webhook_duration_seconds",
    type: "histogram",
    help: "Duration of requests to authorization webhooks, in seconds.",
    labels: ["name", "result"],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    stability: "ALPHA",
  }),
  webhookFailOpen: defineMetric({
    name: "apiserver_authorization_webhook_evaluations_fail_open_total",
    type: "counter",
    help: "Failures of authorization webhooks that left the decision to later authorizers, by result: error or timeout.",
    labels: ["name", "result"],
    stability: "ALPHA",
  }),
  matchConditionErrors: defineMetric({
    name: "apiserver_authorization_match_condition_evaluation_errors_total",
    type: "counter",
    help: "Failed evaluations of match conditions of authorization webhooks, by the type and name of the authorizer.",
    labels: ["type", "name"],
    stability: "ALPHA",
  }),
  matchConditionExclusions: defineMetric({
    name: "apiserver_authorization_match_condition_exclusions_total",
    type: "counter",
    help: "Requests for which an authorization webhook is not called because its match conditions exclude them.",
    labels: ["type", "name"],
    stability: "ALPHA",
  }),
  matchConditionSeconds: defineMetric({
    name: "apiserver_authorization_match_condition_evaluation_seconds",
    type: "histogram",
    help: "Duration of the evaluation of match conditions of authorization webhooks, in seconds.",
    labels: ["type", "name"],
    buckets: [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25],
    stability: "ALPHA",
  }),
  authorizationReloads: defineMetric({
    name: "apiserver_authorization_config_controller_automatic_reloads_total",
    type: "counter",
    help: "Reloads of the changed authorization configuration, by status: success or failure.",
    labels: ["apiserver_id_hash", "status"],
    stability: "BETA",
  }),
  authorizationReloadedAt: defineMetric({
    name: "apiserver_authorization_config_controller_automatic_reload_last_timestamp_seconds",
    type: "gauge",
    combined: "max",
    help: "Time of the last reload of the authorization configuration, by status (success or failure), in seconds since 1970.",
    labels: ["apiserver_id_hash", "status"],
    stability: "BETA",
  }),
  authorizationInfo: defineMetric({
    name: "apiserver_authorization_config_controller_last_config_info",
    type: "gauge",
    combined: "max",
    help: "Always 1; the label holds the hash of the authorization configuration in force.",
    labels: ["apiserver_id_hash", "hash"],
    stability: "ALPHA",
  }),
});
