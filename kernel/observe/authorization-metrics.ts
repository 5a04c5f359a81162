/** Metrics of authorizers, as upstream has them. */
import { defineMetric } from "../../metrics/mod.ts";

export const authorizationMetrics = Object.freeze({
  authorizerDecisions: defineMetric({
    name: "apiserver_authorization_decisions_total",
    type: "counter",
    help: "Decisions to allow or deny, by the type and name of the authorizer.",
    labels: ["decision", "name", "type"],
    stability: "ALPHA",
  }),
});
