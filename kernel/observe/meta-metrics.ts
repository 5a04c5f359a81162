/** Metrics about metrics. */
import { defineMetric } from "../../metrics/mod.ts";

export const metaMetrics = Object.freeze({
  registeredMetrics: defineMetric({
    name: "registered_metrics_total",
    type: "counter",
    help: "Metrics that are served, by stability class and by the release that deprecated them.",
    labels: ["deprecated_version", "stability_level"],
    stability: "BETA",
  }),
  disabledMetrics: defineMetric({
    name: "disabled_metrics_total",
    type: "counter",
    help: "Names given to --disabled-metrics.",
    labels: [],
    stability: "BETA",
  }),
  hiddenMetrics: defineMetric({
    name: "hidden_metrics_total",
    type: "counter",
    help: "Deprecated metrics that are hidden at this release.",
    labels: [],
    stability: "BETA",
  }),
  unexpectedValues: defineMetric({
    name: "cardinality_enforcement_unexpected_categorizations_total",
    type: "counter",
    help: "Values of labels that were counted as unexpected: not among the allowed ones, or beyond the bound of their metric's series.",
    labels: [],
    stability: "ALPHA",
  }),
});
