/** The metrics of policies: upstream's names, labels and buckets. */
import { type ApiObject, defineMetric, type RequestHookContext } from "../../../plugin.ts";

const labels = ["policy", "policy_binding", "error_type", "enforcement_action"] as const;

const checks = defineMetric({
  name: "apiserver_validating_admission_policy_check_total",
  type: "counter",
  help: "Rules of validating policies that were not satisfied, by policy, binding, error type and action.",
  labels,
  stability: "BETA",
});
const checkSeconds = defineMetric({
  name: "apiserver_validating_admission_policy_check_duration_seconds",
  type: "histogram",
  help: "Duration of the evaluation of rules of validating policies that were not satisfied, in seconds.",
  labels,
  stability: "BETA",
  buckets: [0.0000005, 0.001, 0.01, 0.1, 1],
});

const mutationLabels = ["policy", "policy_binding", "error_type"] as const;

const mutations = defineMetric({
  name: "apiserver_mutating_admission_policy_check_total",
  type: "counter",
  help: "Mutations of mutating policies, by policy, binding and error type.",
  labels: mutationLabels,
  stability: "ALPHA",
});
const mutationSeconds = defineMetric({
  name: "apiserver_mutating_admission_policy_check_duration_seconds",
  type: "histogram",
  help: "Duration of mutations of mutating policies, in seconds.",
  labels: mutationLabels,
  stability: "ALPHA",
  buckets: [0.0000005, 0.001, 0.01, 0.1, 1],
});

export const policyMetrics = [checks, checkSeconds, mutations, mutationSeconds] as const;

/** The action after a rule that was not satisfied. `allow`: the rule has failed, and the error was ignored. */
export type Enforcement = "allow" | "deny" | "audit" | "warn";

/** Records the check of one rule. `message` is its error or its message; it shows what kind of error there was. */
export function recordCheck(
  { metric }: RequestHookContext,
  { policy, binding, message, seconds, action }: {
    readonly policy: string;
    readonly binding: string;
    readonly message: string;
    readonly seconds: number;
    readonly action: Enforcement;
  },
): void {
  const series = { policy, policy_binding: binding, error_type: errorType(message), enforcement_action: action };
  metric(checks).with(series).add();
  metric(checkSeconds).with(series).observe(seconds);
}

/** As in upstream, a rule that is not satisfied counts as an invalid error. */
function errorType(message: string): string {
  if (message.startsWith("compilation")) return "compile_error";
  return message.startsWith("validation failed due to running out of cost budget") ? "out_of_budget" : "invalid_error";
}

/** Records one mutation. */
export function recordMutation(
  { metric }: RequestHookContext,
  { policy, binding, failure, seconds }: {
    readonly policy: ApiObject;
    readonly binding: ApiObject;
    readonly failure: Error | undefined;
    readonly seconds: number;
  },
): void {
  const { name: policyName = "" } = policy.metadata, { name: bindingName = "" } = binding.metadata;
  const error = failure === undefined ? "no_error" : errorType(failure.message);
  const series = { policy: policyName, policy_binding: bindingName, error_type: error };
  metric(mutations).with(series).add();
  metric(mutationSeconds).with(series).observe(seconds);
}
