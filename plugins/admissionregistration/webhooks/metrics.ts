/** The metrics of admission webhooks: upstream's names, labels and buckets. */
import { defineMetric, type RequestHookContext } from "../../../plugin.ts";

const durations = defineMetric({
  name: "apiserver_admission_webhook_admission_duration_seconds",
  type: "histogram",
  help: "Duration of the calls of admission webhooks in seconds, by webhook, type (admit or validating), operation and result.",
  labels: ["name", "type", "operation", "rejected"],
  stability: "STABLE",
  buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25],
});
const requests = defineMetric({
  name: "apiserver_admission_webhook_request_total",
  type: "counter",
  help: "Calls of admission webhooks, by webhook, type, operation, code of the result (at most 600) and whether the request was rejected.",
  labels: ["name", "type", "operation", "code", "rejected"],
  stability: "ALPHA",
});
const rejections = defineMetric({
  name: "apiserver_admission_webhook_rejection_count",
  type: "counter",
  help: "Requests that were rejected by a webhook (no_error) or because of its failure, by webhook, type, operation, error and code.",
  labels: ["name", "type", "operation", "error_type", "rejection_code"],
  stability: "ALPHA",
});
const failOpens = defineMetric({
  name: "apiserver_admission_webhook_fail_open_count",
  type: "counter",
  help: "Failed calls of webhooks that were ignored, by webhook and type.",
  labels: ["name", "type"],
  stability: "ALPHA",
});
export const webhookMetrics = [durations, requests, rejections, failOpens] as const;

/** The type of a webhook. */
export type CallType = "admit" | "validating";

type Metered = Pick<RequestHookContext, "metric">;
/** The series of a webhook. */
export interface WebhookSeries {
  readonly name: string;
  readonly type: CallType;
  readonly operation: string;
}

/** Records a call. `code` is that of the result, or 0 for an error of the server. */
export function recordCall({ metric }: Metered, series: WebhookSeries, seconds: number, code: number, isRejected: boolean): void {
  const rejected = String(isRejected);
  metric(requests).with({ ...series, code: String(Math.min(code, 600)), rejected }).add();
  metric(durations).with({ ...series, rejected }).observe(seconds);
}

export type RejectionError = "calling_webhook_error" | "apiserver_internal_error" | "no_error";

export function recordRejection({ metric }: Metered, series: WebhookSeries, error: RejectionError, code: number): void {
  metric(rejections).with({ ...series, error_type: error, rejection_code: String(Math.min(code, 600)) }).add();
}

export function recordFailOpen({ metric }: Metered, { name, type }: WebhookSeries): void {
  metric(failOpens).with({ name, type }).add();
}
