/** The metrics of match conditions, of webhooks and of policies: upstream's names, labels and buckets. */
import { defineMetric, type RequestHookContext } from "../../../plugin.ts";
import type { MeasuredConditions } from "./match-conditions.ts";

const labels = ["name", "kind", "type", "operation"] as const;
const errors = defineMetric({
  name: "apiserver_admission_match_condition_evaluation_errors_total",
  type: "counter",
  help: "Match conditions whose evaluation failed, by name of the webhook or policy, kind (webhook or policy), type and operation.",
  labels,
  stability: "ALPHA",
});
const exclusions = defineMetric({
  name: "apiserver_admission_match_condition_exclusions_total",
  type: "counter",
  help: "Requests that the match conditions of a webhook excluded, by name, kind, type and operation.",
  labels,
  stability: "ALPHA",
});
const seconds = defineMetric({
  name: "apiserver_admission_match_condition_evaluation_seconds",
  type: "histogram",
  help: "Duration of evaluations of match conditions that were not all true, in seconds, by name, kind, type and operation.",
  labels,
  stability: "ALPHA",
  buckets: [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25],
});

export const conditionMetrics = [errors, exclusions, seconds] as const;

/** The owner of the conditions. As in upstream, the type of all policies is `validate`. */
export type ConditionSeries =
  | { readonly kind: "webhook"; readonly name: string; readonly type: "admit" | "validating"; readonly operation: string }
  | { readonly kind: "policy"; readonly name: string; readonly type: "validate"; readonly operation: string };

/** Records an evaluation of match conditions. As in upstream, there is no duration if all are true. */
export function recordConditions(
  { metric }: Pick<RequestHookContext, "metric">,
  series: ConditionSeries,
  { result, seconds: duration }: MeasuredConditions,
): void {
  if (result.tag !== "covered") metric(seconds).with(series).observe(duration);
  if (result.errors > 0) metric(errors).with(series).add(result.errors);
}

/** Records that conditions have excluded a webhook from a request. As in upstream, the type of a validating webhook is `validate` here. */
export function recordExclusion({ metric }: Pick<RequestHookContext, "metric">, series: ConditionSeries): void {
  metric(exclusions).with({ ...series, type: series.type === "admit" ? "admit" : "validate" }).add();
}
