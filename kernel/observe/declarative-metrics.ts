/** Metrics of validation by rules, under upstream's names. */
import { defineMetric } from "../../metrics/mod.ts";

export const declarativeMetrics = Object.freeze({
  declarativeMismatches: defineMetric({
    name: "apiserver_validation_declarative_validation_mismatch_total",
    type: "counter",
    help: "Errors that only one of a kind's rules and its validation in code reported.",
    labels: [],
    stability: "BETA",
  }),
  declarativePanics: defineMetric({
    name: "apiserver_validation_declarative_validation_panic_total",
    type: "counter",
    help: "Failures of the evaluation of a kind's rules, other than failed rules.",
    labels: [],
    stability: "BETA",
  }),
});
