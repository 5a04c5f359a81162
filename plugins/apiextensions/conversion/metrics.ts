/** The metrics of conversion by webhooks: upstream's names, labels and buckets. */
import type { ConversionContext } from "../../../toolbox.ts";
import { defineMetric } from "../../../metrics/mod.ts";

const webhookBuckets = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 45, 60];
/** Upper bounds in seconds. The first is a millisecond, and each is twice the one before. */
const conversionBuckets = Array.from({ length: 15 }, (_, power) => Number((0.001 * 2 ** power).toFixed(3)));

const conversionSeconds = defineMetric({
  name: "apiserver_crd_conversion_webhook_duration_seconds",
  type: "histogram",
  help: "Duration of the conversion of custom resources by webhooks, in seconds.",
  labels: ["crd_name", "from_version", "to_version", "succeeded"],
  stability: "ALPHA",
  buckets: conversionBuckets,
});
const requests = defineMetric({
  name: "apiserver_conversion_webhook_request_total",
  type: "counter",
  help: "Requests to conversion webhooks, by result and type of failure.",
  labels: ["result", "failure_type"],
  stability: "ALPHA",
});
const requestSeconds = defineMetric({
  name: "apiserver_conversion_webhook_duration_seconds",
  type: "histogram",
  help: "Duration of requests to conversion webhooks, in seconds.",
  labels: ["result", "failure_type"],
  stability: "ALPHA",
  buckets: webhookBuckets,
});

export const conversionMetrics = [conversionSeconds, requests, requestSeconds] as const;

/** The value of the label `failure_type`; "" for a success. */
export type FailureType =
  | ""
  | "conversion_webhook_call_failure"
  | "conversion_webhook_malformed_response_failure"
  | "conversion_webhook_partial_response_failure"
  | "conversion_webhook_invalid_converted_object_failure";

/** Records one request to a webhook. */
export function recordRequest({ metric }: ConversionContext, seconds: number, failure: FailureType): void {
  const labels = { result: failure === "" ? "success" : "failure", failure_type: failure };
  metric(requests).with(labels).add();
  metric(requestSeconds).with(labels).observe(seconds);
}

export interface Conversion {
  /** The name of the definition. */
  readonly definition: string;
  readonly from: string;
  readonly to: string;
}

/** Records a conversion of objects from one version to another. */
export function recordConversion(
  { metric }: ConversionContext,
  seconds: number,
  { definition, from, to }: Conversion,
  done: boolean,
): void {
  metric(conversionSeconds).with({ crd_name: definition, from_version: from, to_version: to, succeeded: String(done) }).observe(seconds);
}
