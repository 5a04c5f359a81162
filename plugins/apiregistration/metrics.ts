/** Metrics of the family, under upstream's names. */
import { defineMetric } from "../../metrics/mod.ts";

export const unavailable = defineMetric({
  name: "aggregator_unavailable_apiservice",
  type: "gauge",
  help: "1 for a registered group version of another server that is not available.",
  labels: ["name"],
  stability: "ALPHA",
});
export const becameUnavailable = defineMetric({
  name: "aggregator_unavailable_apiservice_total",
  type: "counter",
  help: "How often registered group versions of other servers became unavailable, by reason.",
  labels: ["name", "reason"],
  stability: "ALPHA",
});
