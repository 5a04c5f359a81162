import { definePlugin } from "../../plugin.ts";
import { mutatingAdmissionPolicies, mutatingAdmissionPolicyBindings, mutatingPolicyGates } from "./mutating-policies.ts";
import { validatingAdmissionPolicies, validatingAdmissionPolicyBindings } from "./validating-policies.ts";
import { mutatingWebhookConfigurations, validatingWebhookConfigurations } from "./webhook-configurations.ts";

export const admissionregistrationPlugin = definePlugin({
  name: "admissionregistration",
  summary: "Policies in CEL and webhooks that accept, reject or change requests.",
  featureGates: mutatingPolicyGates,
  groupPriorities: { "admissionregistration.{domain}": 16_700 },
  resources: [
    mutatingWebhookConfigurations,
    validatingAdmissionPolicies,
    validatingAdmissionPolicyBindings,
    validatingWebhookConfigurations,
    mutatingAdmissionPolicies,
    mutatingAdmissionPolicyBindings,
  ],
});
