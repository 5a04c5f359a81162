import { definePlugin } from "../../plugin.ts";
import { policyMetrics } from "./policies/metrics.ts";
import { validatingPolicies } from "./policies/validating-admission.ts";
import { validatingAdmissionPolicies, validatingAdmissionPolicyBindings } from "./validating-policies.ts";

/** Mutating policies and webhooks are not registered: nothing acts on them yet. */
export const admissionregistrationPlugin = definePlugin({
  name: "admissionregistration",
  summary: "Policies in CEL that requests must satisfy: ValidatingAdmissionPolicy.",
  groupPriorities: { "admissionregistration.{domain}": 16_700 },
  resources: [validatingAdmissionPolicies, validatingAdmissionPolicyBindings],
  admission: [validatingPolicies],
  metrics: policyMetrics,
});
