/** Metrics about metrics. */
import { defineMetric } from "../../metrics/mod.ts";

export const metaMetrics = Object.freeze({
  registeredMetrics: defineMetric({
    name: "registered_metrics_total",
    type: "counter",
    help: "Registered metrics, by stability class and by the release that deprecated them.",
    labels: ["deprecated_version", "stability_level"],
    stability: "BETA",
  }),
  disabledMetrics: defineMetric({
    name: "disabled_metrics_total",
    type: "counter",
    help: "Metrics disabled by --disabled-metrics.",
    labels: [],
    stability: "BETA",
  }),
  hiddenMetrics: defineMetric({
    name: "hidden_metrics_total",
    type: "counter",
    help: "Deprecated metrics hidden in this release.",
    labels: [],
    stability: "BETA",
  }),
  unexpectedValues: defineMetric({
    name: "cardinality_enforcement_unexpected_categorizations_total",
    type: "counter",
    help: "Label values recorded as unexpected because they are not allowed or exceed the metric's series limit.",
    labels: [],
    stability: "ALPHA",
  }),
});
