/** Metrics of PodSecurity, under upstream's names. */
import type { RequestHookContext } from "../../../plugin.ts";
import { defineMetric } from "../../../metrics/mod.ts";
import type { LevelVersion, modes } from "./levels.ts";

const request = ["request_operation", "resource", "subresource"] as const;

const evaluations = defineMetric({
  name: "pod_security_evaluations_total",
  type: "counter",
  help: "Evaluations of the level of a namespace, without requests that are exempt. Of audit and warn only those that deny are counted.",
  labels: ["decision", "policy_level", "policy_version", "mode", ...request],
  stability: "ALPHA",
});
const exemptions = defineMetric({
  name: "pod_security_exemptions_total",
  type: "counter",
  help: "Requests that were exempt by their user, namespace or runtime class.",
  labels: request,
  stability: "ALPHA",
});
const errors = defineMetric({
  name: "pod_security_errors_total",
  type: "counter",
  help: "Errors that prevent an evaluation, or that have the restricted level used in place of a wrong one (fatal is false).",
  labels: ["fatal", ...request],
  stability: "ALPHA",
});
export const podSecurityMetrics = Object.freeze([evaluations, exemptions, errors]);

/** A request that is evaluated. */
export interface Evaluated {
  readonly context: RequestHookContext;
  readonly isUpdate: boolean;
}

function labelsOf({ context: { resource: { group, plural }, subresource }, isUpdate }: Evaluated) {
  const resource = group === "" && plural === "pods" ? "pod" : group === "" && plural === "namespaces" ? "namespace" : "controller";
  return { request_operation: isUpdate ? "update" : "create", resource, subresource };
}

/** Counts an evaluation. Versions after that of the server, which is `newest`, share one label. */
export function countEvaluation(
  decision: "allow" | "deny",
  { level, version }: LevelVersion,
  mode: (typeof modes)[number],
  newest: number,
  evaluated: Evaluated,
): void {
  const isLatest = version === "latest" || level === "privileged",
    shown = isLatest ? "latest" : version > newest ? "future" : `v1.${version}`;
  const labels = { decision, policy_level: level, policy_version: shown, mode, ...labelsOf(evaluated) };
  evaluated.context.metric(evaluations).with(labels).add();
}

export function countExemption(evaluated: Evaluated): void {
  evaluated.context.metric(exemptions).with(labelsOf(evaluated)).add();
}

/** Counts wrong labels of a namespace, in whose place the highest level was used. */
export function countWrongLabels(evaluated: Evaluated): void {
  evaluated.context.metric(errors).with({ fatal: "false", ...labelsOf(evaluated) }).add();
}
